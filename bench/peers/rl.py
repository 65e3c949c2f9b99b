"""Environment steps and resets per second, on several machines at a time."""

from __future__ import annotations

import os
import platform
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from ambidex.host import ROOT
from ambidex.host.integrations.rl import DesktopVectorEnv, open_vector_env

__all__ = ["rl"]

TASK = "gnome-evening"
ACTION = "computer_move"
LONG = 1_000_000


def rl(
    *,
    providers: tuple[str, ...] = ("sandbox", "libvirt"),
    machines: tuple[int, ...] = (1, 2, 4, 8),
    steps: int = 50,
    resets: int = 5,
    suite: Path = ROOT / "tasks" / "demo",
) -> None:
    """Measure, and print a line for each number of machines. Each of the machines takes `steps`
    steps, which move the pointer and wait for a still screen, and `resets` times begins the task
    anew; there are no spares."""
    console = Console(width=100)
    console.print(f"{os.cpu_count()} processors, {platform.machine()}")
    for provider in providers:
        for count in machines:
            env = open_vector_env(
                suite,
                num_envs=count,
                spares=0,
                tasks=[TASK],
                provider=provider,
                steps=LONG,
            )
            with closing(env):
                speeds = _resets_per_second(env, resets), _steps_per_second(env, steps)
            console.print(
                f"{provider}, {count} machines: {speeds[1]:.2f} steps/s, {speeds[0]:.2f} resets/s"
            )


def _resets_per_second(env: DesktopVectorEnv, resets: int) -> float:
    env.reset(seed=0)
    began = time.monotonic()
    for number in range(resets):
        env.reset(seed=number)
    return resets * env.num_envs / (time.monotonic() - began)


def _steps_per_second(env: DesktopVectorEnv, steps: int) -> float:
    began = time.monotonic()
    for number in range(steps):
        env.step(_batched(env, env.action(ACTION, x=100 + number, y=100)))
    return steps * env.num_envs / (time.monotonic() - began)


def _batched(env: DesktopVectorEnv, action: dict[str, Any]) -> dict[str, Any]:
    """The same action in every environment."""
    return {
        "tool": np.full(env.num_envs, action["tool"]),
        "arguments": (action["arguments"],) * env.num_envs,
    }
