"""The agent that calls every task infeasible."""

from __future__ import annotations

from ambidex.host import Stop
from ambidex.host.agents.kind import AgentKind
from ambidex.host.agents.null.says_done import Says

__all__ = ["AGENT"]

AGENT = AgentKind(lambda request: Says(Stop.INFEASIBLE))
