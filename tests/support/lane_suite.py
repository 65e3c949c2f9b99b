"""What every lane must do, wherever it runs: `tests/host/runs/test_lanes.py` for this computer and
`tests/host/cluster` for other hosts.

The agents are named, so that another process finds them.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from ambidex.host import Briefing, Decision, Limits, Model, Observation, Stop, ToolCall
from ambidex.host.agents.oracle import Script
from ambidex.host.errors import GuestError
from ambidex.host.loop.episode import InterruptedEpisodeError
from ambidex.host.records.config import ModelConfig, RunConfig
from ambidex.host.records.jobs import Job
from ambidex.host.records.rows import Row
from ambidex.host.runs.lanes import LaneRequest, Lanes
from ambidex.host.runs.live_table import AttemptState
from ambidex.tasks import Suite
from ambidex.tasks.spec import ScriptedCall
from tests.support.suites import config_of

__all__ = ["CHECKS", "PLACE", "OpenedLanes", "lanes_of"]

OpenedLanes = Callable[[LaneRequest], AbstractContextManager[Lanes]]
PLACE = "tests.support.lane_suite"


class Bug:
    """An agent with a bug."""

    def __init__(self, briefing: Briefing) -> None:
        pass

    def step(self, observation: Observation) -> Decision:
        raise KeyError("oops")


class Breaks:
    """An agent that acts, and whose guest then fails."""

    def __init__(self, briefing: Briefing) -> None:
        self._acted = False

    def step(self, observation: Observation) -> Decision:
        if self._acted:
            raise GuestError("no answer")
        self._acted = True
        return Decision(calls=(ToolCall("a", "computer_click", {"x": 1, "y": 2}),))


class Endless:
    """An agent that acts until the run is interrupted."""

    def __init__(self, briefing: Briefing) -> None:
        self._step = 0

    def step(self, observation: Observation) -> Decision:
        self._step += 1
        call = ToolCall(f"nap-{self._step}", "files_nap", {"seconds": 0.05})
        return Decision(calls=(call,))


class Waits:
    """An agent that acts until its host has a file `go`."""

    def __init__(self, briefing: Briefing) -> None:
        self._step = 0

    def step(self, observation: Observation) -> Decision:
        self._step += 1
        go = Path(os.environ["AMBIDEX_CACHE"], "go").exists()
        call = ToolCall(f"nap-{self._step}", "files_nap", {"seconds": 0.05})
        return Decision(calls=(call,), stop=Stop.DONE if go else None)


class Meets(Script):
    """An agent that solves `cell`. Its host's file `here` says that it has begun, and it acts once
    the host has a file `go`."""

    def __init__(self, briefing: Briefing) -> None:
        given = {"cell": "B2", "value": 42}
        calls = (
            {"call": "calc_set_cell_value", "with": given},
            {"call": "calc_save"},
        )
        super().__init__([ScriptedCall.model_validate(call) for call in calls], Stop.DONE, None)

    def step(self, observation: Observation) -> Decision:
        cache = Path(os.environ["AMBIDEX_CACHE"])
        (cache / "here").touch()
        end = time.monotonic() + 300
        while not (cache / "go").exists():
            assert time.monotonic() < end, "nobody let it go"
            time.sleep(0.02)
        return super().step(observation)


def no_model(config: ModelConfig) -> Model:
    raise AssertionError("no model is asked here")


@contextmanager
def lanes_of(
    opened: OpenedLanes,
    folder: Path,
    suite: Suite,
    *agents: str,
    stop: threading.Event | None = None,
    make_model: Callable[[ModelConfig], Model] = no_model,
    **config: object,
) -> Iterator[Lanes]:
    """Lanes of a run in that directory."""
    folder.mkdir(parents=True, exist_ok=True)
    facts: RunConfig = config_of(suite, agents=agents, image="peer", provider="peers", **config)
    with opened(LaneRequest(facts, suite, folder, make_model, stop or threading.Event())) as lanes:
        yield lanes


def attempt(lanes: Lanes, job: Job, number: int = 1, unproved: int = 0) -> Row:
    lane = lanes.open(lambda: True)
    assert lane is not None
    try:
        return lane.attempt(job, number, unproved, lambda state: None)
    finally:
        lane.close()


def a_row_implies_its_whole_folder(opened: OpenedLanes, folder: Path, suite: Suite) -> None:
    with lanes_of(opened, folder, suite, "oracle:tools") as lanes:
        row = attempt(lanes, Job("cell", "oracle:tools", 1))
    assert (row.fate, row.score, row.steps, row.attempt) == ("scored", 1.0, 3, 1), row.failure
    trial = folder / row.folder
    assert json.loads((trial / "evidence" / "cells.json").read_text()) == {"A1": 1, "B2": 42}
    assert json.loads((trial / "score.json").read_text())["value"] == 1.0
    lines = [json.loads(line) for line in (trial / "trajectory.jsonl").read_text().splitlines()]
    assert [line["kind"] for line in lines][-2:] == ["step", "end"]
    frames = {path.name.partition(".")[0] for path in (trial / "frames").iterdir()}
    steps = [line for line in lines if line["kind"] == "step"]
    assert frames == {line[key] for line in steps for key in ("before", "after")} - {""}
    assert not (trial / "machine.json").exists(), "the screen's password"


def an_error_of_ours_is_a_row_and_the_lane_goes_on(
    opened: OpenedLanes, folder: Path, suite: Suite
) -> None:
    bug = f"{PLACE}:Bug"
    with lanes_of(opened, folder, suite, bug, "says_done") as lanes:
        lane = lanes.open(lambda: True)
        assert lane is not None
        first = lane.attempt(Job("cell", bug, 1), 1, 0, lambda state: None)
        second = lane.attempt(Job("cell", "says_done", 1), 1, 0, lambda state: None)
        lane.close()
    assert first.fate == "bug"
    assert first.failure
    assert "KeyError: 'oops'" in first.failure.traceback
    assert (second.fate, second.score) == ("scored", 0.0)


def the_second_void_that_an_agent_may_have_caused_scores_0(
    opened: OpenedLanes, folder: Path, suite: Suite
) -> None:
    agent = f"{PLACE}:Breaks"
    job = Job("cell", agent, 1)
    with lanes_of(opened, folder, suite, agent) as lanes:
        first = attempt(lanes, job)
        second = attempt(lanes, job, 2, unproved=1)
    assert (first.fate, first.acted, first.unproved) == ("void", 1, True)
    assert first.failure
    assert first.failure.message == "no answer"
    assert (second.fate, second.score, second.attempt) == ("scored", 0.0, 2)
    assert (folder / f"{second.folder}.earlier-1").is_dir(), "what the first attempt left"


def an_interrupt_ends_an_attempt_without_a_row(
    opened: OpenedLanes, folder: Path, suite: Suite
) -> None:
    agent, stop = f"{PLACE}:Endless", threading.Event()
    seen: list[AttemptState] = []
    with lanes_of(opened, folder, suite, agent, stop=stop, limits=Limits(steps=10_000)) as lanes:
        lane = lanes.open(lambda: True)
        assert lane is not None

        def interrupt() -> None:
            while not (seen and seen[0].steps >= 2):
                stop.wait(0.02)
            stop.set()

        watching = threading.Thread(target=interrupt)
        watching.start()
        with pytest.raises(InterruptedEpisodeError):
            lane.attempt(Job("cell", agent, 1), 1, 0, seen.append)
        watching.join()
        lane.close()
    assert seen[0].phase == "episode"


CHECKS = (
    a_row_implies_its_whole_folder,
    an_error_of_ours_is_a_row_and_the_lane_goes_on,
    the_second_void_that_an_agent_may_have_caused_scores_0,
    an_interrupt_ends_an_attempt_without_a_row,
)
