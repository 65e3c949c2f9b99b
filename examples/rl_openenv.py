"""A scripted policy on a desktop as an environment of OpenEnv, in an environment of its own.

pip install "$(ambidex bridge --client)[openenv]"
ambidex bridge tasks/demo --provider sandbox --json bridge.json
AMBIDEX_BRIDGE=bridge.json uvicorn ambidex_desktop.openenv:app --factory
python examples/rl_openenv.py http://127.0.0.1:8000            50 episodes
"""

from __future__ import annotations

import sys

from ambidex_desktop.openenv import DesktopAction, DesktopClient

POLICY = [
    DesktopAction(tool="gnome_set_dark_style", arguments={"enable": True}),
    DesktopAction(tool="os_change_text_scale", arguments={"new_scale": 1.25}),
    DesktopAction(tool="os_set_do_not_disturb", arguments={"enable": True}),
    DesktopAction(tool="done"),
]


def main(url: str, episodes: int) -> float:
    """Play, and return the mean reward."""
    total = 0.0
    with DesktopClient(base_url=url).sync() as env:
        for number in range(episodes):
            env.reset(seed=number, task="gnome-evening")
            for action in POLICY:
                result = env.step(action)
            total += result.reward or 0.0
    return total / episodes


if __name__ == "__main__":
    print(f"mean reward: {main(sys.argv[1], int(sys.argv[2]) if sys.argv[2:] else 50):.3f}")
