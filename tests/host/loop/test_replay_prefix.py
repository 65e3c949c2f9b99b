"""In every dialect, an agent that replayed its prefix sends the same requests afterwards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ambidex.host import (
    Answer,
    Briefing,
    Decision,
    Exchange,
    Frame,
    Limits,
    Observation,
    Request,
    ToolResult,
    Usage,
)
from ambidex.host.agents import agent_maker
from ambidex.host.agents.model import ModelAgent
from ambidex.host.dialects import open_dialect
from ambidex.host.errors import RehearsalError
from ambidex.host.loop.replay_prefix import Recalls
from ambidex.host.models.recorded_answers import Tape
from ambidex.host.records.config import ModelConfig
from ambidex.tasks import Suite
from tests.host.agents.test_grounded import ScriptedModel, call
from tests.support.replaying import TOOLS, Replayed, exchange, names
from tests.support.suites import config_of

QUESTION = Request("chat", {})


class Player:
    """An agent that plays a recorded exchange."""

    def __init__(self, script: dict[str, Any], *answers: dict[str, Any]) -> None:
        self.model = Replayed(*answers)
        config = ModelConfig.model_validate(script["model"])
        briefing = Briefing(script["instruction"], Limits())
        self.agent = ModelAgent(self.model, open_dialect(config, briefing), briefing)
        self._script = script
        self.last = Decision()

    def shown(self, at: int) -> Observation:
        values = self._script["steps"][at].get("results", ())
        results = [ToolResult("", *value) for value in values]
        results += [ToolResult("", "")] * (len(self.last.calls) - len(results))
        results_by_id = [
            replace(r, call=c.id) for r, c in zip(results, self.last.calls, strict=True)
        ]
        width, height = self._script["screen"]
        frame = Frame.of((width, height), bytes([at + 1]) * (width * height * 3))
        tools = tuple(TOOLS[tool] for tool in self._script["tools"])
        return Observation(frame, tuple(results_by_id), tools)


@pytest.mark.parametrize("name", names())
def test_after_a_rehearsal_a_dialect_sends_the_same_requests(name: str) -> None:
    script = exchange(name)
    answers = [step["answer"] for step in script["steps"]]
    then, now = Player(script, *answers), Player(script, answers[-1])
    for at in range(len(answers) - 1):
        then.last = then.agent.step(then.shown(at))
        now.last = now.agent.recall(now.shown(at), then.last)
    assert now.model.requests == []
    for player in (then, now):
        player.agent.step(player.shown(len(answers) - 1))
    assert now.model.requests == then.model.requests[-1:]


def test_a_rehearsal_asks_neither_model_of_a_planner(suite: Suite) -> None:
    def planner(*models: ScriptedModel) -> Any:
        left = list(models)
        configs = {name: ModelConfig(name=name) for name in ("model", "grounder")}
        make = agent_maker(config_of(suite, **configs), lambda _: left.pop(0))
        return make("planner", suite.tasks[0], Briefing("Click.", Limits()))

    observation = Observation(Frame.of((64, 48), bytes(64 * 48 * 3)), (), tuple(TOOLS.values()))
    plan, point = call("computer_click", target="the button"), {"content": "(5, 6)"}
    then = planner(ScriptedModel("model", plan), ScriptedModel("grounder", point)).step(observation)
    silent = ScriptedModel("model"), ScriptedModel("grounder")
    again = planner(*silent)
    assert isinstance(again, Recalls)
    assert again.recall(observation, then).calls[0].arguments == {"x": 5, "y": 6}
    assert [model.requests for model in silent] == [[], []]


def spoken(text: str) -> Exchange:
    return Exchange("toy", {"said": text}, Usage(), 0.1)


def test_a_tape_gives_each_answer_once_and_in_order() -> None:
    tape = Tape()
    model = tape.over(ScriptedModel("toy", {"content": "live"}))
    with tape.playing([spoken("one"), spoken("two")]):
        answers: list[Answer] = [model.ask(QUESTION) for _ in range(2)]
        assert [answer.body["said"] for answer in answers] == ["one", "two"]
        with pytest.raises(RehearsalError, match="no recorded answer of toy is left"):
            model.ask(QUESTION)
    assert "choices" in model.ask(QUESTION).body, "and then the model is asked"


def test_unused_answers_on_a_tape_are_an_error() -> None:
    with (
        pytest.raises(RehearsalError, match="1 recorded answers were not used"),
        Tape().playing([spoken("one")]),
    ):
        pass
