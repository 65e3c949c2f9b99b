"""Agents, by name: oracle, noop, random, replay, model, planner, and any class of yours.

oracle[:tools|:gui]   plays the task's reference solution, by default the condition's
noop                  does nothing and says it is done
random                calls tools at random, by their schemas, from the seed
replay:DIR            plays again what is recorded in a run (DIR) for the same task
model                 asks a model, in a dialect (see host.dialects)
planner               asks a model what to do, and a second one where on the screen that is
near_miss:N           plays a task's Nth near-miss (from 1); `prove` uses it
module:Class          Class(briefing) with a method step(observation) -> Decision
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import cast

from host import Agent, Briefing, Model
from host.agents.model import ModelAgent
from host.agents.noop import Noop
from host.agents.oracle import near_miss, play_oracle
from host.agents.random import Random
from host.agents.replay import Replay
from host.dialects import open_dialect
from host.dialects.grounded import Grounded
from host.errors import UsageError
from host.models.recorded_answers import Tape
from host.named import load_named
from host.records.config import Condition, ModelConfig, RunConfig
from tasks import Task

__all__ = ["MODELS", "agent_maker", "check_agent"]

MODELS = {"model": ("model",), "planner": ("model", "grounder")}
"""Agents that ask models, and which."""


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
            case "model" | "planner":
                asked, model = opened["model"]
                dialect, tape = open_dialect(asked, briefing), Tape()
                if kind == "planner":
                    finding, grounder = opened["grounder"]
                    dialect = Grounded(dialect, finding, tape.over(grounder))
                return ModelAgent(model, dialect, briefing, tape)
        return cast(Agent, _class_named(name)(briefing))

    return make


def check_agent(name: str, config: RunConfig, tasks: tuple[Task, ...]) -> None:
    """`UsageError` where there is no such agent, or where it cannot play one of the tasks."""
    kind, _, rest = name.partition(":")
    match kind:
        case "oracle":
            by = {task.name: rest or _natural(config.condition, task) for task in tasks}
            lacking = [t.name for t in tasks if all(o.by != by[t.name] for o in t.spec.oracle)]
            if lacking:
                raise UsageError(f"no oracle by {by[lacking[0]]} for {', '.join(lacking)}")
        case "replay":
            for task in tasks:
                Replay(Path(rest), task.name)
        case "model" | "planner":
            for role in MODELS[kind]:
                if getattr(config, role) is None:
                    hint = "An experiment's file names both models: docs/experiments.md."
                    hint = hint if kind == "planner" else "Such as --model openai/gpt-5."
                    raise UsageError(f"the agent {kind} needs a {role}", hint=hint)
            if kind == "planner" and config.model and config.model.dialect != "functions":
                raise UsageError(
                    f"a planner describes what to hit, and {config.model.dialect} names points",
                    hint="Its dialect is functions.",
                )
        case "noop" | "random" | "near_miss":
            return
        case _:
            _class_named(name)


def _natural(condition: Condition, task: Task) -> str:
    if condition != "hybrid":
        return condition
    by = {oracle.by for oracle in task.spec.oracle}
    return "gui" if by == {"gui"} else "tools"


def _class_named(name: str) -> Callable[[Briefing], object]:
    known = "There is oracle, noop, random, replay:DIR, model, planner or module:Class."
    found = load_named("agent", name, known)
    if not callable(found) or (inspect.isclass(found) and not hasattr(found, "step")):
        raise UsageError(f"{name} is no agent: it has no method step(observation) -> Decision")
    return cast("Callable[[Briefing], object]", found)
