"""`ambidex runs`: what is listed, and what is deleted."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from ambidex.host.records.config import locked
from ambidex.host.records.experiment_plan import PlannedRun, keep_plan
from tests.support.commands import ambidex
from tests.support.played import row, run_of


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory with two runs, and an experiment of one run."""
    solved, failed = row("a", beneficial=True, score=1), row("b", beneficial=True, score=0)
    run_of(tmp_path / "first", [solved, failed])
    run_of(tmp_path / "second", [solved], tasks={"a": "h", "b": "h"})
    run_of(tmp_path / "study" / "gui", [failed])
    keep_plan(tmp_path / "study", {"gui": PlannedRun(tasks=("b",), runs=1)})
    (tmp_path / "second" / "large").write_bytes(b"x" * 100_000)
    return tmp_path


class Answer(io.StringIO):
    """A person at a terminal."""

    def isatty(self) -> bool:
        return True


def test_runs_are_listed_with_size_and_state(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "first" / "results.jsonl").write_bytes(b"damaged\n" * 2)
    with locked(place / "study" / "gui"):
        assert ambidex("runs", place, "--json") == 0
    first, second, study = json.loads(capsys.readouterr().out)
    assert "not a valid row" in first["state"]
    assert (second["scored"], second["solved"], second["state"]) == (1, 1, "1 trials missing")
    assert 100_000 <= second["bytes"] < 200_000
    assert study["state"] == "running"
    assert ambidex("runs", place) == 0
    assert "3 runs" in capsys.readouterr().out


def test_runs_are_deleted_after_a_yes_and_only_those_named(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", Answer("n\n"))
    assert ambidex("runs", place / "first", "--delete") == 1
    assert "nothing was deleted" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", Answer("y\n"))
    assert ambidex("runs", place / "first", "--delete") == 0
    assert ambidex("runs", place / "study", "--delete", "--yes") == 0
    assert sorted(path.name for path in place.iterdir()) == ["second"]


def test_a_run_in_progress_is_not_deleted_nor_what_is_named_with_it(place: Path) -> None:
    with locked(place / "study" / "gui"):
        words = ("runs", place / "first", place / "study", "--delete", "--yes")
        assert ambidex(*words) == 3
    assert (place / "first" / "run.json").is_file()


def test_what_is_not_a_run_is_not_deleted(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ambidex("runs", place, "--delete", "--yes") == 2
    assert "neither a run nor an experiment" in capsys.readouterr().err
    (place / "link").symlink_to(place / "first")
    assert ambidex("runs", place / "link", "--delete", "--yes") == 2
    assert ambidex("runs", place / "none") == 2
    assert ambidex("runs", "--delete") == 2
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert ambidex("runs", place / "first", "--delete") == 2
    assert "--yes" in capsys.readouterr().err
    assert (place / "first" / "run.json").is_file()
