"""Which trials a run or an experiment lacks, and how a report says so."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from rich.console import Console

from ambidex.host.records.command import keep_command, this_command
from ambidex.host.records.config import adopt, read_config
from ambidex.host.records.experiment_plan import PlannedRun, keep_plan
from ambidex.host.records.rows import Row
from ambidex.host.report.completeness import gaps
from ambidex.host.report.findings import find
from ambidex.host.report.html_report import html_of
from ambidex.host.report.report_lines import lines, missing
from ambidex.host.report.text_report import as_json, tables
from tests.support.commands import ambidex
from tests.support.played import row, run_of


def scored(task: str, trial: int, **fields: object) -> Row:
    return row(task, beneficial=True, score=1, tool=1, trial=trial, **fields)  # type: ignore[arg-type]


def void(task: str, trial: int) -> Row:
    return row(task, beneficial=True, score=None, fate="void", trial=trial)


WHOLE = [scored(task, trial) for task in ("a", "b") for trial in (1, 2)]
PARTIAL = [scored("a", 1), scored("b", 1), void("a", 2)]


def test_void_and_unstarted_trials_are_missing(tmp_path: Path) -> None:
    run = run_of(tmp_path / "r", PARTIAL)
    assert missing(read_config(run), PARTIAL) == ("a.2", "b.2")
    again = [*PARTIAL, scored("a", 2, attempt=2), scored("b", 2, assisted=True)]
    assert missing(read_config(run), again) == ()


def test_branches_are_missing_by_branch_point(tmp_path: Path) -> None:
    fork = {
        "run": "parent",
        "branches": [{"trial": "a.1", "step": 2}, {"trial": "a.1", "step": 5}],
    }
    parent = {"run": "parent", "trial": "a.1", "step": 2}
    rows = [scored("a", 1, parent=parent)]
    run = run_of(tmp_path / "r", rows, fork=fork, runs=2)
    assert missing(read_config(run), rows) == (
        "a.1 step 2, branch 2",
        "a.1 step 5, branch 1",
        "a.1 step 5, branch 2",
    )


def experiment(folder: Path) -> Path:
    """An experiment of three runs: one complete, one partial, one that was not begun."""
    planned = PlannedRun(tasks=("a", "b"), runs=2)
    keep_plan(folder, {"whole": planned, "partial": planned, "later": planned})
    keep_command(folder, "ambidex experiment mine.toml")
    run_of(folder / "whole", WHOLE)
    keep_command(run_of(folder / "partial", PARTIAL), "ambidex experiment mine.toml")
    return folder


def test_a_complete_report_is_refused_with_the_gaps_and_the_command_that_fills_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = experiment(tmp_path / "e")
    page = tmp_path / "report.html"
    assert ambidex("report", folder, "--complete", "--html", page) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        f"{folder / 'partial'}: no scored row of a.2, b.2",
        "  ambidex experiment mine.toml",
        f"{folder / 'later'}: no scored row of a.1, b.1, a.2, b.2",
        "  ambidex experiment mine.toml",
    ]
    assert not page.exists()
    assert ambidex("report", folder / "whole", "--complete") == 0


def test_without_the_flag_gaps_are_marked(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "e")
    found = lines([folder])
    findings = find(found, empty=[gap.run for gap in gaps([folder]) if gap.empty])
    console = Console(width=300, file=io.StringIO(), record=True)
    console.print(tables(found, findings))
    for text in (console.export_text(), html_of(found, findings, tmp_path)):
        assert "partial a is incomplete: 2 of 4 planned trials have no score: a.2, b.2" in text
        assert f"{folder / 'later'} has no row yet" in text
        assert "whole a is incomplete" not in text
    assert [line["missing"] for line in as_json(found, findings)] == [("a.2", "b.2"), ()]


def test_an_experiment_of_which_nothing_was_begun_has_gaps_only(tmp_path: Path) -> None:
    keep_plan(tmp_path / "e", {"later": PlannedRun(tasks=("a",), runs=1)})
    assert lines([tmp_path / "e"]) == []
    assert [(gap.run.name, gap.missing) for gap in gaps([tmp_path / "e"])] == [("later", ("a.1",))]


def test_a_run_that_was_killed_before_its_first_row_has_gaps_only(tmp_path: Path) -> None:
    config = read_config(run_of(tmp_path / "other", WHOLE))
    adopt(tmp_path / "r", config)
    assert lines([tmp_path / "r"]) == []
    (gap,) = gaps([tmp_path / "r"])
    assert (gap.empty, len(gap.missing)) == (True, 4)


def test_the_command_is_kept_for_a_shell_and_names_its_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of(tmp_path / "my run", PARTIAL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["/bin/ambidex", "run", "tasks/demo"])
    keep_command(run, this_command("--out", "my run"))
    assert ambidex("report", run, "--complete") == 3
    assert "  ambidex run tasks/demo --out 'my run'\n" in capsys.readouterr().err
    monkeypatch.chdir("/")
    assert ambidex("report", run, "--complete") == 3
    assert f"  cd {tmp_path} && ambidex run" in capsys.readouterr().err
