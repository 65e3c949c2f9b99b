"""The agent that does nothing. Any score it gets is one the task gives away."""

from __future__ import annotations

from ambidex.host import Decision, Observation, Stop
from ambidex.host.agents.kind import AgentKind


class Noop:
    """Declares the task done at its first step."""

    def step(self, observation: Observation) -> Decision:
        """Stop without a call."""
        return Decision(thought="Nothing to do.", stop=Stop.DONE)


AGENT = AgentKind(lambda request: Noop())
