"""Damaged rows, impossible records, and numbers out of range."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from ambidex.host import Limits
from ambidex.host.errors import UsageError
from ambidex.host.records.config import RunConfig, bounded
from ambidex.host.records.rows import Row, Rows, read_rows
from ambidex.host.room.live_trajectory import LiveTrajectory
from ambidex.host.room.wall import Wall
from ambidex.host.runs.machines import MachineOptions
from ambidex.host.runs.runner import plan
from ambidex.tasks import Suite
from tests.support.played import row as any_row
from tests.support.suites import config_of, run_in
from tests.support.suites import suite as suite
from tests.support.tables import every_case


def row() -> Row:
    return any_row(beneficial=True, score=1.0)


@every_case(
    ("field", "value"),
    [
        ("score", 7),
        ("score", -0.1),
        ("score", float("nan")),
        ("strict", float("inf")),
        ("steps", -1),
        ("cost", float("nan")),
        ("cost", -1),
        ("seconds", {"total": float("inf")}),
        ("task", "../../etc"),
        ("folder", "/etc"),
        ("folder", ".."),
        ("folder", "a\x1b[2J"),
        ("input_tokens", -5),
    ],
)
def test_a_row_that_cannot_be_is_neither_written_nor_read(
    tmp_path: Path, field: str, value: Any
) -> None:
    said = row().model_dump(mode="json") | {field: value}
    with pytest.raises(ValidationError):
        Row.model_validate(said)
    (tmp_path / "results.jsonl").write_text(
        json.dumps(said) + "\n" + row().model_dump_json() + "\n"
    )
    with pytest.raises(UsageError, match=rf"line 1 is not a valid row: {field}"):
        read_rows(tmp_path)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("task", "another"),
        ("task_hash", "0"),
        ("agent", "stranger"),
        ("trial", 2),
        ("condition", "gui"),
        ("threshold", 0.5),
        ("model", "gpt"),
        ("parent", {"run": "r", "trial": "t.1", "step": 1}),
    ],
)
def test_a_row_that_its_run_could_not_have_given_is_refused_and_set_aside(
    tmp_path: Path, suite: Suite, field: str, value: Any
) -> None:
    config = config_of(suite)
    first, second = run_in(tmp_path, suite, config)
    foreign = first.model_dump(mode="json") | {field: value}
    (tmp_path / "results.jsonl").write_text(
        json.dumps(foreign) + "\n" + second.model_dump_json() + "\n"
    )
    with pytest.raises(UsageError, match=rf"line 1 is not a valid row: {field} is "):
        read_rows(tmp_path)
    assert "line 1" in Rows(tmp_path).repair()
    assert read_rows(tmp_path) == [second]


def test_a_damaged_line_anywhere_is_set_aside_and_its_trial_runs_again(
    tmp_path: Path, suite: Suite
) -> None:
    config = config_of(suite)
    run_in(tmp_path, suite, config)
    path = tmp_path / "results.jsonl"
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first[:100] + second + b"\xff\n" + second)
    rows = run_in(tmp_path, suite, config)
    assert sorted(row.task for row in rows) == ["cell", "impossible"]
    assert (tmp_path / "results.damaged").read_bytes() == first[:100] + second + b"\xff\n"


FULL = """
import resource, signal, sys
from pathlib import Path
from ambidex.host.records.rows import Rows, read_rows
folder = Path(sys.argv[1])
(row,) = read_rows(folder)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
size = (folder / "results.jsonl").stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 200, size + 200))
try:
    Rows(folder).add(row.model_copy(update={"trial": 2}))
except OSError as error:
    print(error.errno)
"""


def test_a_disk_that_is_full_inside_a_row_leaves_none_of_it(tmp_path: Path) -> None:
    Rows(tmp_path).add(row())
    before = (tmp_path / "results.jsonl").read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip(), done.stderr
    assert (tmp_path / "results.jsonl").read_bytes() == before


def test_one_bad_line_of_a_live_trial_marks_that_trial_alone(tmp_path: Path) -> None:
    trial = tmp_path / "t.1"
    trial.mkdir()
    start = json.dumps({"kind": "start", "task": "t"}).encode()
    bad = [b"\xff\xfe", b"[]", b"{}", b'{"kind": "step"}', b"[" * 5000, b"\x85", b"nul\x00"]
    (trial / "trajectory.jsonl").write_bytes(b"\n".join([start, *bad, start]) + b"\n")
    trajectory = LiveTrajectory(trial)
    assert trajectory.read()
    assert trajectory.start["task"] == "t"
    assert trajectory.steps == []
    assert "cannot be read" in trajectory.damaged
    assert not trajectory.read(), "the damaged lines are not read again"
    assert Wall([tmp_path]).live() == []


@every_case(
    ("limits", "named"),
    [
        (Limits(steps=0), "steps"),
        (Limits(seconds=float("inf")), "seconds"),
        (Limits(seconds=float("nan")), "seconds"),
        (Limits(cost=-1), "cost"),
        (Limits(malformed=0), "malformed"),
    ],
)
def test_a_limit_that_is_out_of_range_is_refused_by_name(limits: Limits, named: str) -> None:
    with pytest.raises(ValueError, match=f"the limit {named} must be"):
        bounded(limits)


def test_a_run_that_cannot_be_is_refused_by_name_before_anything_is_made(suite: Suite) -> None:
    with pytest.raises(UsageError, match="--runs must be between 1 and"):
        plan(("says_done",), 10**9, suite)
    with pytest.raises(UsageError, match="--machines must be between 1 and 4096, not 0"):
        MachineOptions(machines=0)
    said = config_of(suite).model_dump()
    for field, value in (("settle", float("inf")), ("runs", 10**9), ("threshold", 2)):
        with pytest.raises(ValidationError, match=field):
            RunConfig.model_validate(said | {field: value})
