"""Progress of a run on the terminal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.console import Console

from ambidex.host import Limits, Stop
from ambidex.host.records.causes import cause_of
from ambidex.host.records.jobs import Job
from ambidex.host.records.rows import Failure, Phase
from ambidex.host.report.report_lines import lines
from ambidex.host.report.trial_tables import outcome_table
from ambidex.host.runs.live_table import LiveTable, duration
from ambidex.host.runs.progress_lines import ProgressDisplay
from ambidex.tasks import Suite
from tests.support.played import row, run_of
from tests.support.suites import config_of, run_in


@dataclass
class State:
    phase: Phase = "revert"
    steps: int = 0


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def picture(table: LiveTable, height: int = 20) -> list[str]:
    console = Console(width=100, height=height)
    with console.capture() as shown:
        console.print(table.picture(height))
    return shown.get().splitlines()


def test_a_line_per_machine_says_what_it_does() -> None:
    table = LiveTable("demo hybrid", 4, 15, Clock())
    assert "starting" in picture(table)[0]
    table.start([], 4)
    table.open_machine("machine-1")
    state = State()
    seen = []
    for trial in (1, 2):
        state.phase, state.steps = "revert", 0
        table.start_attempt("machine-1", Job("sum", "oracle", trial), 1, state)
        for state.phase, state.steps in (
            ("revert", 0),
            ("setup", 0),
            ("episode", 3),
            ("judge", 4),
        ):
            seen.append(" ".join(picture(table)[1].split()))
    assert seen == [
        "machine 1 sum #1 booting 0:00",
        "machine 1 sum #1 setting up 0:00",
        "machine 1 sum #1 step 4 of 15 0:00",
        "machine 1 sum #1 judging 0:00",
        "machine 1 sum #2 reverting 0:00",
        "machine 1 sum #2 setting up 0:00",
        "machine 1 sum #2 step 4 of 15 0:00",
        "machine 1 sum #2 judging 0:00",
    ]
    table.close_machine("machine-1")
    assert len(picture(table)) == 1


def test_the_totals_count_trials_cost_and_the_time_left() -> None:
    clock = Clock()
    table = LiveTable("demo", 4, 15, clock)
    earlier = row("a", beneficial=True, score=1, cost=0.25)
    table.start([earlier], 3)
    assert table.totals() == "1 of 4, 1 solved, $0.25"
    clock.now = 30.0
    table.end_attempt(row("b", beneficial=True, score=None, fate="void"), 3)
    assert table.totals() == "1 of 4, 1 solved, 1 void, $0.25", "a void attempt runs again"
    clock.now = 60.0
    table.end_attempt(row("b", beneficial=True, score=0, cost=0.5), 2)
    assert table.totals() == "2 of 4, 1 solved, 1 failed, 1 void, $0.75, about 2:00 left"
    table.end_attempt(row("c", beneficial=True, score=1, cost=None), 1)
    assert "cost unknown" in table.totals()


def test_more_machines_than_lines_are_counted() -> None:
    table = LiveTable("demo", 40, 15)
    for number in range(1, 31):
        table.open_machine(f"machine-{number}")
    shown = picture(table, height=14)
    assert len(shown) == 12
    assert "machine 10" in shown[-2]
    assert "and 20 more" in shown[-1]
    assert (duration(7), duration(750.9), duration(11045)) == ("0:07", "12:30", "3:04:05")


def test_a_cause_says_how_the_episode_ended_before_what_the_check_found() -> None:
    limits = Limits(steps=15, malformed=3)
    failed = row(beneficial=True, score=0, reason="0 rows stay, not 1", steps=3)
    cases = {
        Stop.PARSE_LIMIT: "3 unreadable answers in a row (0 rows stay, not 1)",
        Stop.STEP_LIMIT: "not finished after 3 steps (0 rows stay, not 1)",
        Stop.TIME_LIMIT: "not finished after 3600 s (0 rows stay, not 1)",
        Stop.INFEASIBLE: "called a feasible task infeasible (0 rows stay, not 1)",
        Stop.DONE: "0 rows stay, not 1",
    }
    for stop, cause in cases.items():
        assert cause_of(failed.model_copy(update={"stop": stop}), limits) == cause
    solved = failed.model_copy(update={"score": 1.0, "stop": Stop.STEP_LIMIT})
    assert cause_of(solved, limits) == "0 rows stay, not 1"


def test_a_run_tells_its_watcher_and_a_pipe_gets_plain_lines(
    tmp_path: Path, suite: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    with ProgressDisplay(2, "suite hybrid", Limits()) as display:
        run_in(tmp_path / "run", suite, config_of(suite, agents=("oracle",)), watcher=display)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(" #")[0] for line in lines] == [
        "solved cell oracle",
        "solved impossible oracle",
    ]


def test_a_proof_speaks_of_scores(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressDisplay(2, "suite", Limits(), proof=True) as display:
        display.attempt_ended(row("cell", beneficial=True, score=0, agent="noop"), 1)
    assert capsys.readouterr().err.startswith("score 0 cell noop")
    table = LiveTable("suite", 2, 15, proof=True)
    table.start([row("cell", beneficial=True, score=0)], 1)
    assert table.totals() == "1 of 2"


def test_the_table_at_the_end_has_failures_first_and_the_rest_on_request(tmp_path: Path) -> None:
    failure = Failure(type="GuestError", message="the guest did not answer")
    rows = [
        row("a", beneficial=True, score=1),
        row("b", beneficial=True, score=0, stop=Stop.PARSE_LIMIT, reason="no file"),
        row("c", beneficial=True, score=None, fate="void", failure=failure.model_dump()),
    ]
    found = lines([run_of(tmp_path / "run", rows)])
    console = Console(width=120)

    def shown(everything: bool) -> list[str]:
        with console.capture() as text:
            console.print(outcome_table(found, everything=everything))
        return [line for line in text.get().splitlines() if line.startswith("│")]

    void, failed = shown(everything=False)
    assert "the guest did not answer" in void
    assert "3 unreadable answers in a row (no file)" in failed
    assert len(shown(everything=True)) == 3
    solved = lines([run_of(tmp_path / "solved", rows[:1])])
    assert outcome_table(solved, everything=False) is None
