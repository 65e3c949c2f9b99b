"""The agent that does nothing: what it scores, the task gives away."""

from __future__ import annotations

from host import Agent, Decision, Observation, Stop
from host.agents.kind import Asked
from host.records.config import RunConfig
from tasks import Task


class Noop:
    """Says at once that it is done."""

    def step(self, observation: Observation) -> Decision:
        """Done."""
        return Decision(thought="Nothing to do.", stop=Stop.DONE)


class NoopKind:
    """`noop`."""

    roles = ()

    def make(self, asked: Asked) -> Agent:
        """One that does nothing."""
        return Noop()

    def check(self, detail: str, config: RunConfig, tasks: tuple[Task, ...]) -> None:
        """It can play every task."""


AGENT = NoopKind()
