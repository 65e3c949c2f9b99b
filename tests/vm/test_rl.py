"""Environments forked from one virtual machine in the middle of an episode."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from ambidex.host import ROOT
from ambidex.host.integrations.rl import DONE, DesktopEnv
from ambidex.tasks.load import load_suite
from ambidex.vm import Machine
from tests.support.served import ALL

TASK = "gnome-evening"


def test_a_group_of_environments_begins_in_the_state_of_one(machine: Machine) -> None:
    [task] = load_suite(ROOT / "tasks" / "demo", ALL, (TASK,)).tasks
    oracle = next(each for each in task.spec.oracle if each.by == "tools")
    with closing(DesktopEnv(machine, [task])) as env:
        first, *rest = [env.action(call.call, **call.with_) for call in oracle.calls]
        env.reset(seed=1)
        env.step(first)
        with env.fork(2) as (solved, ended):
            assert reward_of(solved, [*rest, solved.action(DONE)]) == 1.0
            assert reward_of(ended, [ended.action(DONE)]) == 0.0


def reward_of(env: DesktopEnv, actions: list[Any]) -> float:
    rewards = [env.step(action)[1] for action in actions]
    assert rewards[:-1] == [0.0] * (len(actions) - 1)
    return rewards[-1]
