"""Accuracy, TIR and ACS against numbers computed by hand, corner cases of the paper's definition
included."""

from __future__ import annotations

import pytest

from host import Stop
from host.metrics import Group, group, summarize
from host.rows import CallCount, Row
from mcp_tools import aliases
from tasks.catalogue import read_catalogue


def row(
    task: str = "t",
    *,
    beneficial: bool,
    score: float | None,
    tool: int = 0,
    gui: int = 0,
    steps: int = 1,
    fate: str = "scored",
    trial: int = 1,
    attempt: int = 1,
    condition: str = "hybrid",
    feasible: bool = True,
    stop: Stop = Stop.DONE,
    errors: int = 0,
    unknown: int = 0,
) -> Row:
    counts = [
        CallCount(tool="calc_save", app="calc", calls=tool, errors=errors),
        CallCount(tool="computer_click", app="computer", calls=gui, errors=0),
        CallCount(tool="calc_invented", app="", calls=unknown, errors=unknown),
    ]
    return Row.model_validate(
        {
            "suite": "s",
            "task": task,
            "task_hash": "h",
            "agent": "a",
            "trial": trial,
            "attempt": attempt,
            "condition": condition,
            "tool_beneficial": beneficial,
            "feasible": feasible,
            "fate": fate,
            "score": score,
            "stop": stop if fate == "scored" else None,
            "steps": steps,
            "calls": [count.model_dump() for count in counts if count.calls],
            "folder": "f",
            "config": "c",
            "code": "c",
            "started": "2026-01-01T00:00:00+00:00",
        }
    )


def test_the_three_numbers_of_a_small_run() -> None:
    rows = [
        row("a", beneficial=True, score=1, tool=2, steps=3),  # n_t
        row("b", beneficial=True, score=1, gui=5, steps=6),  # solved, but without a tool
        row("c", beneficial=True, score=0, tool=1, steps=15, stop=Stop.STEP_LIMIT),
        row("d", beneficial=False, score=1, gui=4, steps=5),  # n_g
        row("e", beneficial=False, score=1, tool=1, gui=1, steps=2),  # solved, but with a tool
    ]
    helped, other, both = summarize(rows).groups
    assert (helped.n, helped.solved) == (3, 2)
    assert helped.accuracy == pytest.approx(2 / 3)
    assert helped.tir == pytest.approx(1 / 3)
    assert helped.acs == pytest.approx((3 + 6 + 15) / 3)
    assert (other.accuracy, other.tir, other.acs) == (1.0, 0.5, 3.5)
    assert both.accuracy == pytest.approx(4 / 5)
    assert both.tir == pytest.approx(2 / 5)
    assert both.acs == pytest.approx(31 / 5)


def of(*rows: Row) -> Group:
    return group("all", rows)


def test_partial_credit_is_no_success() -> None:
    partial = of(row(beneficial=True, score=0.98, tool=1))
    assert (partial.solved, partial.accuracy, partial.tir, partial.score) == (0, 0.0, 0.0, 0.98)


def test_a_tool_call_that_failed_was_still_invoked() -> None:
    assert of(row(beneficial=True, score=1, tool=1, errors=1)).tir == 1.0
    assert of(row(beneficial=False, score=1, tool=1, errors=1)).tir == 0.0


def test_a_name_that_was_not_offered_is_no_tool_call() -> None:
    assert of(row(beneficial=True, score=1, unknown=3)).tir == 0.0
    assert of(row(beneficial=False, score=1, unknown=3)).tir == 1.0


def test_gui_actions_are_no_tool_calls() -> None:
    assert of(row(beneficial=True, score=1, gui=3)).tir == 0.0
    assert of(row(beneficial=False, score=1, gui=3)).tir == 1.0


def test_an_infeasible_task_counts_like_any_other() -> None:
    seen = row("x", beneficial=True, score=1, tool=1, feasible=False, stop=Stop.INFEASIBLE)
    missed = row("y", beneficial=False, score=0, feasible=False, steps=15)
    summary = summarize([seen, missed])
    assert (summary.infeasible, summary.recognized) == (2, 1)
    assert summary.groups[2].tir == 0.5
    assert summary.groups[2].acs == 8.0


def test_a_feasible_task_called_infeasible_is_counted() -> None:
    wrong = row(beneficial=True, score=0, stop=Stop.INFEASIBLE)
    assert summarize([wrong]).wrongly_infeasible == 1


def test_void_and_bug_rows_are_no_trials_and_are_counted() -> None:
    rows = [
        row("a", beneficial=True, score=None, fate="void"),
        row("a", beneficial=True, score=1, tool=1, attempt=2, steps=4),
        row("b", beneficial=True, score=None, fate="void"),
        row("c", beneficial=True, score=None, fate="bug"),
    ]
    summary = summarize(rows)
    assert (summary.void, summary.bugs, summary.unscored) == (2, 1, 2)
    assert (summary.groups[0].n, summary.groups[0].accuracy) == (1, 1.0)
    assert summary.groups[0].acs == 4.0


def test_trials_of_one_task_count_each() -> None:
    three = of(*(row(beneficial=True, score=n % 2, tool=1, trial=n) for n in (1, 2, 3)))
    assert (three.n, three.tasks) == (3, 1)
    assert three.accuracy == pytest.approx(2 / 3)


def test_nothing_to_divide_by_is_no_number() -> None:
    other = summarize([row(beneficial=True, score=1, tool=1)]).groups[1]
    assert (other.n, other.accuracy, other.tir, other.acs) == (0, None, None, None)


def test_where_no_tool_is_offered_there_is_no_tir() -> None:
    assert of(row(beneficial=False, score=1, gui=1, condition="gui")).tir is None


def test_the_interval_is_wilson_s() -> None:
    interval = of(*(row(beneficial=True, score=1, trial=n) for n in range(10))).interval
    assert interval
    assert interval == pytest.approx((0.7225, 1.0), abs=1e-3)


def test_a_call_of_any_of_the_158_tools_of_the_reference_counts_by_every_name_it_has() -> None:
    served = read_catalogue()
    references = aliases.references()
    assert len(references) == 158
    for reference in references.values():
        for name in reference.names:
            tool = served[aliases.resolve(name)]
            call = CallCount(tool=tool.name, app=tool.app, calls=1, errors=0)
            called = row(beneficial=True, score=1).model_copy(update={"calls": [call]})
            assert (group("all", [called]).tir, summarize([called]).tool_calls) == (1, 1), name
