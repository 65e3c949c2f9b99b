"""Draws a firm's repositories and projects."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from ambidex.vm.firm import (
    Comment,
    Commit,
    Customer,
    Issue,
    Person,
    Project,
    Repository,
    Team,
    Ticket,
)

__all__ = ["draw_projects", "draw_repositories"]

ISSUES, PROJECTS, TICKETS = 7, 4, 8
STATUSES = ("New", "In Progress", "In Progress", "Resolved", "Closed")
PRIORITIES = ("Low", "Normal", "Normal", "Normal", "High", "Urgent")


def draw_repositories(
    dice: random.Random,
    words: dict[str, Any],
    people: Sequence[Person],
    teams: Sequence[Team],
    customers: Sequence[Customer],
    today: date,
) -> tuple[Repository, ...]:
    """The repositories of the forge, which engineering works on."""
    members = _members(teams, "engineering")
    named = {one.login: one.name for one in people}
    return tuple(
        Repository(
            name=given["name"],
            title=given["title"],
            owner=members[index % len(members)],
            members=tuple(one for one in members if one != members[index % len(members)]),
            commits=_commits(dice, given, members, named, today),
            issues=_issues(dice, words, given, members, customers, today),
        )
        for index, given in enumerate(words["repository"])
    )


def _commits(
    dice: random.Random,
    given: dict[str, Any],
    members: Sequence[str],
    named: dict[str, str],
    today: date,
) -> tuple[Commit, ...]:
    module, parts = given["module"], given["parts"]
    days = sorted(today - timedelta(days=dice.randrange(20, 300)) for _ in range(2 * len(parts)))
    owner = dice.choice(members)
    readme = f"# {given['name']}\n\n{given['title']}. Questions go to {named[owner]}.\n"
    changes = "# Changes\n"
    commits = [
        Commit(
            owner, days[0].isoformat(), "Start", (("README.md", readme), ("CHANGELOG.md", changes))
        )
    ]
    for index, (part, day) in enumerate(zip(parts, days[1:], strict=False)):
        version = f"1.{index}"
        limit = dice.randrange(5, 60)
        code = f'"""{part.capitalize()} of the {module}."""\n\nLIMIT = {limit}\n\n\n'
        code += "def within(value):\n"
        code += '    """Whether a value is within the limit."""\n    return value <= LIMIT\n'
        changes += f"\n## {version} ({day.isoformat()})\n\n* {part}: first version\n"
        files = ((f"{module}/{part}.py", code), ("CHANGELOG.md", changes))
        commits.append(Commit(dice.choice(members), day.isoformat(), f"Add {part}", files))
    return tuple(commits)


def _issues(
    dice: random.Random,
    words: dict[str, Any],
    given: dict[str, Any],
    members: Sequence[str],
    customers: Sequence[Customer],
    today: date,
) -> tuple[Issue, ...]:
    texts = words["issues"]
    issues = []
    for index, title in enumerate(dice.sample(texts["titles"], ISSUES)):
        day = today - timedelta(days=8 * (ISSUES - index))
        facts = {
            "part": dice.choice(given["parts"]),
            "customer": dice.choice(customers).name,
            "version": f"1.{dice.randrange(len(given['parts']))}",
        }
        comments = dice.sample(texts["comments"], dice.randrange(3))
        issues.append(
            Issue(
                title=title.format(**facts),
                text=texts["text"].format(**facts),
                author=dice.choice(members),
                day=day.isoformat(),
                assignee=dice.choice((*members, "")),
                open=dice.random() < 0.7,
                tags=tuple(sorted(dice.sample(texts["tags"], dice.randrange(1, 3)))),
                comments=tuple(
                    Comment(
                        dice.choice(members),
                        (day + timedelta(days=3 * number)).isoformat(),
                        text.format(**facts),
                    )
                    for number, text in enumerate(comments, 1)
                ),
            )
        )
    return tuple(issues)


def draw_projects(
    dice: random.Random,
    words: dict[str, Any],
    people: Sequence[Person],
    teams: Sequence[Team],
    customers: Sequence[Customer],
    today: date,
) -> tuple[Project, ...]:
    """The projects of the tracker, each for one customer."""
    engineers, managers = _members(teams, "engineering"), _members(teams, "product")
    projects = []
    for index, customer in enumerate(dice.sample(list(customers), PROJECTS)):
        manager = managers[index % len(managers)]
        members = (manager, *dice.sample(list(engineers), 3), customer.manager)
        tickets = tuple(
            _ticket(dice, words["tickets"], members, customer, today, count)
            for count in range(TICKETS)
        )
        identifier = customer.name.lower().replace(" ", "-")
        projects.append(Project(identifier, customer.name, customer.id, manager, members, tickets))
    return tuple(projects)


def _ticket(
    dice: random.Random,
    texts: dict[str, Any],
    members: Sequence[str],
    customer: Customer,
    today: date,
    count: int,
) -> Ticket:
    kind = dice.choice(("bug", "feature", "support"))
    return Ticket(
        subject=dice.choice(texts[kind]).format(n=dice.randrange(2, 40)),
        text=texts["text"].format(contact=customer.contact, customer=customer.name),
        kind=kind.capitalize(),
        status=dice.choice(STATUSES),
        priority=dice.choice(PRIORITIES),
        author=dice.choice(members),
        day=(today - timedelta(days=5 * (TICKETS - count) + 30)).isoformat(),
        assignee=dice.choice((*members, "")),
        due=(today + timedelta(days=dice.randrange(-30, 45))).isoformat(),
        hours=dice.randrange(1, 25),
    )


def _members(teams: Sequence[Team], name: str) -> tuple[str, ...]:
    return next(team.members for team in teams if team.name == name)
