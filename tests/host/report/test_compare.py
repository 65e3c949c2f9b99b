"""Two runs compared task by task."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ambidex.host import Agent, Briefing, Decision, Observation, Stop, ToolCall
from ambidex.host.errors import UsageError
from ambidex.host.report.pair.flips import compare_runs, first_difference
from ambidex.host.report.pair.page import write_comparison
from ambidex.tasks import Suite, Task
from tests.host.conftest import suite
from tests.host.report.test_report import Page
from tests.support.commands import ambidex
from tests.support.played import row, run_of
from tests.support.suites import config_of, run_in

__all__ = ["suite"]


class Sets:
    """Sets B2 and saves; the value is the only thing in which two such agents differ."""

    def __init__(self, value: int) -> None:
        self._calls: list[tuple[str, dict[str, object]]] = [
            ("calc_get_cell_value", {"cell": "A1"}),
            ("calc_set_cell_value", {"cell": "B2", "value": value}),
            ("calc_save", {}),
        ]

    def step(self, observation: Observation) -> Decision:
        if not self._calls:
            return Decision("It is done.", stop=Stop.DONE)
        name, arguments = self._calls.pop(0)
        return Decision(f"I call {name}.", (ToolCall(name, name, arguments),))


def played(folder: Path, suite: Suite, value: int) -> Path:
    def make_agent(name: str, task: Task, briefing: Briefing) -> Agent:
        return Sets(value)

    run_in(folder, suite, config_of(suite), make_agent=make_agent)
    return folder


@pytest.fixture
def two(tmp_path: Path, suite: Suite) -> tuple[Path, Path]:
    return played(tmp_path / "a", suite, 42), played(tmp_path / "b", suite, 41)


def test_a_flipped_task_is_shown_at_the_first_step_that_differs(two: tuple[Path, Path]) -> None:
    compared = compare_runs(*two)
    (flip,) = compared.flips
    assert (flip.task, flip.winner, flip.a, flip.b) == ("cell", "A", (1, 1), (0, 1))
    assert flip.difference is not None
    assert flip.difference.equal == 1
    assert flip.difference.a is not None
    assert flip.difference.b is not None
    assert (flip.difference.a.number, flip.difference.b.number) == (2, 2)
    assert "42" in flip.difference.a.did
    assert "41" in flip.difference.b.did
    assert compared.pair.comparison.tasks == 2
    assert (compared.pair.a.name, compared.pair.b.name) == ("a says_done", "b says_done"), (
        "told apart"
    )
    assert first_difference(flip.folder_a, flip.folder_a) is None


def test_an_episode_that_ended_early_has_no_step_there(tmp_path: Path, suite: Suite) -> None:
    a, b = played(tmp_path / "a", suite, 42), played(tmp_path / "b", suite, 42)
    lines = (b / "cell.1" / "trajectory.jsonl").read_text().splitlines(keepends=True)
    steps = [number for number, line in enumerate(lines) if json.loads(line)["kind"] == "step"]
    (b / "cell.1" / "trajectory.jsonl").write_text("".join(lines[: steps[2]]))
    difference = first_difference(a / "cell.1", b / "cell.1")
    assert difference is not None
    assert difference.equal == 2
    assert difference.a is not None
    assert difference.a.did.startswith("calc_save")
    assert difference.b is None


def test_the_command_prints_tables_json_and_a_page(
    two: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ambidex("compare", *two, "--html", tmp_path / "page.html") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "1 of 2 tasks differ: 1 in favour of A, 0 in favour of B. Accuracy: cannot tell" in shown
    page = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert [link for link in page.links if link.startswith(("a/", "b/"))] == [
        "a/cell.1/",
        "b/cell.1/",
    ]
    assert all(load.startswith("img data:image/webp") for load in page.loads)
    assert len(page.loads) == 2, "the screen of each before the step"
    assert ambidex("compare", *two, "--json") == 0
    compared = json.loads(capsys.readouterr().out)
    assert compared["flips"][0]["first_difference"]["equal"] == 1


def test_runs_without_trajectories_are_compared_by_their_rows(tmp_path: Path) -> None:
    a = run_of(
        tmp_path / "a", [row("x", beneficial=True, score=1), row("y", beneficial=True, score=1)]
    )
    b = run_of(
        tmp_path / "b", [row("x", beneficial=True, score=0), row("z", beneficial=True, score=1)]
    )
    compared = compare_runs(a, b)
    assert [(flip.task, flip.recorded) for flip in compared.flips] == [("x", False)]
    assert (compared.only_a, compared.only_b) == (("y",), ("z",))
    write_comparison(compared, tmp_path / "page.html")
    assert "trajectory is missing" in (tmp_path / "page.html").read_text()


def test_what_is_not_two_runs_of_one_suite_is_refused(tmp_path: Path) -> None:
    a = run_of(tmp_path / "e" / "a", [row("x", beneficial=True, score=1)])
    b = run_of(tmp_path / "e" / "b", [row("y", beneficial=True, score=1)])
    with pytest.raises(UsageError, match="no task in common"):
        compare_runs(a, b)
    with pytest.raises(UsageError, match="holds 2"):
        compare_runs(tmp_path / "e", b)
    assert ambidex("compare", a, b, "--html", tmp_path / "none" / "page.html") == 2
