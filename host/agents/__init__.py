"""Agents by name: oracle, random, replay, model, planner, null agents, and your own classes.

oracle[:tools|:gui]   plays the task's reference solution, by default the condition's;
                      oracle:tools:2 its second one by tools
random                calls random tools with random arguments that fit their schemas
replay:DIR            replays the recorded episode of the same task from a run (DIR)
model                 asks a model, in a dialect (see host.dialects)
planner               asks one model what to do, and another where on the screen that is
near_miss:N           plays a task's Nth near miss (from 1); used by `prove`
idle, says_done, …    do no task; used by `null` and `prove`, see host.agents.null
module:Class          your own: Class(briefing) with a method step(observation) -> Decision

Each built-in agent is a module of this package, or of `null`, that assigns `AGENT`.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable
from typing import cast

from ambidex.host import Agent, Briefing, Model
from ambidex.host.agents import null
from ambidex.host.agents.kind import AgentKind, AgentRequest
from ambidex.host.agents.null import NULL_AGENTS
from ambidex.host.errors import UsageError
from ambidex.host.named import load_reference, part_names
from ambidex.host.records.config import ModelConfig, RunConfig
from ambidex.tasks import Task

__all__ = ["agent_maker", "check_agent", "refuse_unused_model", "roles_of"]


def roles_of(name: str) -> tuple[str, ...]:
    """The roles of the models that the agent asks; empty for a user's own agent."""
    kind = _kind(name)
    return kind.roles if kind else ()


def refuse_unused_model(agent: str, model: ModelConfig | None) -> None:
    """`UsageError` if a model is given to an agent that asks none."""
    if model is not None and "model" not in roles_of(agent):
        raise UsageError(
            f"the agent {agent} does not ask a model, so the model {model.name} would not be used",
            hint="Use --agent model (which --model implies), or leave the model out.",
        )


def agent_maker(
    config: RunConfig, models: Callable[[ModelConfig], Model]
) -> Callable[[str, Task, Briefing], Agent]:
    """Return a function that makes the named agent for one episode. `models` opens a model; it is
    called once per configured model."""
    opened = {
        role: (model, models(model))
        for role in ("model", "grounder")
        if (model := getattr(config, role)) is not None
    }

    def make(name: str, task: Task, briefing: Briefing) -> Agent:
        if kind := _kind(name):
            return kind.make(AgentRequest(name.partition(":")[2], task, briefing, config, opened))
        return cast(Agent, _load_class(name)(briefing))

    return make


def check_agent(name: str, config: RunConfig, tasks: tuple[Task, ...]) -> None:
    """`UsageError` if there is no such agent, or if it cannot play one of the tasks."""
    if kind := _kind(name):
        for role in kind.roles:
            if getattr(config, role) is None:
                hint = "For example --model openai/gpt-5."
                if role == "grounder" or len(kind.roles) > 1:
                    hint = "Name both models in an experiment file: docs/experiments.md."
                raise UsageError(f"the agent {name} needs a {role}", hint=hint)
        kind.check(name.partition(":")[2], config, tasks)
    else:
        _load_class(name)


def _kind(name: str) -> AgentKind | None:
    """The built-in agent of that name; None for any other name."""
    module_name = name.partition(":")[0]
    for package in (sys.modules[__name__], null):
        if any(module.name == module_name for module in pkgutil.iter_modules(package.__path__)):
            module = importlib.import_module(f"{package.__name__}.{module_name}")
            return cast("AgentKind | None", getattr(module, "AGENT", None))
    return None


def _load_class(name: str) -> Callable[[Briefing], object]:
    known = ", ".join((*part_names(sys.modules[__name__], "AGENT"), *NULL_AGENTS))
    agent = load_reference("agent", name, f"Known: {known}; or your own as module:Class.")
    if not callable(agent) or (inspect.isclass(agent) and not hasattr(agent, "step")):
        raise UsageError(f"not an agent: {name} has no method step(observation) -> Decision")
    return cast("Callable[[Briefing], object]", agent)
