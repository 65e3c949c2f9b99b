"""A void must be proved: an agent that breaks its machine scores 0."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ambidex.host import Agent, Briefing, Decision, Observation, ToolCall
from ambidex.host.errors import GuestError, ModelError, StoppedError
from ambidex.host.records.rows import Row
from ambidex.host.report.metrics import summarize
from ambidex.host.report.report_lines import lines
from ambidex.tasks import Suite, Task
from tests.support.played import row
from tests.support.suites import config_of, run_in
from tests.support.suites import suite as suite

Failing = Callable[[], Exception]


class Breaker:
    """Acts once, after which the machine, the guest or the model fails."""

    def __init__(self, error: Exception, acts: bool = True) -> None:
        self._error = error
        self._acts = acts

    def step(self, observation: Observation) -> Decision:
        if not self._acts:
            raise self._error
        self._acts = False
        return Decision(calls=(ToolCall("x", "computer_click", {"x": 1, "y": 1}),))


def rows_of(
    run: Path, suite: Suite, error: Exception, *, acts: bool = True, task: str = "cell"
) -> list[Row]:
    def make(name: str, each: Task, briefing: Briefing) -> Agent:
        return Breaker(error, acts)

    rows = run_in(run, suite, config_of(suite), make_agent=make)
    return [row for row in rows if row.task == task]


def test_a_guest_that_fails_twice_after_the_agent_acted_is_a_score_of_0(
    tmp_path: Path, suite: Suite
) -> None:
    first, second = rows_of(tmp_path, suite, GuestError("it did not answer"))
    assert (first.fate, first.ended_by, first.phase, first.acted) == ("void", "guest", "episode", 1)
    assert first.unproved
    assert (second.fate, second.score, second.stop, second.steps) == ("scored", 0.0, None, 1)
    assert second.forfeit == "GuestError during episode: it did not answer"
    assert "failed twice after the agent had acted" in second.reason


def test_a_guest_that_fails_before_the_agent_acted_stays_void(tmp_path: Path, suite: Suite) -> None:
    rows = rows_of(tmp_path, suite, GuestError("it did not answer"), acts=False)
    assert [(row.fate, row.acted, row.unproved) for row in rows] == [("void", 0, False)] * 3


def test_the_second_failure_counts_after_a_resume_too(tmp_path: Path, suite: Suite) -> None:
    def once(name: str, task: Task, briefing: Briefing) -> Agent:
        return Breaker(GuestError("gone") if task.name == "cell" else KeyError("ours"))

    rows_of(tmp_path, suite, StoppedError("a person ended it"))
    rows = run_in(tmp_path, suite, config_of(suite), make_agent=once)
    cell = [row for row in rows if row.task == "cell"]
    assert [row.fate for row in cell] == ["void"] * 4 + ["scored"]
    again = run_in(tmp_path, suite, config_of(suite), make_agent=once)
    assert sum(row.task == "cell" for row in again) == len(cell), "a forfeit is final"


@pytest.mark.parametrize(
    "error",
    [StoppedError("a person ended it"), ModelError("no answer after 6 tries: 503")],
    ids=["person", "endpoint"],
)
def test_a_failure_no_agent_can_cause_stays_void_however_late(
    tmp_path: Path, suite: Suite, error: Exception
) -> None:
    rows = rows_of(tmp_path, suite, error)
    assert {(row.fate, row.acted) for row in rows} == {("void", 1)}
    assert all(row.failure and row.failure.proved for row in rows)


def test_a_request_refused_by_the_vendor_counts_against_the_agent(
    tmp_path: Path, suite: Suite
) -> None:
    error = ModelError("400: maximum context length is 200000 tokens", refused=True)
    fates = [row.fate for row in rows_of(tmp_path, suite, error)]
    assert fates == ["void", "scored"]


def test_fifteen_lost_trials_of_twenty_are_in_the_headline() -> None:
    solved = [row(beneficial=True, trial=number, score=1.0) for number in range(1, 6)]
    lost = [row(beneficial=True, trial=number, fate="void", score=None) for number in range(6, 21)]
    summary = summarize([*solved, *lost])
    everything = summary.groups[-1]
    assert (everything.n, everything.accuracy) == (5, 1.0)
    assert (everything.lost, everything.worst) == (15, 0.25)
    assert (summary.lost, summary.publishable) == (0.75, False)
    assert summarize(solved).publishable


def test_a_report_says_that_lost_trials_make_it_unpublishable(tmp_path: Path, suite: Suite) -> None:
    run = tmp_path / "run"
    rows_of(run, suite, GuestError("gone"), acts=False)
    (line,) = lines([run])
    assert "is not publishable: 2 of 2 trials have no score" in line.warning
