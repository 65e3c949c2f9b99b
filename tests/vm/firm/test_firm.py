"""A firm is drawn from its number, and its parts fit together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ambidex.vm.firm import Firm
from ambidex.vm.firm.consistency import problems
from ambidex.vm.firm.draw import draw_firm
from tests.support.commands import ambidex

FIRM = draw_firm(1)


def first_of(name: str, **changes: Any) -> Firm:
    """The firm with its first invoice, ticket and so on changed."""
    items = getattr(FIRM, name)
    changed: dict[str, Any] = {name: (replace(items[0], **changes), *items[1:])}
    return replace(FIRM, **changed)


def with_ticket(**changes: Any) -> Firm:
    ticket = replace(FIRM.projects[0].tickets[0], **changes)
    return first_of("projects", tickets=(ticket, *FIRM.projects[0].tickets[1:]))


def with_issue(**changes: Any) -> Firm:
    issue = replace(FIRM.repositories[0].issues[0], **changes)
    return first_of("repositories", issues=(issue, *FIRM.repositories[0].issues[1:]))


def with_cloud(part: str, **changes: Any) -> Firm:
    items = getattr(FIRM.cloud, part)
    changed: dict[str, Any] = {part: (replace(items[0], **changes), *items[1:])}
    return replace(FIRM, cloud=replace(FIRM.cloud, **changed))


def with_message(**changes: Any) -> Firm:
    message = replace(FIRM.rooms[0].messages[0], **changes)
    return first_of("rooms", messages=(message, *FIRM.rooms[0].messages[1:]))


BROKEN: list[tuple[Callable[[], Firm], str]] = [
    (lambda: first_of("people", login=FIRM.people[1].login), "is there twice"),
    (lambda: first_of("people", team="nobody"), "a person's team names 'nobody'"),
    (lambda: first_of("teams", lead="user"), "leads engineering without being in it"),
    (lambda: first_of("customers", manager="nobody"), "a customer names 'nobody'"),
    (lambda: first_of("customers", id="C-102"), "the customer 'C-102' is there twice"),
    (lambda: first_of("invoices", customer="C-999"), "names 'C-999'"),
    (lambda: first_of("invoices", due=FIRM.invoices[0].issued), "is due after 0 days"),
    (lambda: first_of("invoices", paid="2030-01-01"), "was paid on 2030-01-01"),
    (lambda: first_of("invoices", lines=()), "is about nothing"),
    (lambda: first_of("repositories", owner="nobody"), "names 'nobody'"),
    (
        lambda: first_of("repositories", commits=FIRM.repositories[0].commits[::-1]),
        "commits that are out of order",
    ),
    (lambda: with_issue(assignee="user"), "names 'user'"),
    (lambda: with_issue(author="nobody"), "names 'nobody'"),
    (lambda: first_of("projects", customer="C-999"), "names 'C-999'"),
    (lambda: first_of("projects", manager="user"), "'s lead names 'user'"),
    (lambda: with_ticket(assignee="user"), "names 'user'"),
    (lambda: first_of("rooms", owner="user"), "'s owner names 'user'"),
    (lambda: with_message(author="nobody"), "a message names 'nobody'"),
    (lambda: with_message(day="2030-01-01"), "messages that are out of order"),
    (lambda: replace(FIRM, documents=FIRM.documents[:4]), "has no letter with its total"),
    (lambda: first_of("events", organiser="nobody"), "names 'nobody'"),
    (lambda: first_of("events", calendar="attic"), "which is nobody's calendar"),
    (lambda: with_issue(day="2030-01-01"), "comments that are out of order"),
    (lambda: with_ticket(day="2030-01-01"), "was opened on 2030-01-01"),
    (lambda: with_cloud("buckets", owner="nobody"), "the cloud names 'nobody'"),
    (lambda: with_cloud("buckets", readable=False), "not exactly one bucket"),
    (lambda: with_cloud("servers", name=FIRM.cloud.servers[1].name), "is there twice"),
    (lambda: with_cloud("servers", until="2026-10-01"), "in production has the last day"),
    (lambda: with_cloud("leavers", login=FIRM.people[0].login), "has left the firm and is in it"),
    (lambda: with_cloud("leavers", access="2030-01-01", login="x"), "an account of the cloud"),
]


@pytest.mark.parametrize("number", range(1, 26))
def test_every_part_of_a_firm_names_what_the_firm_has(number: int) -> None:
    assert problems(draw_firm(number)) == []


def test_a_broken_part_is_found() -> None:
    missed = [text for firm, text in BROKEN if not any(text in one for one in problems(firm()))]
    assert not missed


def test_a_number_stands_for_one_firm_and_no_other() -> None:
    assert draw_firm(1) == FIRM
    other = draw_firm(2)
    same = [name for name in vars(FIRM) if getattr(other, name) == getattr(FIRM, name)]
    assert set(same) <= {"name", "today"}, "five names are drawn from"


def test_the_first_firm_is_the_one_that_tasks_are_written_for() -> None:
    """Whoever changes what firms are drawn from has to write the tasks' solutions again."""
    assert FIRM.person(FIRM.lead("finance")).name == "Carlos Keller"
    assert [one.name for one in FIRM.repositories] == [
        "meter-firmware", "gateway", "portal", "tools",
    ]  # fmt: skip
    with pytest.raises(KeyError):
        FIRM.person("nobody")


def test_a_firm_is_described_for_authors_of_tasks(capsys: pytest.CaptureFixture[str]) -> None:
    assert ambidex("image", "firm", "1") == 0
    told = capsys.readouterr().out
    for person in FIRM.people:
        assert f"| {person.login} | {person.name} | {person.team} |" in told
    assert all(f"| {invoice.number} |" in told for invoice in FIRM.invoices)
    assert f"| cost_centre | {dict(FIRM.facts)['cost_centre']} |" in told
    assert ambidex("image", "firm", "0") == 2
    assert "0 is not the number of a firm" in capsys.readouterr().err
