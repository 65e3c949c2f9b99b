"""A planner that describes targets, and a grounder that locates them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ambidex.host import Answer, Briefing, Frame, Limits, Observation, Request, Usage
from ambidex.host.agents.model import ModelAgent
from ambidex.host.dialects.functions import Functions
from ambidex.host.dialects.grounded import Grounded
from ambidex.host.models.viewport import View
from ambidex.host.records.config import ModelConfig
from tests.support.served import CATALOGUE

TOOLS = tuple(CATALOGUE[name] for name in ("computer_click", "computer_drag", "calc_save"))
FRAME = Frame.of((200, 100), bytes(200 * 100 * 3))
BRIEFING = Briefing("Save.", Limits())


class ScriptedModel:
    """A model that gives these texts or calls in order."""

    def __init__(self, name: str, *messages: dict[str, Any]) -> None:
        self.name = name
        self._left = list(messages)
        self.requests: list[dict[str, Any]] = []

    def ask(self, request: Request) -> Answer:
        self.requests.append(json.loads(json.dumps(request.body)))
        body = {"choices": [{"message": self._left.pop(0), "finish_reason": "stop"}]}
        return Answer(body, Usage(10, 1, cost=0.5, requests=1))


def call(name: str, **arguments: object) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"content": "", "tool_calls": [{"id": "c", "type": "function", "function": function}]}


def agent_of(planner: ScriptedModel, grounder: ScriptedModel, **settings: Any) -> ModelAgent:
    plans = Functions(BRIEFING, ModelConfig(name="planner"))
    finds = ModelConfig(name="finder", **settings)
    return ModelAgent(planner, Grounded(plans, finds, grounder), BRIEFING)


def test_a_description_becomes_a_point_of_the_screen() -> None:
    planner = ScriptedModel("planner", call("computer_click", target="the Save button"))
    finder = ScriptedModel("finder", {"content": "(120, 48)"})
    decision = agent_of(planner, finder).step(Observation(FRAME, (), TOOLS))
    assert decision.calls[0].arguments == {"x": 120, "y": 48}
    question = finder.requests[0]["messages"][0]["content"]
    assert "the Save button" in question[0]["text"]
    assert question[1]["type"] == "image_url"
    assert [exchange.model for exchange in decision.exchanges] == ["planner", "finder"]
    assert (decision.usage.requests, decision.usage.cost) == (2, 1.0)


def test_the_planner_is_offered_descriptions_and_no_coordinates() -> None:
    planner = ScriptedModel("planner", call("calc_save"))
    agent_of(planner, ScriptedModel("finder")).step(Observation(FRAME, (), TOOLS))
    tools = {tool["function"]["name"]: tool["function"] for tool in planner.requests[0]["tools"]}
    drag = tools["computer_drag"]["parameters"]
    assert set(drag["required"]) == {"target", "to_target"}
    assert not {"x", "y", "to_x", "to_y"} & drag["properties"].keys()
    assert tools["calc_save"]["parameters"] == CATALOGUE["calc_save"].parameters


def test_a_drag_asks_for_both_ends() -> None:
    planner = ScriptedModel(
        "planner", call("computer_drag", target="the file", to_target="the bin")
    )
    finder = ScriptedModel("finder", {"content": "1, 2"}, {"content": "x=30 y=40"})
    decision = agent_of(planner, finder).step(Observation(FRAME, (), TOOLS))
    assert decision.calls[0].arguments == {"x": 1, "y": 2, "to_x": 30, "to_y": 40}
    assert len(finder.requests) == 2


def test_the_grounders_coordinates_are_scaled_to_the_screen() -> None:
    planner = ScriptedModel("planner", call("computer_click", target="the middle"))
    finder = ScriptedModel("finder", {"content": "<point>500 500</point>"})
    decision = agent_of(planner, finder, grid=1000).step(Observation(FRAME, (), TOOLS))
    assert decision.calls[0].arguments == {"x": 100, "y": 50}


@pytest.mark.parametrize("answer", ["I cannot see it.", "", "(1, 2, 3)"])
def test_a_target_that_is_not_found_is_a_correction_and_its_cost_is_counted(answer: str) -> None:
    planner = ScriptedModel("planner", call("computer_click", target="a unicorn"), call("finish"))
    agent = agent_of(planner, ScriptedModel("finder", {"content": answer}))
    decision = agent.step(Observation(FRAME, (), TOOLS))
    assert "'a unicorn' was not found" in decision.malformed
    assert (decision.calls, decision.usage.requests) == ((), 2)
    agent.step(Observation(FRAME, (), TOOLS))
    assert "a unicorn" in json.dumps(planner.requests[1]["messages"][-2]["content"])


def test_coordinates_from_the_planner_are_refused() -> None:
    planner = ScriptedModel("planner", call("computer_click", x=1, y=2))
    decision = agent_of(planner, ScriptedModel("finder")).step(Observation(FRAME, (), TOOLS))
    assert "takes no coordinates" in decision.malformed


@pytest.mark.parametrize(
    ("view", "given_point", "point"),
    [
        (View(), (5, 7), (5, 7)),
        (View((100, 50)), (50, 25), (100, 50)),
        (View((100, 50)), (100, 50), (199, 99)),  # the far edge is the last pixel
        (View(None, 1000), (1000, 1000), (199, 99)),
        (View(None, 1000), (0, 0), (0, 0)),
        (View((100, 50)), (101, 51), (202, 102)),  # points off the screen stay off
    ],
)
def test_points_are_scaled_like_the_screenshot(
    view: View, given_point: tuple[int, int], point: tuple[int, int]
) -> None:
    assert view.on_screen(*given_point, screen=(200, 100)) == point
