"""Draws a firm from its number. The same number gives the same firm on every computer."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any, TypeVar

from ambidex.vm.firm import USER, Customer, Firm, Invoice, Line, Person, Team
from ambidex.vm.firm.draw_cloud import draw_cloud, list_cloud
from ambidex.vm.firm.draw_talk import draw_documents, draw_events, draw_facts, draw_rooms
from ambidex.vm.firm.draw_work import draw_projects, draw_repositories

__all__ = ["TODAY", "draw_firm"]

TODAY = date(2026, 10, 5)
"""The day on which the history of every firm ends, a Monday."""
CUSTOMERS, INVOICES = 8, 24
WORDS = Path(__file__).with_name("words.toml")
T = TypeVar("T")


def draw_firm(number: int) -> Firm:
    """The firm with this number, from 1."""
    words = tomllib.loads(WORDS.read_text(encoding="utf-8"))
    people, teams = _people(_dice(number, "people"), words)
    customers = _customers(_dice(number, "customers"), words, teams)
    invoices = _invoices(_dice(number, "invoices"), words, customers)
    work = _dice(number, "work")
    repositories = draw_repositories(work, words, people, teams, customers, TODAY)
    projects = draw_projects(work, words, people, teams, customers, TODAY)
    talk = _dice(number, "talk")
    everything = Firm(
        number=number,
        name=_dice(number, "firm").choice(words["firms"]),
        today=TODAY.isoformat(),
        people=people,
        teams=teams,
        customers=customers,
        invoices=invoices,
        repositories=repositories,
        projects=projects,
        rooms=(),
        documents=(),
        events=(),
        cloud=draw_cloud(_dice(number, "cloud"), words, people, teams, repositories, TODAY),
    )
    return Firm(
        **{
            **vars(everything),
            "rooms": draw_rooms(talk, words, everything, TODAY),
            "documents": (
                *draw_documents(talk, words, everything, TODAY),
                *list_cloud(everything.cloud, TODAY),
            ),
            "events": draw_events(talk, everything, TODAY),
            "facts": draw_facts(_dice(number, "facts"), everything, TODAY),
        }
    )


def _dice(number: int, topic: str) -> random.Random:
    """A topic's own source, so that a change of one topic leaves the others as they are."""
    return random.Random(f"{number} {topic}")


def _people(
    dice: random.Random, words: dict[str, Any]
) -> tuple[tuple[Person, ...], tuple[Team, ...]]:
    count = sum(len(team["titles"]) for team in words["team"])
    names = zip(_some(dice, words["first"], count), _some(dice, words["last"], count), strict=True)
    people, teams = [], []
    for team in words["team"]:
        members = []
        for title in team["titles"]:
            first, last = next(names)
            login = f"{first}.{last}".lower()
            people.append(Person(login, f"{first} {last}", team["name"], title))
            members.append(login)
        if team["name"] == "operations":
            people.append(Person(USER, "Desktop User", "operations", "Assistant"))
            members.append(USER)
        teams.append(Team(team["name"], members[0], tuple(members)))
    return tuple(people), tuple(teams)


def _customers(
    dice: random.Random, words: dict[str, Any], teams: Sequence[Team]
) -> tuple[Customer, ...]:
    sellers = next(team.members for team in teams if team.name == "sales")
    names = _some(dice, words["customers"], CUSTOMERS)
    contacts = zip(
        _some(dice, words["first"], CUSTOMERS),
        _some(dice, words["contacts"], CUSTOMERS),
        strict=True,
    )
    return tuple(
        Customer(
            id=f"C-{101 + index}",
            name=name,
            city=dice.choice(words["cities"]),
            contact=" ".join(contact),
            manager=sellers[1 + index % (len(sellers) - 1)],
            terms=dice.choice((14, 30, 30, 45)),
        )
        for index, (name, contact) in enumerate(zip(names, contacts, strict=True))
    )


def _invoices(
    dice: random.Random, words: dict[str, Any], customers: Sequence[Customer]
) -> tuple[Invoice, ...]:
    days = sorted(TODAY - timedelta(days=dice.randrange(3, 120)) for _ in range(INVOICES))
    invoices = []
    for index, issued in enumerate(days):
        customer = customers[index % len(customers)] if index < len(customers) else None
        customer = customer or dice.choice(customers)
        due = issued + timedelta(days=customer.terms)
        paid = issued + timedelta(days=dice.randrange(5, customer.terms + 20))
        goods = _some(dice, words["invoices"]["goods"], dice.randrange(1, 4))
        invoices.append(
            Invoice(
                number=f"2026-{401 + index:04d}",
                customer=customer.id,
                issued=issued.isoformat(),
                due=due.isoformat(),
                paid=paid.isoformat() if paid <= TODAY and dice.random() < 0.75 else "",
                lines=tuple(Line(text, dice.randrange(1, 13), cents) for text, cents in goods),
            )
        )
    return tuple(invoices)


def _some(dice: random.Random, items: Sequence[T], count: int) -> list[T]:
    return dice.sample(items, count)
