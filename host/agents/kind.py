"""What a module of this package assigns to `AGENT`, so that runs can name its agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ambidex.host import Agent, Briefing, Model
from ambidex.host.records.config import ModelConfig, RunConfig
from ambidex.tasks import Task

__all__ = ["AgentKind", "Asked", "Open"]

Open = Mapping[str, tuple[ModelConfig, Model]]
"""The models of a run, by their role."""


@dataclass(frozen=True)
class Asked:
    """What an agent is made for: one episode of a task."""

    detail: str
    """What the name says after its colon."""
    task: Task
    briefing: Briefing
    config: RunConfig
    models: Open


def plays_anything(detail: str, config: RunConfig, tasks: tuple[Task, ...]) -> None:
    """No task is refused."""


@dataclass(frozen=True)
class AgentKind:
    """An agent that runs name by its module: `name` or `name:detail`."""

    make: Callable[[Asked], Agent]
    """A new one, for one episode."""
    check: Callable[[str, RunConfig, tuple[Task, ...]], None] = plays_anything
    """Given detail, configuration and tasks: `UsageError` where it cannot play one of them."""
    roles: tuple[str, ...] = ()
    """The models it asks: of `model` and `grounder`."""
