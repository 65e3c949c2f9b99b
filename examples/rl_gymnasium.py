"""A scripted policy on a desktop as a Gymnasium environment.

pip install 'ambidex[rl]'
python -m examples.rl_gymnasium            50 episodes
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import gymnasium

from ambidex.host.integrations.rl import DesktopEnv

NAME = "ambidex.host.integrations.rl:ambidex/Desktop-v0"


def policy(env: DesktopEnv) -> Iterator[Any]:
    """Three calls that solve the task gnome-evening, and its end."""
    yield env.action("gnome_set_dark_style", enable=True)
    yield env.action("os_change_text_scale", new_scale=1.25)
    yield env.action("os_set_do_not_disturb", enable=True)
    yield env.action("done")


def main(episodes: int) -> float:
    """Play, and return the mean reward."""
    env = gymnasium.make(NAME, suite="tasks/demo", tasks=["gnome-evening"], partial=True)
    total = 0.0
    for number in range(episodes):
        env.reset(seed=number)
        for action in policy(env.unwrapped):  # type: ignore[arg-type]
            _, reward, *_ = env.step(action)
            total += float(reward)
    env.close()
    return total / episodes


if __name__ == "__main__":
    print(f"mean reward: {main(int(sys.argv[1]) if sys.argv[1:] else 50):.3f}")
