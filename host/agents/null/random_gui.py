"""The agent that moves the mouse, clicks and types at random."""

from __future__ import annotations

from ambidex.host.agents.kind import AgentKind
from ambidex.host.agents.random import Random

__all__ = ["AGENT"]

AGENT = AgentKind(lambda request: Random(request.briefing, "gui"))
