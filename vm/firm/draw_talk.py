"""Draws what is said and written in a firm: rooms, documents and calendars."""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import Any

from ambidex.vm.firm import USER, Document, Event, Firm, Invoice, Message, Room

__all__ = ["draw_documents", "draw_events", "draw_facts", "draw_rooms"]

PLACES = ("Birch", "Cedar", "Maple", "Oak")
"""The rooms for meetings; `operations/rooms.csv` among the documents lists them."""
DAYS = "Monday", "Tuesday", "Wednesday", "Thursday", "Friday"


def draw_rooms(
    dice: random.Random, words: dict[str, Any], firm: Firm, today: date
) -> tuple[Room, ...]:
    """The rooms of the chat: one for everybody, and one for each team."""
    everybody = tuple(one.login for one in firm.people if one.login != USER)
    rooms = [
        ("General", "For everybody", firm.lead("people"), everybody, words["chat"]["general"]),
    ]
    for team in firm.teams:
        members = tuple(login for login in team.members if login != USER)
        topic = f"The team {team.name}"
        rooms.append((team.name.capitalize(), topic, team.lead, members, words["chat"][team.name]))
    return tuple(
        Room(name, topic, owner, members, _talk(dice, lines, members, firm, today))
        for name, topic, owner, members, lines in rooms
    )


def _talk(
    dice: random.Random, lines: list[list[str]], members: tuple[str, ...], firm: Firm, today: date
) -> tuple[Message, ...]:
    lead, *others = members
    a, b = dice.sample(others, 2) if len(others) > 1 else (others[0], lead)
    names = _leads(firm)
    invoice = dice.choice(firm.invoices)
    customer = firm.customer(invoice.customer)
    facts = {
        **names,
        "a": firm.person(a).name,
        "team_a": firm.person(a).team,
        "customer": customer.name,
        "contact": customer.contact,
        "city": customer.city,
        "invoice": invoice.number,
        "repository": dice.choice(firm.repositories).name,
        "project": dice.choice(firm.projects).name,
        "day": dice.choice(DAYS),
        "n": dice.randrange(3, 60),
    }
    authors = {"{a}": a, "{b}": b}
    authors.update({f"{{lead_{team.name}}}": team.lead for team in firm.teams})
    minute = dice.randrange(8 * 60, 15 * 60)
    day = (today - timedelta(days=dice.randrange(3, 20))).isoformat()
    messages = []
    for author, text in lines:
        minute += dice.randrange(1, 15)
        messages.append(Message(authors[author], day, minute, text.format(**facts)))
    return tuple(messages)


def _leads(firm: Firm) -> dict[str, Any]:
    return {f"lead_{team.name}": firm.person(team.lead).name for team in firm.teams}


def draw_documents(
    dice: random.Random, words: dict[str, Any], firm: Firm, today: date
) -> tuple[Document, ...]:
    """The files of the share."""
    facts = {
        **_leads(firm),
        "hotel": dice.randrange(90, 160, 10),
        "limit": dice.randrange(300, 900, 50),
        "d1": dice.randrange(2, 5),
        "d2": dice.randrange(5, 9),
        "d3": dice.randrange(9, 15),
    }

    def written(path: str, text: str) -> Document:
        day = today - timedelta(days=dice.randrange(1, 200))
        return Document(path, day.isoformat(), text)

    documents = [
        written(given["path"], given["text"].lstrip("\n").format(**facts))
        for given in words["document"]
    ]
    staff = ["login,name,team,title"]
    staff += [f"{one.login},{one.name},{one.team},{one.title}" for one in firm.people]
    documents.append(written("people/staff.csv", "\n".join(staff) + "\n"))
    documents += [
        written(f"finance/invoices/{one.number}.txt", _letter(firm, one)) for one in firm.invoices
    ]
    for customer in firm.customers:
        text = f"Contract with {customer.name}, {customer.city}\n\n"
        text += f"Number of the customer: {customer.id}\nContact: {customer.contact}\n"
        text += f"Account manager: {firm.person(customer.manager).name}\n"
        text += f"Invoices are due after {customer.terms} days.\n"
        path = customer.name.lower().replace(" ", "-")
        documents.append(written(f"sales/contracts/{path}.txt", text))
    return tuple(documents)


def _letter(firm: Firm, invoice: Invoice) -> str:
    customer = firm.customer(invoice.customer)
    lines = [
        f"{firm.name}",
        "",
        f"Invoice {invoice.number}",
        f"To: {customer.name}, {customer.city}",
    ]
    lines += [f"Date: {invoice.issued}", f"Due: {invoice.due}", ""]
    lines += [
        f"{line.quantity:>4}  {line.text:<30} {line.quantity * line.cents / 100:>10.2f}"
        for line in invoice.lines
    ]
    return "\n".join([*lines, "", f"Total EUR {invoice.cents / 100:.2f}"]) + "\n"


def draw_events(dice: random.Random, firm: Firm, today: date) -> tuple[Event, ...]:
    """The calendars: a weekly meeting of each team, and meetings of two in their own calendars."""
    events = []
    for index, team in enumerate(firm.teams):
        weekday, minute = index % 5, dice.randrange(9, 16) * 60
        for week in range(-2, 3):
            day = today + timedelta(days=7 * week + weekday)
            events.append(
                Event(
                    calendar=f"teams/{team.name}",
                    id=f"{team.name}-{day.isoformat()}",
                    title=f"Weekly of {team.name}",
                    day=day.isoformat(),
                    minute=minute,
                    length=45,
                    place=dice.choice(PLACES),
                    organiser=team.lead,
                    attendees=team.members,
                )
            )
    for number, person in enumerate(firm.people):
        for count in range(3):
            other = dice.choice(
                [one for one in firm.people if one.login not in (person.login, USER)]
            )
            day = today + timedelta(days=dice.randrange(5) + 7 * (count - 1))
            events.append(
                Event(
                    calendar=f"{person.login}/calendar",
                    id=f"talk-{number}-{count}",
                    title=f"Talk with {other.name}",
                    day=day.isoformat(),
                    minute=dice.randrange(18, 34) * 30,
                    length=30,
                    place=dice.choice(PLACES),
                    organiser=person.login,
                    attendees=(person.login, other.login),
                )
            )
    return tuple(events)


def draw_facts(dice: random.Random, firm: Firm, today: date) -> tuple[tuple[str, str], ...]:
    """What colleagues know and no service shows: the scripts of colleagues name them."""
    engineers = next(team.members for team in firm.teams if team.name == "engineering")
    overdue = sorted(
        {one.customer for one in firm.invoices if not one.paid and one.due < firm.today}
    )
    day = today + timedelta(days=dice.randrange(5, 20))
    start = today + timedelta(days=28)
    return (
        ("cost_centre", f"K-{dice.randrange(300, 900)}"),
        ("training", f"{dice.randrange(30, 90)}00"),
        ("spared", firm.customer(dice.choice(overdue)).name if overdue else "nobody"),
        ("engineering_lead", firm.person(firm.lead("engineering")).name),
        ("engineer", firm.person(dice.choice(engineers[1:])).name),
        ("released", dice.choice(firm.repositories).name),
        ("release_day", day.isoformat()),
        ("starter", "Ines Marlow"),
        ("start_day", start.isoformat()),
        ("start_team", dice.choice(firm.teams).name),
        ("interview_room", dice.choice(PLACES)),
        ("order", f"P-{dice.randrange(1000, 9999)}"),
    )
