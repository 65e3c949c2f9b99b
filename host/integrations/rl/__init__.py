"""Reinforcement learning: desktops as Gymnasium environments, alone and in vectors.

Importing this package registers `ambidex/Desktop-v0`::

    env = gymnasium.make("ambidex.host.integrations.rl:ambidex/Desktop-v0", suite="tasks/demo")
"""

from __future__ import annotations

from ambidex.host.integrations.extras import extra

with extra("rl"):
    import gymnasium

from ambidex.host.integrations.rl.environment import DONE, INFEASIBLE, DesktopEnv, open_env
from ambidex.host.integrations.rl.vector import DesktopVectorEnv, open_vector_env

__all__ = ["DONE", "INFEASIBLE", "DesktopEnv", "DesktopVectorEnv", "open_env", "open_vector_env"]

gymnasium.register(
    "ambidex/Desktop-v0",
    entry_point="ambidex.host.integrations.rl.environment:open_env",
    vector_entry_point="ambidex.host.integrations.rl.vector:open_vector_env",
    disable_env_checker=True,  # its warnings are about spaces that neural networks like less
    order_enforce=False,
)
