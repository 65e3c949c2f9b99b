"""The agent that does nothing: what it scores, the task gives away."""

from __future__ import annotations

from ambidex.host import Decision, Observation, Stop
from ambidex.host.agents.kind import AgentKind


class Noop:
    """Says at once that it is done."""

    def step(self, observation: Observation) -> Decision:
        """Done."""
        return Decision(thought="Nothing to do.", stop=Stop.DONE)


AGENT = AgentKind(lambda asked: Noop())
