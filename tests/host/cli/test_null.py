"""`ambidex null` and reports without the tasks that null agents solve, on machines that are
peers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ambidex.host import Stop
from ambidex.host.cli.trust import null as null_command
from ambidex.host.errors import UsageError
from ambidex.host.records.rows import read_rows
from ambidex.host.report.report_lines import lines
from ambidex.host.report.text_report import measures
from ambidex.host.runs.null import read_null_run
from ambidex.tasks import Suite
from tests.support.commands import ambidex
from tests.support.osworld import ID, task, write
from tests.support.peer import CATALOGUE
from tests.support.played import row, run_of
from tests.support.suites import CELL, IMPOSSIBLE, config_of, run_in, write_suite
from tests.support.suites import suite as suite

PEERS = ("--provider", "tests.support.peer_provider:PEERS", "--settle", "0")
GIVEN_AWAY = CELL.replace("B2 = 42", "A1 = 1").replace(
    "setup = [", 'setup = [\n    { put = "cells.json", to = "~/cells.json" },'
)
"""A task whose check holds before anything was done."""


@pytest.fixture(autouse=True)
def _peer_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(null_command, "read_catalogue", lambda: CATALOGUE)


def given_away(folder: Path) -> Path:
    write_suite(folder, cell=CELL, easy=GIVEN_AWAY, impossible=IMPOSSIBLE)
    (folder / "easy" / "cells.json").write_text('{"A1": 1}', encoding="utf-8")
    return folder


def test_nothing_is_solved_but_infeasible_tasks_by_calling_them_so(
    suite: Suite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("null", suite.folder, "--out", tmp_path / "null", "--steps", "3", *PEERS)
    assert ambidex(*words) == 0
    printed = capsys.readouterr().out
    assert "says_infeasible solved 1 of 1 infeasible tasks (impossible)" in printed
    assert "solved by doing nothing: 0 of 2 tasks" in printed
    assert "* means that no tool was on offer" in printed
    rows = read_rows(tmp_path / "null")
    solved = {(one.task, one.agent) for one in rows if one.success}
    assert solved == {("impossible", "says_infeasible")}
    assert {one.stop for one in rows if one.agent == "idle"} == {Stop.STEP_LIMIT}
    assert ambidex(*words, "--json") == 0, "again: nothing is run"
    said = json.loads(capsys.readouterr().out)
    assert said["rightly_called_infeasible"] == ["impossible"]
    assert said["scores"]["cell"]["tamperer"][0]["score"] == 0
    assert len(read_rows(tmp_path / "null")) == len(rows) == 16


def test_a_task_that_is_solved_by_doing_nothing_is_named_and_exit_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = given_away(tmp_path / "suite"), tmp_path / "null"
    agents = ("--agents", "says_done", "says_infeasible")
    assert ambidex("null", folder, "--out", out, *agents, *PEERS) == 1
    printed = capsys.readouterr().out
    assert "solved by doing nothing: 1 of 3 tasks" in printed
    assert "easy: says_done" in printed
    assert read_null_run(out).solvable == {"easy": ("says_done",)}


def test_osworld_s_lists_select_tasks_and_what_stays_void_has_no_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checkout = write(tmp_path / "checkout", task())
    write(checkout, task(id="9999ffff-0000-4000-8000-000000000000"))
    chosen = tmp_path / "list.json"
    chosen.write_text(json.dumps({"os": [ID]}))
    agents = ("--agents", "says_done", "says_infeasible")
    words = ("null", checkout, "--list", chosen, "--out", tmp_path / "null", *agents, *PEERS)
    assert ambidex(*words) == 3, "a peer cannot set the clock, as OSWorld's tasks need it"
    printed = capsys.readouterr().out
    assert "os-0123abcd" in printed
    assert "9999ffff" not in printed
    assert "solved by doing nothing: 0 of 0 tasks that all agents tried" in printed
    assert "– means no score" in printed
    assert {one.task for one in read_rows(tmp_path / "null")} == {"os-0123abcd"}


def test_other_agents_are_refused(suite: Suite, capsys: pytest.CaptureFixture[str]) -> None:
    assert ambidex("null", suite.folder, "--agents", "oracle", *PEERS) == 2
    assert "not a null agent: oracle" in capsys.readouterr().err
    assert ambidex("null", suite.folder, "--agents", "tamperer:joker", *PEERS) == 2
    assert "unknown attack: 'joker'" in capsys.readouterr().err


def null_run(folder: Path, *solved: str, strict: float | None = None) -> Path:
    """A run of `says_done` and `says_infeasible` over the tasks a, b and c (infeasible)."""
    tasks = {"a": True, "b": True, "c": False}
    return run_of(
        folder,
        [
            row(
                task,
                beneficial=True,
                score=float(f"{agent} {task}" in solved),
                strict=strict,
                feasible=feasible,
                agent=agent,
            )
            for task, feasible in tasks.items()
            for agent in ("says_done", "says_infeasible")
        ],
    )


def test_a_report_leaves_out_what_a_null_agent_solved_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    null = null_run(tmp_path / "null", "says_done b", "says_infeasible c")
    run = run_of(
        tmp_path / "run", [row(task, beneficial=True, score=1.0, agent="m") for task in "abc"]
    )
    (line,) = lines([run], without=read_null_run(null))
    assert (line.excluded, line.tasks, line.planned) == (("b",), ("a", "c"), 2)
    assert (line.summary.groups[-1].n, line.missing) == (2, ())
    assert measures(line)["left out: tasks that a null agent solved"] == "1"
    assert line.config.hash == lines([run])[0].config.hash, "it is the same run"
    assert ambidex("report", run, "--exclude-null-solvable", null) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "tasks left out because a null agent solved them (1): b." in said
    assert ambidex("report", run, "--exclude-null-solvable", null, "--json") == 0
    assert json.loads(capsys.readouterr().out)[0]["excluded"] == ["b"]
    page = tmp_path / "report.html"
    assert ambidex("report", run, "--exclude-null-solvable", null, "--html", page) == 0
    assert "tasks left out because a null agent solved them (1): b." in page.read_text("utf-8")
    capsys.readouterr()
    assert ambidex("report", run) == 0
    assert "left out because" not in capsys.readouterr().out


def test_a_task_solved_by_the_strict_verdict_only_counts_too(tmp_path: Path) -> None:
    null = read_null_run(null_run(tmp_path / "null", strict=1.0))
    assert null.solvable == {
        "a": ("says_done", "says_infeasible"),
        "b": ("says_done", "says_infeasible"),
        "c": ("says_done",),
    }


def test_partial_points_are_named_and_do_not_count_as_solved(tmp_path: Path) -> None:
    rows = [row("a", beneficial=True, score=0.5, agent="idle")]
    null = read_null_run(run_of(tmp_path / "null", rows))
    assert (null.solvable, null.rewarded) == ({}, {"a": ("idle",)})
    assert "  a: idle" in null_command.sentences(null)


def test_a_null_run_that_says_nothing_about_a_task_is_refused(tmp_path: Path) -> None:
    null = read_null_run(null_run(tmp_path / "null"))
    more = run_of(tmp_path / "more", [row("d", beneficial=True, score=1.0)])
    with pytest.raises(UsageError, match="have no score for d"):
        lines([more], without=null)
    changed = run_of(
        tmp_path / "changed",
        [row("a", beneficial=True, score=1.0, task_hash="new")],
        tasks={"a": "new"},
    )
    with pytest.raises(UsageError, match="another version of a"):
        lines([changed], without=null)


def test_a_run_of_other_agents_is_no_null_run(suite: Suite, tmp_path: Path) -> None:
    run_in(tmp_path / "run", suite, config_of(suite, agents=("says_done", "oracle:gui")))
    with pytest.raises(UsageError, match=r"not a run of null agents: .* has oracle:gui"):
        read_null_run(tmp_path / "run")
