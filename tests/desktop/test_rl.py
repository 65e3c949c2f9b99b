"""A task of the demo suite as an episode of a Gymnasium environment, on a real desktop."""

from __future__ import annotations

from contextlib import closing

import pytest

from ambidex.host import ROOT
from ambidex.host.integrations.rl import DONE, DesktopEnv
from ambidex.tasks.load import load_suite
from ambidex.vm import Machine, UnforkableError
from tests.support.served import ALL

TASK = "gnome-evening"


def test_the_oracles_calls_give_the_reward_1(machine: Machine) -> None:
    [task] = load_suite(ROOT / "tasks" / "demo", ALL, (TASK,)).tasks
    oracle = next(each for each in task.spec.oracle if each.by == "tools")
    with closing(DesktopEnv(machine, [task])) as env:
        seen, _ = env.reset(seed=1)
        assert seen in env.observation_space
        for call in oracle.calls:
            seen, reward, terminated, truncated, _ = env.step(env.action(call.call, **call.with_))
            assert (reward, terminated, truncated) == (0.0, False, False)
        with pytest.raises(UnforkableError), env.fork(1):
            pass
        _, reward, terminated, _, info = env.step(env.action(DONE))
        assert (reward, terminated, info["reason"]) == (1.0, True, "4 checks")
