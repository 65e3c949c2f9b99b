"""Agents, by name: oracle, noop, random, replay, model, and any class of yours as `module:Class`.

oracle[:tools|:gui]   plays the task's reference solution, by default the condition's
noop                  does nothing and says it is done
random                calls tools at random, by their schemas, from the seed
replay:DIR            plays again what is recorded in a run (DIR) for the same task
model                 asks a model (see host.agents.model)
near_miss:N           plays a task's Nth near-miss (from 1); `prove` uses it
module:Class          Class(briefing) with a method step(observation) -> Decision
"""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

from host import Agent, Briefing, Model
from host.agents.model import ModelAgent
from host.agents.noop import Noop
from host.agents.oracle import near_miss, play_oracle
from host.agents.random import Random
from host.agents.replay import Replay
from host.config import Condition, RunConfig
from host.errors import UsageError
from tasks import Task

__all__ = ["agent_maker", "check_agent"]


def agent_maker(
    config: RunConfig, open_model: Callable[[], Model]
) -> Callable[[str, Task, Briefing], Agent]:
    """Makes the agent of a name for one episode."""

    def make(name: str, task: Task, briefing: Briefing) -> Agent:
        kind, _, rest = name.partition(":")
        match kind:
            case "oracle":
                return play_oracle(task, rest or _natural(config.condition, task))
            case "near_miss":
                return near_miss(task, int(rest))
            case "noop":
                return Noop()
            case "random":
                return Random(briefing)
            case "replay":
                return Replay(Path(rest), task.name)
            case "model":
                images = config.model.images if config.model else 3
                return ModelAgent(open_model(), briefing, images=images)
        return cast(Agent, _class_named(name)(briefing))

    return make


def check_agent(name: str, condition: Condition, tasks: tuple[Task, ...]) -> None:
    """`UsageError` where there is no such agent, or where it cannot play one of the tasks."""
    kind, _, rest = name.partition(":")
    match kind:
        case "oracle":
            by = {task.name: rest or _natural(condition, task) for task in tasks}
            lacking = [t.name for t in tasks if all(o.by != by[t.name] for o in t.spec.oracle)]
            if lacking:
                raise UsageError(f"no oracle by {by[lacking[0]]} for {', '.join(lacking)}")
        case "replay":
            for task in tasks:
                Replay(Path(rest), task.name)
        case "noop" | "random" | "model" | "near_miss":
            return
        case _:
            _class_named(name)


def _natural(condition: Condition, task: Task) -> str:
    if condition != "hybrid":
        return condition
    by = {oracle.by for oracle in task.spec.oracle}
    return "gui" if by == {"gui"} else "tools"


def _class_named(name: str) -> Callable[[Briefing], object]:
    module, _, attribute = name.partition(":")
    known = "oracle, noop, random, replay:DIR, model or module:Class"
    if not attribute:
        raise UsageError(f"no agent {name!r}", hint=f"There is {known}.")
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # a class of yours lies where you are
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"no agent {name!r}: {error}", hint=f"There is {known}.") from None
    if not callable(found) or (inspect.isclass(found) and not hasattr(found, "step")):
        raise UsageError(f"{name} is no agent: it has no method step(observation) -> Decision")
    return cast("Callable[[Briefing], object]", found)
