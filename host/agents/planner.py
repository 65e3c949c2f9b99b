"""The agent that asks one model what to do, and another where on the screen that is."""

from __future__ import annotations

from ambidex.host.agents.kind import AgentKind, AgentRequest
from ambidex.host.agents.model import ModelAgent
from ambidex.host.dialects import open_dialect
from ambidex.host.dialects.grounded import Grounded
from ambidex.host.errors import UsageError
from ambidex.host.models.recorded_answers import Tape
from ambidex.host.records.config import RunConfig
from ambidex.tasks import Task

__all__ = ["AGENT"]


def _make(request: AgentRequest) -> ModelAgent:
    config, model = request.models["model"]
    grounder_config, grounder = request.models["grounder"]
    tape = Tape()
    planner = open_dialect(config, request.briefing)
    dialect = Grounded(planner, grounder_config, tape.over(grounder))
    return ModelAgent(model, dialect, request.briefing, tape)


def _check(detail: str, config: RunConfig, tasks: tuple[Task, ...]) -> None:
    if config.model and config.model.dialect != "functions":
        raise UsageError(
            f"a planner describes targets, but the dialect {config.model.dialect} names points",
            hint="Use the dialect functions.",
        )


AGENT = AgentKind(_make, _check, roles=("model", "grounder"))
