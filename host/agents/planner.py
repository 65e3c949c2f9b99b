"""The agent that asks one model what to do, and a second one where on the screen that is."""

from __future__ import annotations

from ambidex.host.agents.kind import AgentKind, Asked
from ambidex.host.agents.model import ModelAgent
from ambidex.host.dialects import open_dialect
from ambidex.host.dialects.grounded import Grounded
from ambidex.host.errors import UsageError
from ambidex.host.models.recorded_answers import Tape
from ambidex.host.records.config import RunConfig
from ambidex.tasks import Task

__all__ = ["AGENT"]


def _make(asked: Asked) -> ModelAgent:
    config, model = asked.models["model"]
    finding, grounder = asked.models["grounder"]
    tape = Tape()
    dialect = Grounded(open_dialect(config, asked.briefing), finding, tape.over(grounder))
    return ModelAgent(model, dialect, asked.briefing, tape)


def _check(detail: str, config: RunConfig, tasks: tuple[Task, ...]) -> None:
    if config.model and config.model.dialect != "functions":
        raise UsageError(
            f"a planner describes what to hit, and {config.model.dialect} names points",
            hint="Its dialect is functions.",
        )


AGENT = AgentKind(_make, _check, roles=("model", "grounder"))
