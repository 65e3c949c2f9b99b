"""Agents that try to get a score without doing the task, or to prevent a verdict."""

from __future__ import annotations

from ambidex.host.agents.null.attacks import ATTACKS

__all__ = ["ATTACKERS"]

ATTACKERS = {
    **{name: f"tamperer:{name}" for name in ATTACKS},
    "idle": "idle",
    "random": "random",
}
"""Values for `ambidex run --agent` by name. None of these agents does any task."""
