"""The agent that makes no call and never ends its episode."""

from __future__ import annotations

from ambidex.host import Decision, Observation
from ambidex.host.agents.kind import AgentKind

__all__ = ["AGENT", "Idle"]


class Idle:
    """Waits for its limit: each step is a decision without a call."""

    def step(self, observation: Observation) -> Decision:
        """No call."""
        return Decision(thought="Waiting.")


AGENT = AgentKind(lambda request: Idle())
