"""Agents, by name: oracle, noop, random, replay, model, planner, and any class of yours.

oracle[:tools|:gui]   plays the task's reference solution, by default the condition's
noop                  does nothing and says it is done
random                calls tools at random, by their schemas, from the seed
replay:DIR            plays again what is recorded in a run (DIR) for the same task
model                 asks a model, in a dialect (see host.dialects)
planner               asks a model what to do, and a second one where on the screen that is
near_miss:N           plays a task's Nth near-miss (from 1); `prove` uses it
module:Class          Class(briefing) with a method step(observation) -> Decision

Each name of ours is a module of this package that assigns `AGENT`.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable
from typing import cast

from ambidex.host import Agent, Briefing, Model
from ambidex.host.agents.kind import AgentKind, Asked
from ambidex.host.errors import UsageError
from ambidex.host.named import load_named, names_in
from ambidex.host.records.config import ModelConfig, RunConfig
from ambidex.tasks import Task

__all__ = ["agent_maker", "check_agent", "roles_of"]


def roles_of(name: str) -> tuple[str, ...]:
    """The models that the agent of that name asks, by their roles; none of an agent of yours."""
    kind = _kind(name)
    return kind.roles if kind else ()


def agent_maker(
    config: RunConfig, models: Callable[[ModelConfig], Model]
) -> Callable[[str, Task, Briefing], Agent]:
    """Makes the agent of a name for one episode; `models` opens each model once."""
    opened = {
        role: (asked, models(asked))
        for role in ("model", "grounder")
        if (asked := getattr(config, role)) is not None
    }

    def make(name: str, task: Task, briefing: Briefing) -> Agent:
        if kind := _kind(name):
            return kind.make(Asked(name.partition(":")[2], task, briefing, config, opened))
        return cast(Agent, _class_named(name)(briefing))

    return make


def check_agent(name: str, config: RunConfig, tasks: tuple[Task, ...]) -> None:
    """`UsageError` where there is no such agent, or where it cannot play one of the tasks."""
    if kind := _kind(name):
        for role in kind.roles:
            if getattr(config, role) is None:
                hint = "Such as --model openai/gpt-5."
                if role == "grounder" or len(kind.roles) > 1:
                    hint = "An experiment's file names both models: docs/experiments.md."
                raise UsageError(f"the agent {name} needs a {role}", hint=hint)
        kind.check(name.partition(":")[2], config, tasks)
    else:
        _class_named(name)


def _kind(name: str) -> AgentKind | None:
    """The agent of this package that the name begins with, if it does."""
    module = name.partition(":")[0]
    package = sys.modules[__name__]
    if all(each.name != module for each in pkgutil.iter_modules(package.__path__)):
        return None
    found = importlib.import_module(f"{__name__}.{module}")
    return cast("AgentKind | None", getattr(found, "AGENT", None))


def _class_named(name: str) -> Callable[[Briefing], object]:
    known = f"There is {', '.join(names_in(sys.modules[__name__], 'AGENT'))} or module:Class."
    found = load_named("agent", name, known)
    if not callable(found) or (inspect.isclass(found) and not hasattr(found, "step")):
        raise UsageError(f"{name} is no agent: it has no method step(observation) -> Decision")
    return cast("Callable[[Briefing], object]", found)
