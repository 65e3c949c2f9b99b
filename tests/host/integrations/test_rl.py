"""Gymnasium environments on peers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from ambidex.host.errors import UsageError
from ambidex.host.integrations.desk import Desk, DeskOptions
from ambidex.host.integrations.rl import DesktopEnv, DesktopVectorEnv
from ambidex.tasks import Suite
from ambidex.tasks.load import load_suite
from tests.support.peer import CATALOGUE, PeerMachine
from tests.support.suites import CELL, suite, write_suite

__all__ = ["suite"]

TWO_CHECKS = CELL.replace(
    "check = [",
    """check = [
    { use = "output.json_fields_equal", with = { file = "cells.json", fields = { C3 = 7 } } },
    """,
)
NAME = "ambidex.host.integrations.rl:ambidex/Desktop-v0"
QUICK = DeskOptions(settle=0.0)


@pytest.fixture
def env(suite: Suite) -> Iterator[DesktopEnv]:
    with closing(PeerMachine()) as machine, closing(DesktopEnv(machine, suite.tasks, QUICK)) as env:
        yield env


def solve(env: Any) -> list[dict[str, Any]]:
    return [
        env.action("calc_set_cell_value", cell="B2", value=42),
        env.action("calc_save"),
        env.action("done"),
    ]


def play(env: DesktopEnv, actions: Sequence[Any]) -> tuple[Any, float, bool, bool, dict[str, Any]]:
    for action in actions[:-1]:
        _, reward, terminated, truncated, _ = env.step(action)
        assert (reward, terminated, truncated) == (0.0, False, False)
    return env.step(actions[-1])


def test_gymnasiums_checker_accepts_the_environment(suite: Suite) -> None:
    peers = "tests.support.peer_provider:PEERS"
    folder = write_suite(suite.folder.parent / "served", cell=SERVED)
    with closing(
        gymnasium.make(NAME, suite=folder, provider=peers, settle=0.0, render_mode="rgb_array")
    ) as env:
        check_env(env.unwrapped)


SERVED = """
instruction = "Do nothing."
tool_beneficial = false
setup = [{ put = "start.json", to = "~/start.json" }]
collect = [{ get = "~/start.json" }]
check = [{ use = "output.json_fields_equal", with = { file = "start.json", fields = { a = 1 } } }]

[[oracle]]
by = "gui"
calls = []
"""
"""A task that needs none of the tools that a peer does not have."""


def test_gymnasium_makes_a_vector_with_spares(tmp_path: Path) -> None:
    folder = write_suite(tmp_path / "served", cell=SERVED)
    peers = "tests.support.peer_provider:PEERS"
    vectors = gymnasium.make_vec(
        NAME, num_envs=2, spares=1, suite=folder, provider=peers, settle=0.0
    )
    with closing(vectors) as vector:
        seen, info = vector.reset(seed=3)
        assert seen in vector.observation_space
        assert list(info["instruction"]) == ["Do nothing.", "Do nothing."]


def test_an_episode_that_is_solved_gives_the_reward_1(env: DesktopEnv) -> None:
    seen, info = env.reset(options={"task": "cell"})
    assert info == {"task": "cell", "instance": 1, "instruction": "Set B2 to 42 and save."}
    assert seen in env.observation_space
    seen, reward, terminated, truncated, info = play(env, solve(env))
    assert (reward, terminated, truncated, info["stop"]) == (1.0, True, False, "done")


def test_results_of_a_call_are_observed_as_json(env: DesktopEnv) -> None:
    env.reset(options={"task": "cell"})
    seen, *_ = env.step(env.action("calc_get_cell_value", cell="A1"))
    assert json.loads(seen["results"]) == [{"text": "1"}]
    seen, *_ = env.step({"tool": 0, "arguments": "no JSON"})
    [result] = json.loads(seen["results"])
    assert result["error"] == "bad_arguments"


def test_the_limit_of_steps_truncates_and_what_was_reached_is_judged(suite: Suite) -> None:
    options = DeskOptions(settle=0.0, steps=2)
    with (
        closing(PeerMachine()) as machine,
        closing(DesktopEnv(machine, suite.tasks, options)) as env,
    ):
        env.reset(options={"task": "cell"})
        _, reward, terminated, truncated, _ = play(env, solve(env)[:2])
        assert (reward, terminated, truncated) == (1.0, False, True)


def test_an_infeasible_task_is_solved_by_saying_so(env: DesktopEnv) -> None:
    env.reset(options={"task": "impossible"})
    _, reward, terminated, *_ = env.step(env.action("infeasible"))
    assert (reward, terminated) == (1.0, True)


@pytest.mark.parametrize(("partial", "expected"), [(False, 0.0), (True, 0.5)])
def test_partial_reward_is_the_mean_of_the_checks(
    tmp_path: Path, partial: bool, expected: float
) -> None:
    tasks = load_suite(write_suite(tmp_path / "two", cell=TWO_CHECKS), CATALOGUE).tasks
    options = DeskOptions(settle=0.0, partial=partial)
    with closing(PeerMachine()) as machine, closing(DesktopEnv(machine, tasks, options)) as env:
        env.reset()
        _, reward, *_, info = play(env, solve(env))
        assert (reward, info["score"]) == (expected, 0.0)


def test_forks_continue_the_same_episode_independently(env: DesktopEnv) -> None:
    env.reset(options={"task": "cell"})
    first, *rest = solve(env)
    env.step(first)
    with env.fork(2) as (right, wrong):
        _, reward, *_ = play(right, rest)
        assert reward == 1.0
        _, reward, *_ = play(
            wrong, [wrong.action("calc_set_cell_value", cell="B2", value=0), *rest]
        )
        assert reward == 0.0
    _, reward, *_ = play(env, rest)
    assert reward == 1.0


def test_a_guest_that_fails_truncates_the_episode_as_void(suite: Suite) -> None:
    with closing(PeerMachine()) as machine, closing(DesktopEnv(machine, suite.tasks, QUICK)) as env:
        env.reset(options={"task": "cell"})
        machine.desktops[-1].lose_answers, machine.desktops[-1].forget = 1, True
        _, reward, terminated, truncated, info = env.step(env.action("calc_save"))
        assert (reward, terminated, truncated) == (0.0, False, True)
        assert "GuestError" in info["void"]


def test_unknown_names_are_refused(env: DesktopEnv) -> None:
    with pytest.raises(UsageError, match="no task 'none'"):
        env.reset(options={"task": "none"})
    with pytest.raises(UsageError, match="no tool 'none'"):
        env.action("none")
    with pytest.raises(UsageError, match="no episode"):
        env.step(env.action("done"))


def test_a_spare_takes_the_place_of_an_environment_whose_episode_has_ended(suite: Suite) -> None:
    machines = [PeerMachine() for _ in range(3)]
    envs = [DesktopEnv(machine, suite.tasks, QUICK) for machine in machines]
    with closing(DesktopVectorEnv(envs, 2, ["cell"])) as vector:
        seen, info = vector.reset(seed=1)
        assert seen in vector.observation_space
        assert list(info["task"]) == ["cell", "cell"]
        for number, action in enumerate(solve(vector)):
            other = solve(vector)[0]
            both: dict[str, Any] = {key: (action[key], other[key]) for key in action}
            both["tool"] = np.array(both["tool"])
            seen, rewards, terminated, *_, info = vector.step(both)
            assert list(terminated) == [number == 2, False]
        assert list(rewards) == [1.0, 0.0]
        seen, rewards, terminated, *_, info = vector.step(both)
        assert list(terminated) == [False, False]
        assert list(info["_task"]) == [True, False]  # only the first began another episode
        assert vector._used == [envs[2], envs[1]]


def test_a_desk_without_a_task_has_tools_and_no_verdict() -> None:
    with closing(PeerMachine()) as machine, Desk(machine, QUICK) as desk:
        assert desk.reset().screenshot
        with pytest.raises(UsageError):
            desk.finish()
