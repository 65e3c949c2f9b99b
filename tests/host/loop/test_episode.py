"""The loop and its limits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ambidex.host import Decision, Exchange, Limits, Observation, Stop, ToolCall, Usage
from ambidex.host.client.guest import Guest
from ambidex.host.loop.episode import run_episode
from ambidex.host.loop.progress import Episode
from ambidex.host.records.config import offered
from ambidex.host.records.trajectory import Trajectory, read_trajectory
from tests.support.peer import ALIAS, CATALOGUE, Desktop

DEAR = Exchange("toy", {}, Usage(1, 1, cost=0.4), 0.1)


class Scripted:
    """Gives these decisions, then the last one for ever."""

    def __init__(self, *decisions: Decision) -> None:
        self._decisions = list(decisions)
        self.seen: list[Observation] = []

    def step(self, observation: Observation) -> Decision:
        self.seen.append(observation)
        return self._decisions.pop(0) if len(self._decisions) > 1 else self._decisions[0]


def click(x: int = 1, y: int = 1) -> ToolCall:
    click.count += 1  # type: ignore[attr-defined]
    return ToolCall(f"click-{click.count}", "computer_click", {"x": x, "y": y})  # type: ignore[attr-defined]


click.count = 0  # type: ignore[attr-defined]


def play(
    agent: Scripted, guest: Guest, folder: Path, condition: str = "hybrid", **limits: float
) -> Episode:
    tools = offered(tuple(CATALOGUE.values()), condition)  # type: ignore[arg-type]
    with Trajectory(folder) as trajectory:
        return run_episode(agent, guest, tools, Limits(**limits), trajectory)  # type: ignore[arg-type]


def test_an_agent_sees_the_results_of_its_calls_and_the_new_screen(
    guest: Guest, tmp_path: Path
) -> None:
    agent = Scripted(Decision(calls=(click(5, 6),)), Decision(stop=Stop.DONE, answer="42"))
    episode = play(agent, guest, tmp_path)
    assert (episode.stop, episode.steps, episode.answer) == (Stop.DONE, 2, "42")
    assert [result.text for result in agent.seen[1].results] == ["clicked"]
    assert agent.seen[0].screenshot != agent.seen[1].screenshot


def test_calls_of_the_last_decision_are_carried_out(
    guest: Guest, running: tuple[str, Desktop], tmp_path: Path
) -> None:
    running[1].clicks.clear()
    episode = play(Scripted(Decision(calls=(click(7, 7),), stop=Stop.DONE)), guest, tmp_path)
    assert running[1].clicks == [(7, 7)]
    assert (episode.steps, len(episode.calls)) == (1, 1)


def test_a_tool_that_is_not_offered_never_reaches_the_guest(
    guest: Guest, running: tuple[str, Desktop], tmp_path: Path
) -> None:
    running[1].done.clear()
    call = ToolCall("save", "calc_save", {})
    agent = Scripted(Decision(calls=(call,)), Decision(stop=Stop.DONE))
    episode = play(agent, guest, tmp_path, condition="gui")
    assert agent.seen[1].results[0].error == "unknown_tool"
    assert agent.seen[1].results[0].text == (
        "There is no tool 'calc_save' here. The nearest are computer_click."
    )
    assert running[1].done == []
    assert [(called.app, called.error) for called in episode.calls] == [("", "unknown_tool")]


def test_a_call_by_an_alias_is_sent_recorded_and_counted_under_our_name(
    guest: Guest, running: tuple[str, Desktop], tmp_path: Path
) -> None:
    running[1].done.clear()
    call = ToolCall("alias", ALIAS, {"cell": "C3", "value": 3})
    agent = Scripted(Decision(calls=(call,)), Decision(stop=Stop.DONE))
    episode = play(agent, guest, tmp_path)
    assert running[1].done == ["calc_set_cell_value"]
    assert agent.seen[1].results[0].call == "alias"
    assert [(called.tool, called.app, called.error) for called in episode.calls] == [
        ("calc_set_cell_value", "calc", "")
    ]
    recorded = [line for line in read_trajectory(tmp_path) if line["kind"] == "step"]
    assert recorded[0]["decision"]["calls"][0]["name"] == "calc_set_cell_value"
    assert recorded[0]["apps"] == ["calc"]


def test_an_alias_of_a_tool_that_is_not_offered_is_refused_as_it_was_said(
    guest: Guest, running: tuple[str, Desktop], tmp_path: Path
) -> None:
    running[1].done.clear()
    call = ToolCall("alias-2", ALIAS, {"cell": "C3", "value": 3})
    agent = Scripted(Decision(calls=(call,)), Decision(stop=Stop.DONE))
    episode = play(agent, guest, tmp_path, condition="gui")
    assert agent.seen[1].results[0].error == "unknown_tool"
    assert running[1].done == []
    assert [(called.tool, called.app) for called in episode.calls] == [(ALIAS, "")]


@pytest.mark.parametrize(
    ("decision", "limits", "stop", "steps"),
    [
        (Decision(), {"steps": 3}, Stop.STEP_LIMIT, 3),
        (Decision(), {"seconds": 0.0}, Stop.TIME_LIMIT, 1),
        (
            Decision(exchanges=(Exchange("toy", {}, Usage(1, 1, cost=0.4), 0.1),)),
            {"cost": 1.0},
            Stop.COST_LIMIT,
            3,
        ),
        (Decision(malformed="no call"), {"malformed": 2}, Stop.PARSE_LIMIT, 2),
        (Decision(malformed="no call"), {"malformed": 9, "steps": 2}, Stop.STEP_LIMIT, 2),
    ],
)
def test_each_limit_ends_the_episode_by_its_own_name(
    guest: Guest,
    tmp_path: Path,
    decision: Decision,
    limits: dict[str, Any],
    stop: Stop,
    steps: int,
) -> None:
    episode = play(Scripted(decision), guest, tmp_path, **limits)
    assert (episode.stop, episode.steps) == (stop, steps)


def test_malformed_answers_count_only_in_a_row(guest: Guest, tmp_path: Path) -> None:
    bad, good = Decision(malformed="no call"), Decision()
    agent = Scripted(bad, good, bad, good, Decision(stop=Stop.DONE))
    episode = play(agent, guest, tmp_path, malformed=2)
    assert (episode.stop, episode.malformed) == (Stop.DONE, 2)


def test_the_last_step_of_a_limit_may_still_end_the_task(guest: Guest, tmp_path: Path) -> None:
    agent = Scripted(Decision(), Decision(stop=Stop.DONE))
    assert play(agent, guest, tmp_path, steps=2).stop is Stop.DONE


def test_waiting_for_the_screen_is_not_counted_as_the_guest_s_time(
    guest: Guest, running: tuple[str, Desktop], tmp_path: Path
) -> None:
    running[1].waits = 5.0
    agent = Scripted(Decision(calls=(click(),)), Decision(stop=Stop.DONE))
    seconds = play(agent, guest, tmp_path).seconds
    running[1].waits = 0.0
    assert seconds.settle == 10.0, "before the first step, and after it"
    assert seconds.guest < 0.0, "the peer only claims to have waited"


def test_every_step_is_on_disk_before_the_next_begins(guest: Guest, tmp_path: Path) -> None:
    class Reads:
        lines: list[int]

        def __init__(self) -> None:
            self.lines = []

        def step(self, observation: Observation) -> Decision:
            self.lines.append(len(list(read_trajectory(tmp_path))))
            return Decision(stop=Stop.DONE if len(self.lines) == 3 else None)

    agent = Reads()
    with Trajectory(tmp_path) as trajectory:
        run_episode(agent, guest, {}, Limits(), trajectory)
    assert agent.lines == [0, 2, 3], "the first has a line for what was on offer"


def test_half_a_surrogate_pair_in_a_model_s_words_is_recorded(guest: Guest, tmp_path: Path) -> None:
    play(Scripted(Decision(thought="a\ud83d b", stop=Stop.DONE)), guest, tmp_path)
    step = next(line for line in read_trajectory(tmp_path) if line["kind"] == "step")
    assert step["decision"]["thought"] == "a\ud83d b"


def test_equal_frames_are_stored_once(guest: Guest, tmp_path: Path) -> None:
    play(Scripted(Decision()), guest, tmp_path, steps=4)
    assert len(list((tmp_path / "frames").iterdir())) == 1
