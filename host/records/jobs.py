"""The trials that a run plans."""

from __future__ import annotations

from dataclasses import dataclass

from ambidex.host.records.config import Branch

__all__ = ["Job"]


@dataclass(frozen=True)
class Job:
    """One planned trial: a task, an agent and the number of the repetition."""

    task: str
    agent: str
    trial: int
    branch: Branch | None = None
    """Where the trial starts, if the run is a fork."""
    instance: int | None = None
    """The instance of the task; None: the one that the trial's number selects."""

    @property
    def key(self) -> tuple[str, str, int]:
        """As `Row.key`."""
        return (self.task, self.agent, self.trial)
