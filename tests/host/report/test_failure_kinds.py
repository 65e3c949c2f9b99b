"""Every failure has exactly one kind, by rules that rows and trajectories decide."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ambidex.host import Stop
from ambidex.host.records.rows import Row
from ambidex.host.report.export import records
from ambidex.host.report.failure_kinds import Kind, kind_of, kinds
from ambidex.host.report.findings import find
from ambidex.host.report.report_lines import lines
from ambidex.host.report.text_report import as_json
from tests.support.played import row, run_of
from tests.support.tables import every_case


def failed(**fields: Any) -> Row:
    return row("a", beneficial=True, score=0, **fields)


@every_case(
    ("fields", "kind"),
    [
        ({"tool": 2, "errors": 1}, Kind.IMPLICIT),
        ({"gui": 1}, Kind.IMPLICIT),
        ({"tool": 1, "feasible": False}, Kind.IMPLICIT),
        ({"stop": Stop.CONTEXT_LIMIT}, Kind.CONTEXT_OVERFLOW),
        ({"stop": Stop.STEP_LIMIT, "tool": 1}, Kind.TURN_LIMIT),
        ({"stop": Stop.TIME_LIMIT}, Kind.TIME_LIMIT),
        ({"stop": Stop.COST_LIMIT}, Kind.COST_LIMIT),
        ({"stop": Stop.PARSE_LIMIT, "malformed": 3}, Kind.MALFORMED_CALL),
        ({"stop": Stop.INFEASIBLE, "tool": 3}, Kind.ABANDONED),
        ({}, Kind.PREMATURE_STOP),
        ({"malformed": 1}, Kind.PREMATURE_STOP),
        ({"tool": 2, "errors": 2}, Kind.PREMATURE_STOP),
        ({"unknown": 2}, Kind.MALFORMED_CALL),
        ({"stop": None, "forfeit": "GuestError during collect: gone"}, Kind.FORFEIT),
        ({"ended_by": "person", "assisted": True}, Kind.PERSON),
    ],
)
def test_the_kind_of_a_failure(fields: dict[str, Any], kind: Kind) -> None:
    assert kind_of(failed(**fields), Path("nowhere")) is kind


@pytest.mark.parametrize(
    ("errors", "kind"),
    [
        (["bad_arguments", "unknown_tool"], Kind.MALFORMED_CALL),
        (["bad_arguments", "not_found"], Kind.PREMATURE_STOP),
    ],
)
def test_the_trajectory_says_why_calls_failed(
    errors: list[str], kind: Kind, tmp_path: Path
) -> None:
    (tmp_path / "f").mkdir()
    steps = [{"kind": "step", "results": [{"error": error}]} for error in errors]
    text = "".join(json.dumps(step) + "\n" for step in steps)
    (tmp_path / "f" / "trajectory.jsonl").write_text(text)
    assert kind_of(failed(tool=2, errors=2, steps=2), tmp_path) is kind


def test_every_failed_trial_is_counted_once_and_solved_or_void_ones_never(tmp_path: Path) -> None:
    rows = [
        row("a", beneficial=True, score=1, tool=1),
        row("b", beneficial=True, score=0.5, tool=1),
        row("c", beneficial=True, score=0, stop=Stop.STEP_LIMIT),
        row("d", beneficial=True, score=0, tool=2, trial=1),
        row("e", beneficial=True, score=None, fate="void"),
    ]
    run = run_of(tmp_path / "r", rows)
    assert kinds(rows, run) == {Kind.IMPLICIT: 2, Kind.TURN_LIMIT: 1}
    found = lines([run])
    assert find(found).failures == ({Kind.IMPLICIT: 2, Kind.TURN_LIMIT: 1},)
    assert json.loads(json.dumps(as_json(found)))[0]["failures"] == {
        "implicit": 2,
        "turn_limit": 1,
    }
    assert [record["failure_kind"] for record in records(found)] == [
        None,
        "implicit",
        "turn_limit",
        "implicit",
        None,
    ]
