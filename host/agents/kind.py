"""The registration of a built-in agent: what its module assigns to `AGENT`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ambidex.host import Agent, Briefing, Model
from ambidex.host.records.config import ModelConfig, RunConfig
from ambidex.tasks import Task

__all__ = ["AgentKind", "AgentRequest", "ModelsByRole"]

ModelsByRole = Mapping[str, tuple[ModelConfig, Model]]
"""The models of a run, by role."""


@dataclass(frozen=True)
class AgentRequest:
    """Everything needed to make an agent for one episode of a task."""

    detail: str
    """The part of the agent's name after the colon."""
    task: Task
    briefing: Briefing
    config: RunConfig
    models: ModelsByRole


def accept_all(detail: str, config: RunConfig, tasks: tuple[Task, ...]) -> None:
    """Accept every task."""


@dataclass(frozen=True)
class AgentKind:
    """A built-in agent, which runs name as `module` or `module:detail`."""

    make: Callable[[AgentRequest], Agent]
    """Make a new agent for one episode."""
    check: Callable[[str, RunConfig, tuple[Task, ...]], None] = accept_all
    """Given detail, configuration and tasks, raise `UsageError` if it cannot play one of them."""
    roles: tuple[str, ...] = ()
    """The models it asks: `model`, `grounder`, or both."""
