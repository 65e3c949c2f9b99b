"""The trials of a run as the wall reads them while the run grows."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.host.records.config import read_config
from ambidex.host.records.rows import NAME, Row
from ambidex.host.room.runs.trials import RunTrials
from ambidex.host.room.runs.updates import RunSummary, RunUpdates
from bench.wall import invented_runs


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Nine trials; the first had a void attempt."""
    invented_runs(tmp_path, 1, 9)
    [folder] = tmp_path.iterdir()
    return folder


def read(run: Path) -> RunTrials:
    trials = RunTrials(run, read_config(run))
    trials.read({})
    return trials


def summary(trials: RunTrials) -> RunSummary:
    head = trials.head(0, active=False)
    return RunSummary("one", head, trials.entries, trials.changes, trials.restarts)


def test_a_void_attempt_is_an_attempt_of_its_trial(run: Path) -> None:
    trials = read(run)
    head = trials.head(0, active=False)
    assert len(trials.entries) == head["planned"] == head["done"] == 9
    assert (trials.entries[0]["attempts"], trials.entries[0]["fate"]) == (2, "scored")
    assert (head["scored"], head["solved"], head["void"]) == (9, 6, 0)
    assert head["interval"] == pytest.approx((0.354, 0.879), abs=0.001)


def test_only_new_rows_are_read_and_told(run: Path) -> None:
    lines = (run / NAME).read_bytes().splitlines(keepends=True)
    (run / NAME).write_bytes(b"".join(lines[:4]) + lines[4][:20])
    trials, updates = read(run), RunUpdates()
    [told] = updates.since([summary(trials)])["runs"]
    assert (told["reset"], list(told["rows"]), told["done"]) == (True, [0, 1, 2], 3)
    assert updates.since([summary(trials)])["runs"] == []
    (run / NAME).write_bytes(b"".join(lines[:6]))
    trials.read({})
    [told] = updates.since([summary(trials)])["runs"]
    assert (told["reset"], list(told["rows"]), told["done"]) == (False, [3, 4], 5)
    assert updates.since([]) == {"gone": ["one"], "runs": []}


def test_a_repaired_file_is_read_from_its_start(run: Path) -> None:
    trials, updates = read(run), RunUpdates()
    updates.since([summary(trials)])
    lines = (run / NAME).read_bytes().splitlines(keepends=True)
    new = run / "new"
    new.write_bytes(b"".join(lines[1:3]))
    new.rename(run / NAME)
    trials.read({})
    [told] = updates.since([summary(trials)])["runs"]
    assert (told["reset"], list(told["rows"]), told["done"]) == (True, [0, 1], 2)


def test_the_time_left_is_that_of_the_trials_left_on_the_machines_in_use(run: Path) -> None:
    lines = (run / NAME).read_bytes().splitlines(keepends=True)
    (run / NAME).write_bytes(b"".join(lines[:4]))
    trials = read(run)
    rows = [Row.model_validate_json(line) for line in lines[:4]]
    each = sum(row.seconds["total"] for row in rows) / 4
    assert trials.head(2, active=True)["eta"] == round(each * 6 / 2)
    assert trials.head(0, active=False)["eta"] is None


def test_a_line_that_is_not_a_row_is_named_after_the_rows_before_it(run: Path) -> None:
    lines = (run / NAME).read_bytes().splitlines(keepends=True)
    (run / NAME).write_bytes(b"".join([*lines[:3], b"{}\n", *lines[3:]]))
    trials = read(run)
    trials.read({})
    assert len(trials.entries) == 2
    assert "line 4 is not a valid row" in trials.error
