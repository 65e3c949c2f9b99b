"""The agent that asks one model what to do, and a second one where on the screen that is."""

from __future__ import annotations

from host import Agent
from host.agents.kind import Asked
from host.agents.model import ModelAgent
from host.dialects import open_dialect
from host.dialects.grounded import Grounded
from host.errors import UsageError
from host.models.recorded_answers import Tape
from host.records.config import RunConfig
from tasks import Task

__all__ = ["AGENT"]


class Planner:
    """`planner`."""

    roles = ("model", "grounder")

    def make(self, asked: Asked) -> Agent:
        """One that asks both models of the run."""
        config, model = asked.models["model"]
        finding, grounder = asked.models["grounder"]
        tape = Tape()
        dialect = Grounded(open_dialect(config, asked.briefing), finding, tape.over(grounder))
        return ModelAgent(model, dialect, asked.briefing, tape)

    def check(self, detail: str, config: RunConfig, tasks: tuple[Task, ...]) -> None:
        """`UsageError` where the planner's dialect names points by itself."""
        if config.model and config.model.dialect != "functions":
            raise UsageError(
                f"a planner describes what to hit, and {config.model.dialect} names points",
                hint="Its dialect is functions.",
            )


AGENT = Planner()
