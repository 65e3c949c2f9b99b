"""Episodes in a guest without a desktop: no frames, from the first observation to the row."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from ambidex.host import Agent, Briefing, Decision, Observation, Stop, ToolCall
from ambidex.host.records.recorded_steps import load_step
from ambidex.host.records.trajectory import read_trajectory
from ambidex.tasks import Suite, Task
from tests.support.peer import PeerMachine
from tests.support.suites import config_of, run_in

headless = partial(PeerMachine, screen=False)


class Saves:
    """Sets a cell and saves, one call a step; keeps what it was shown."""

    def __init__(self) -> None:
        self.seen: list[Observation] = []

    def step(self, observation: Observation) -> Decision:
        self.seen.append(observation)
        number = len(self.seen)
        arguments = {"cell": "B2", "value": 42}
        calls = {1: ("calc_set_cell_value", arguments), 2: ("calc_save", {})}
        if number not in calls:
            return Decision(stop=Stop.DONE)
        return Decision(calls=(ToolCall(f"{id(self)}-{number}", *calls[number]),))


def test_an_episode_without_frames_is_recorded_read_and_scored(
    screenless: Suite, tmp_path: Path
) -> None:
    agent, machines = Saves(), list[PeerMachine]()

    def make_agent(name: str, task: Task, briefing: Briefing) -> Agent:
        return agent

    def make_machine() -> PeerMachine:
        machines.append(headless())
        return machines[-1]

    run = tmp_path / "run"
    [row] = run_in(run, screenless, config_of(screenless), make_machine, make_agent)
    assert (row.fate, row.score, row.screen, row.unsettled) == ("scored", 1.0, None, 0)
    assert [seen.screenshot for seen in agent.seen] == [None, None, None]
    assert "computer_click" not in {tool.name for tool in agent.seen[0].tools}
    assert [seen.results[0].text for seen in agent.seen[1:]] == ["B2 = 42", "saved"]
    assert machines[0].desktops[0].sent == []
    trial = run / row.folder
    lines = [line for line in read_trajectory(trial) if line["kind"] == "step"]
    steps = [load_step(trial, line) for line in lines]
    assert [(step.before, step.after, step.still) for step in steps] == [("", "", True)] * 3
    assert [step.decision.calls[0].name for step in steps[:2]] == [
        "calc_set_cell_value",
        "calc_save",
    ]
    assert list((trial / "frames").iterdir()) == []


def test_the_condition_gui_is_refused_before_the_first_step_and_not_tried_again(
    screenless: Suite, tmp_path: Path
) -> None:
    agent = Saves()
    config = config_of(screenless, condition="gui")
    [row] = run_in(
        tmp_path / "run", screenless, config, headless, lambda name, task, briefing: agent
    )
    assert row.fate == "void"
    assert row.failure is not None
    assert row.failure.type == "NoDesktopError"
    assert "no desktop" in row.failure.message
    assert agent.seen == []
