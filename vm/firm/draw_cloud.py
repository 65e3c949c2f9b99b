"""Draws what a firm has in the cloud, and the lists of it among the documents."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any

from ambidex.vm.firm import Bucket, Cloud, Document, Leaver, Person, Repository, Server, Team

__all__ = ["draw_cloud", "list_cloud"]

LEAVERS, TEST_SERVERS = 3, 5


def draw_cloud(
    dice: random.Random,
    words: dict[str, Any],
    people: Sequence[Person],
    teams: Sequence[Team],
    repositories: Sequence[Repository],
    today: date,
) -> Cloud:
    """One bucket can be read by everybody against the list, some test servers are not needed any
    more, and some who left still have a key."""
    engineers = next(team.members for team in teams if team.name == "engineering")
    operations = next(team.lead for team in teams if team.name == "operations")
    leavers = _leavers(dice, words, people, today)
    return Cloud(
        buckets=_buckets(dice, words["cloud"]["bucket"], (*engineers, operations)),
        servers=_servers(dice, engineers, repositories, today),
        accounts=(*engineers, operations, *(one.login for one in leavers)),
        leavers=leavers,
    )


def _buckets(
    dice: random.Random, given: Sequence[dict[str, Any]], owners: Sequence[str]
) -> tuple[Bucket, ...]:
    leaking = dice.choice([one["name"] for one in given if not one["public"]])
    return tuple(
        Bucket(
            name=one["name"],
            use=one["use"],
            owner=dice.choice(owners),
            public=one["public"],
            readable=one["public"] or one["name"] == leaking,
            objects=tuple((key, f"{one['use']}\n") for key in one["objects"]),
        )
        for one in given
    )


def _servers(
    dice: random.Random,
    engineers: Sequence[str],
    repositories: Sequence[Repository],
    today: date,
) -> tuple[Server, ...]:
    servers = [
        Server(f"{one.name}-production", "t3.medium", "production", one.owner, "")
        for one in repositories
    ]
    # Two of them were needed until earlier, the others are needed until later.
    days = [-dice.randrange(3, 40) for _ in range(2)]
    days += [dice.randrange(10, 60) for _ in range(TEST_SERVERS - 2)]
    dice.shuffle(days)
    for number, day in enumerate(days, 1):
        about, owner = dice.choice(repositories).name, dice.choice(engineers)
        until = (today + timedelta(days=day)).isoformat()
        servers.append(Server(f"{about}-test-{number}", "t3.small", "test", owner, until))
    return tuple(servers)


def _leavers(
    dice: random.Random, words: dict[str, Any], people: Sequence[Person], today: date
) -> tuple[Leaver, ...]:
    """The last of them may use the cloud for some time yet."""
    taken = {part for one in people for part in one.name.split()}
    firsts = dice.sample([one for one in words["first"] if one not in taken], LEAVERS)
    lasts = dice.sample([one for one in words["last"] if one not in taken], LEAVERS)
    leavers = []
    for index, (first, last) in enumerate(zip(firsts, lasts, strict=True)):
        day = today - timedelta(days=dice.randrange(20, 150))
        access = day if index < LEAVERS - 1 else today + timedelta(days=dice.randrange(30, 90))
        leavers.append(
            Leaver(
                f"{first}.{last}".lower(), f"{first} {last}", day.isoformat(), access.isoformat()
            )
        )
    return tuple(leavers)


def list_cloud(cloud: Cloud, today: date) -> Iterator[Document]:
    """The lists of buckets and of leavers, which tasks compare with the cloud."""
    buckets = ["bucket,use,owner,public"]
    buckets += [
        f"{one.name},{one.use},{one.owner},{'yes' if one.public else 'no'}" for one in cloud.buckets
    ]
    left = ["login,name,last day,access to the cloud until"]
    left += [f"{one.login},{one.name},{one.day},{one.access}" for one in cloud.leavers]
    day = (today - timedelta(days=14)).isoformat()
    for path, lines in (("operations/buckets.csv", buckets), ("people/left.csv", left)):
        yield Document(path, day, "\n".join(lines) + "\n")
