"""What must hold in a firm, whatever its number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from ambidex.vm.firm import USER, Firm

__all__ = ["problems"]


def problems(firm: Firm) -> list[str]:
    """What does not fit together, each as a sentence; empty for every firm that is drawn."""
    return [
        *_of_people(firm),
        *_of_customers(firm),
        *_of_repositories(firm),
        *_of_projects(firm),
        *_of_rooms(firm),
        *_of_documents(firm),
        *_of_events(firm),
        *_of_cloud(firm),
    ]


def _twice(what: str, values: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            yield f"{what} {value!r} is there twice"
        seen.add(value)


def _unknown(where: str, values: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    for value in sorted({*values} - {*known, ""}):
        yield f"{where} names {value!r}, whom the firm does not have"


def _logins(firm: Firm) -> set[str]:
    return {one.login for one in firm.people}


def _of_people(firm: Firm) -> Iterator[str]:
    yield from _twice("the login", (one.login for one in firm.people))
    yield from _twice("the name", (one.name for one in firm.people))
    if USER not in _logins(firm):
        yield "nobody is at the desktop"
    for team in firm.teams:
        members = {one.login for one in firm.people if one.team == team.name}
        if members != {*team.members}:
            yield f"the members of {team.name} are not those whose team it is"
        if team.lead not in team.members:
            yield f"{team.lead!r} leads {team.name} without being in it"
    teams = {team.name for team in firm.teams}
    yield from _unknown("a person's team", (one.team for one in firm.people), teams)


def _of_customers(firm: Firm) -> Iterator[str]:
    yield from _twice("the customer", (one.id for one in firm.customers))
    yield from _twice("the customer", (one.name for one in firm.customers))
    yield from _unknown("a customer", (one.manager for one in firm.customers), _logins(firm))
    yield from _twice("the invoice", (one.number for one in firm.invoices))
    terms = {one.id: one.terms for one in firm.customers}
    for invoice in firm.invoices:
        where = f"the invoice {invoice.number}"
        if invoice.customer not in terms:
            yield f"{where} names {invoice.customer!r}, whom the firm does not have"
            continue
        days = date.fromisoformat(invoice.due) - date.fromisoformat(invoice.issued)
        if days.days != terms[invoice.customer]:
            yield f"{where} is due after {days.days} days instead of {terms[invoice.customer]}"
        if invoice.paid and not invoice.issued <= invoice.paid <= firm.today:
            yield f"{where} was paid on {invoice.paid}"
        if invoice.cents <= 0:
            yield f"{where} is about nothing"


def _of_repositories(firm: Firm) -> Iterator[str]:
    logins = _logins(firm)
    yield from _twice("the repository", (one.name for one in firm.repositories))
    for repository in firm.repositories:
        where = f"the repository {repository.name}"
        may = {repository.owner, *repository.members}
        yield from _unknown(where, may, logins)
        yield from _unknown(where, (one.author for one in repository.commits), may)
        days = [one.day for one in repository.commits]
        if days != sorted(days):
            yield f"{where} has commits that are out of order"
        yield from _twice(f"{where}: the issue", (one.title for one in repository.issues))
        for issue in repository.issues:
            people = {issue.author, issue.assignee, *(one.author for one in issue.comments)}
            about = f"{where}: the issue {issue.title!r}"
            yield from _unknown(about, people, may)
            days = [issue.day, *(one.day for one in issue.comments)]
            if days != sorted(days) or days[-1] > firm.today:
                yield f"{about} has comments that are out of order"


def _of_projects(firm: Firm) -> Iterator[str]:
    logins, customers = _logins(firm), {one.id for one in firm.customers}
    yield from _twice("the project", (one.identifier for one in firm.projects))
    for project in firm.projects:
        where = f"the project {project.identifier}"
        yield from _unknown(where, (project.customer,), customers)
        yield from _unknown(where, project.members, logins)
        yield from _unknown(f"{where}'s lead", (project.manager,), project.members)
        for ticket in project.tickets:
            people = (ticket.author, ticket.assignee)
            about = f"{where}: the ticket {ticket.subject!r}"
            yield from _unknown(about, people, project.members)
            if not ticket.day <= min(ticket.due, firm.today):
                yield f"{about} was opened on {ticket.day}"


def _of_rooms(firm: Firm) -> Iterator[str]:
    logins = _logins(firm)
    yield from _twice("the room", (one.name for one in firm.rooms))
    for room in firm.rooms:
        where = f"the room {room.name}"
        yield from _unknown(where, room.members, logins)
        yield from _unknown(f"{where}'s owner", (room.owner,), room.members)
        # Leads look into the rooms of other teams.
        may = {*room.members, *(team.lead for team in firm.teams)}
        yield from _unknown(f"{where}: a message", (one.author for one in room.messages), may)
        times = [(one.day, one.minute) for one in room.messages]
        if times != sorted(times) or any(day > firm.today for day, _ in times):
            yield f"{where} has messages that are out of order"


def _of_documents(firm: Firm) -> Iterator[str]:
    yield from _twice("the document", (one.path for one in firm.documents))
    texts = {one.path: one.text for one in firm.documents}
    for invoice in firm.invoices:
        text = texts.get(f"finance/invoices/{invoice.number}.txt", "")
        if f"Total EUR {invoice.cents / 100:.2f}\n" not in text:
            yield f"the invoice {invoice.number} has no letter with its total"


def _of_events(firm: Firm) -> Iterator[str]:
    logins = _logins(firm)
    calendars = {f"{login}/calendar" for login in logins}
    calendars |= {f"teams/{team.name}" for team in firm.teams}
    yield from _twice("the event", (f"{one.calendar}/{one.id}" for one in firm.events))
    for event in firm.events:
        where = f"the event {event.id}"
        yield from _unknown(where, (event.organiser, *event.attendees), logins)
        if event.calendar not in calendars:
            yield f"{where} is in {event.calendar!r}, which is nobody's calendar"
        if event.organiser not in event.attendees:
            yield f"{where} is without its organiser"


def _of_cloud(firm: Firm) -> Iterator[str]:
    cloud, logins = firm.cloud, _logins(firm)
    yield from _twice("the bucket", (one.name for one in cloud.buckets))
    yield from _twice("the server", (one.name for one in cloud.servers))
    owners = {one.owner for one in cloud.buckets} | {one.owner for one in cloud.servers}
    yield from _unknown("the cloud", owners, logins)
    if [one.public for one in cloud.buckets if one.public != one.readable] != [False]:
        yield "there is not exactly one bucket that everybody can read against the list"
    for server in cloud.servers:
        if bool(server.until) != (server.stage == "test"):
            yield f"the server {server.name} in {server.stage} has the last day {server.until!r}"
    left = {one.login for one in cloud.leavers}
    yield from _unknown("an account of the cloud", cloud.accounts, logins | left)
    for login in sorted(left & logins):
        yield f"{login!r} has left the firm and is in it"
    if {one.access < firm.today for one in cloud.leavers} != {True, False}:
        yield "the access of all leavers has ended, or of none"
