"""Tables of a firm for authors of tasks, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ambidex.vm.firm import Firm

__all__ = ["describe"]


def describe(firm: Firm) -> str:
    """Who is who, what customers owe, what is worked on, and what colleagues know."""
    parts = [
        f"# Firm {firm.number}: {firm.name}",
        f"Its history ends on {firm.today}.",
        *_people(firm),
        *_customers(firm),
        *_work(firm),
        "## What colleagues say if they are asked",
        _table(("fact", "value"), firm.facts),
    ]
    return "\n\n".join(parts) + "\n"


def _people(firm: Firm) -> list[str]:
    leads = {team.lead for team in firm.teams}
    rows = [
        (one.login, one.name, one.team, one.title, "yes" if one.login in leads else "")
        for one in firm.people
    ]
    return ["## People", _table(("login", "name", "team", "title", "lead"), rows)]


def _customers(firm: Firm) -> list[str]:
    rows = [
        (one.id, one.name, one.city, one.contact, one.manager, str(one.terms))
        for one in firm.customers
    ]
    invoices = [
        (
            one.number,
            firm.customer(one.customer).name,
            one.due,
            f"{one.cents / 100:.2f}",
            one.paid or ("overdue" if one.due < firm.today else "open"),
        )
        for one in firm.invoices
    ]
    return [
        "## Customers",
        _table(("id", "name", "city", "contact", "account manager", "days"), rows),
        "## Invoices",
        _table(("number", "customer", "due", "EUR", "paid"), invoices),
    ]


def _work(firm: Firm) -> list[str]:
    issues = [
        (
            f"{repository.name}#{number}",
            one.title,
            one.assignee,
            "open" if one.open else "closed",
            ", ".join(one.tags),
        )
        for repository in firm.repositories
        for number, one in enumerate(repository.issues, 1)
    ]
    tickets = [
        (project.identifier, one.subject, one.kind, one.status, one.assignee, one.due)
        for project in firm.projects
        for one in project.tickets
    ]
    return [
        "## Issues of the forge",
        _table(("issue", "title", "assignee", "state", "tags"), issues),
        "## Tickets of the tracker",
        _table(("project", "subject", "kind", "status", "assignee", "due"), tickets),
    ]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
