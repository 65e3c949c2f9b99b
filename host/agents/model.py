"""An agent that asks one model, in a dialect."""

from __future__ import annotations

import time
from dataclasses import replace

from ambidex.host import Briefing, Decision, Exchange, Model, Observation
from ambidex.host.agents.kind import AgentKind, AgentRequest
from ambidex.host.dialects import Dialect, MalformedReplyError, open_dialect
from ambidex.host.errors import ModelError
from ambidex.host.models.recorded_answers import Tape

__all__ = ["AGENT", "ModelAgent"]


class ModelAgent:
    """Sends one request per step. After an answer that is not a decision, the next request says
    what was wrong; the loop counts such answers."""

    def __init__(
        self, model: Model, dialect: Dialect, briefing: Briefing, tape: Tape | None = None
    ) -> None:
        self._tape = tape or Tape()
        self._model = self._tape.over(model)
        self._dialect = dialect
        self._cost_limited = briefing.limits.cost is not None
        self._seed = briefing.seed + briefing.branch

    def step(self, observation: Observation) -> Decision:
        """Ask the model."""
        request = replace(self._dialect.request(observation), seed=self._seed)
        began = time.monotonic()
        answer = self._model.ask(request)
        seconds = time.monotonic() - began
        if self._cost_limited and answer.usage.cost is None:
            raise ModelError(
                f"the price of {self._model.name} is unknown, so its cost cannot be limited",
                hint="Run without a cost limit, or add the price (docs/experiments.md).",
            )
        exchange = Exchange(self._model.name, answer.body, answer.usage, seconds)
        try:
            decision = self._dialect.decision(answer.body)
        except MalformedReplyError as malformed:
            self._dialect.correct(str(malformed))
            return Decision(exchanges=(exchange, *malformed.exchanges), malformed=str(malformed))
        return replace(decision, exchanges=(exchange, *decision.exchanges))

    def recall(self, observation: Observation, decision: Decision) -> Decision:
        """See `host.loop.replay_prefix.Recalls`: its models give their recorded answers."""
        with self._tape.playing(decision.exchanges):
            return self.step(observation)


def _make(request: AgentRequest) -> ModelAgent:
    config, model = request.models["model"]
    return ModelAgent(model, open_dialect(config, request.briefing), request.briefing)


AGENT = AgentKind(_make, roles=("model",))
