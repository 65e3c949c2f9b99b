"""The agent that calls random tools, and never the mouse or the keyboard."""

from __future__ import annotations

from ambidex.host.agents.kind import AgentKind
from ambidex.host.agents.random import Random

__all__ = ["AGENT"]

AGENT = AgentKind(lambda request: Random(request.briefing, "tools"))
