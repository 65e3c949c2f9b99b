"""The model agent, with a real server that speaks OpenAI's chat API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request as Asked
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ambidex.host import (
    Answer,
    Briefing,
    Decision,
    Frame,
    Limits,
    Model,
    Observation,
    Request,
    Stop,
    ToolResult,
    Usage,
)
from ambidex.host.agents.model import ModelAgent
from ambidex.host.dialects.functions import Functions
from ambidex.host.errors import ModelError
from ambidex.host.models.model import LiteModel
from ambidex.host.models.prices import read_prices
from ambidex.host.records.config import ModelConfig
from ambidex.tasks import Suite
from tests.support.peer import ALIAS, CATALOGUE
from tests.support.serving import serve
from tests.support.suites import config_of, run_in
from tests.support.tables import every_case

FRAME = Frame.of((2, 1), b"\x00" * 6)
TOOLS = tuple(CATALOGUE.values())
BRIEFING = Briefing("Set B2 to 42.", Limits())


def agent_of(model: Model, briefing: Briefing = BRIEFING, images: int = 3) -> ModelAgent:
    config = ModelConfig(name="toy", images=images)
    return ModelAgent(model, Functions(briefing, config), briefing)


def seeing(results: tuple[ToolResult, ...] = ()) -> Observation:
    return Observation(FRAME, results, TOOLS)


class ScriptedModel:
    """A `host.Model` that gives scripted answers and records its requests."""

    name = "toy"

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.requests: list[list[dict[str, Any]]] = []
        self.tools: list[dict[str, Any]] = []

    def ask(self, request: Request) -> Answer:
        body = json.loads(json.dumps(request.body))
        self.requests.append(body["messages"])
        self.tools = body["tools"]
        return self._answers.pop(0)


def answer(*calls: tuple[str, str, str], text: str = "", finish: str = "stop") -> Answer:
    tool_calls = [
        {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for id, name, arguments in calls
    ]
    message = {"role": "assistant", "content": text, "tool_calls": tool_calls}
    body = {"choices": [{"message": message, "finish_reason": finish}]}
    return Answer(body, Usage(10, 2, cost=None, requests=1))


def results_of(decision: Decision, text: str = "fine") -> tuple[ToolResult, ...]:
    return tuple(ToolResult(call.id, text) for call in decision.calls)


def test_a_function_call_becomes_a_tool_call_with_a_new_id() -> None:
    same = ("call_0", "calc_set_cell_value", '{"cell": "B2", "value": 42}')
    agent = agent_of(ScriptedModel(answer(same), answer(same)))
    first = agent.step(seeing())
    second = agent.step(seeing(results_of(first)))
    assert first.calls[0].name == "calc_set_cell_value"
    assert first.calls[0].arguments == {"cell": "B2", "value": 42}
    assert first.calls[0].id != second.calls[0].id, "a model may repeat its ids"
    assert first.usage.input_tokens == 10


def test_the_conversation_holds_task_results_and_screen() -> None:
    model = ScriptedModel(answer(("c1", "calc_save", "{}")), answer(("c2", "finish", "{}")))
    agent = agent_of(model)
    decision = agent.step(seeing())
    error = ToolResult(decision.calls[0].id, "the disk is full", "full")
    agent.step(seeing((error,)))
    roles = [message["role"] for message in model.requests[1]]
    assert roles == ["system", "user", "user", "assistant", "tool", "user"]
    assert model.requests[1][1]["content"] == "Set B2 to 42."
    assert "2 x 1 pixels" in model.requests[1][0]["content"]
    tool = model.requests[1][4]
    assert tool == {"role": "tool", "tool_call_id": "c1", "content": "ERROR full: the disk is full"}
    picture = model.requests[1][5]["content"][1]["image_url"]["url"]
    assert picture.startswith("data:image/png;base64,")
    offered = [tool["function"]["name"] for tool in model.tools]
    assert offered == [*CATALOGUE, "finish", "give_up"]


def test_only_the_last_images_stay_in_the_conversation() -> None:
    calls = [answer((f"c{n}", "calc_save", "{}")) for n in range(4)]
    model = ScriptedModel(*calls)
    agent, decision = agent_of(model, images=2), Decision()
    for _ in range(4):
        decision = agent.step(seeing(results_of(decision)))
    kinds = [
        part["type"]
        for message in model.requests[-1]
        if isinstance(message["content"], list)
        for part in message["content"][1:]
    ]
    assert kinds == ["text", "text", "image_url", "image_url"]


@every_case(
    ("call", "stop", "text"),
    [
        (("c", "finish", '{"answer": "42"}'), Stop.DONE, "42"),
        (("c", "finish", "{}"), Stop.DONE, None),
        (("c", "give_up", '{"reason": "no such cell"}'), Stop.INFEASIBLE, "no such cell"),
    ],
)
def test_the_two_endings(call: tuple[str, str, str], stop: Stop, text: str | None) -> None:
    decision = agent_of(ScriptedModel(answer(call))).step(seeing())
    assert (decision.stop, decision.answer, decision.calls) == (stop, text, ())


def test_calls_before_an_ending_in_the_same_answer_are_kept() -> None:
    both = answer(("a", "calc_save", "{}"), ("b", "finish", "{}"))
    decision = agent_of(ScriptedModel(both)).step(seeing())
    assert [call.name for call in decision.calls] == ["calc_save"]
    assert decision.stop is Stop.DONE


@every_case(
    ("bad", "why", "role"),
    [
        (answer(text="I am done."), "no function call", "user"),
        (answer(("c", "calc_save", "{not json")), "not JSON", "tool"),
        (answer(("c", "calc_save", "[1]")), "not an object", "tool"),
        (
            answer(("c", "computer_click", '{"x": NaN, "y": 1}')),
            "NaN is not a finite number",
            "tool",
        ),
        (
            answer(("c", "computer_click", '{"x": 1e999, "y": 1}')),
            "1e999 is not a finite number",
            "tool",
        ),
    ],
)
def test_a_malformed_answer_is_corrected_and_marked(bad: Answer, why: str, role: str) -> None:
    model = ScriptedModel(bad, answer(("d", "finish", "{}")))
    agent = agent_of(model)
    decision = agent.step(seeing())
    assert why in decision.malformed
    assert decision.calls == ()
    assert agent.step(seeing()).stop is Stop.DONE
    correction = model.requests[1][-2]
    assert correction["role"] == role
    assert why in correction["content"]


def test_a_coordinate_beyond_any_screen_is_left_for_the_guest_to_refuse() -> None:
    far = {"x": 10**400, "y": 1}
    model = ScriptedModel(answer(("c", "computer_click", json.dumps(far))))
    config = ModelConfig(name="toy", view=(1280, 720))
    agent = ModelAgent(model, Functions(BRIEFING, config), BRIEFING)
    assert agent.step(seeing()).calls[0].arguments == far


@contextmanager
def chat_server(*answers: dict[str, Any] | int) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """An OpenAI-compatible server with scripted messages; a number is an HTTP error instead."""
    left, requests = list(answers), []

    async def chat(request: Asked) -> Response:
        requests.append(await request.json())
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, int):
            return JSONResponse({"error": {"message": "busy", "type": "x", "code": answer}}, answer)
        return JSONResponse(
            {
                "id": "x",
                "object": "chat.completion",
                "created": 1,
                "model": "toy",
                "choices": [{"index": 0, "message": answer, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107},
            }
        )

    app = Starlette(routes=[Route("/v1/chat/completions", chat, methods=["POST"])])
    with serve(app, lifespan="off") as address:
        yield f"{address}/v1", requests


def message_calling(*calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    functions = [{"name": name, "arguments": json.dumps(arguments)} for name, arguments in calls]
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": f"c{n}", "type": "function", "function": function}
            for n, function in enumerate(functions)
        ],
    }


def test_a_model_behind_a_base_url_solves_a_task_and_its_tokens_are_counted(
    tmp_path: Path, suite: Suite
) -> None:
    answers = (
        message_calling(("calc_set_cell_value", {"cell": "B2", "value": 42}), ("calc_save", {})),
        message_calling(("finish", {})),
    )
    with chat_server(*answers) as (address, requests):
        model = ModelConfig(name="toy", base_url=address)
        config = config_of(suite, agents=("model",), model=model)
        rows = run_in(tmp_path, suite, config)
    cell = next(row for row in rows if row.task == "cell")
    assert cell.success, cell
    assert (cell.steps, cell.tool_calls, cell.input_tokens, cell.output_tokens) == (2, 2, 200, 14)
    assert cell.cost is None, "nobody knows the price of this model"
    assert requests[0]["model"] == "toy"
    assert requests[0]["tools"][0]["function"]["name"] == "computer_click"


def test_a_call_by_a_reference_alias_is_understood(tmp_path: Path, suite: Suite) -> None:
    answers = (
        message_calling((ALIAS, {"cell": "B2", "value": 42}), ("calc_save", {})),
        message_calling(("finish", {})),
    )
    with chat_server(*answers) as (address, requests):
        model = ModelConfig(name="toy", base_url=address)
        rows = run_in(tmp_path, suite, config_of(suite, agents=("model",), model=model))
    cell = next(row for row in rows if row.task == "cell")
    assert cell.success, cell
    assert {call.tool for call in cell.calls} == {"calc_set_cell_value", "calc_save"}
    # The model's own text stays in the conversation.
    assert ALIAS in json.dumps(requests[1]["messages"])


def test_a_model_that_never_calls_ends_by_the_parse_limit(tmp_path: Path, suite: Suite) -> None:
    with chat_server({"role": "assistant", "content": "I think..."}) as (address, _):
        model = ModelConfig(name="toy", base_url=address)
        rows = run_in(tmp_path, suite, config_of(suite, agents=("model",), model=model))
    assert {(row.stop, row.steps, row.malformed) for row in rows} == {(Stop.PARSE_LIMIT, 3, 3)}


QUESTION = Request("chat", {"messages": [{"role": "user", "content": "?"}]})


def test_a_request_refused_for_load_is_retried() -> None:
    fine = {"role": "assistant", "content": "hello"}
    with chat_server(429, fine) as (address, requests):
        model = LiteModel(ModelConfig(name="toy", base_url=address), read_prices())
        answer = model.ask(QUESTION)
    assert answer.body["choices"][0]["message"]["content"] == "hello"
    assert (answer.usage.requests, answer.usage.retries) == (1, 1)
    assert len(requests) == 2


def test_a_model_that_refuses_is_a_model_error() -> None:
    with chat_server(400) as (address, _):
        model = LiteModel(ModelConfig(name="toy", base_url=address), read_prices())
        with pytest.raises(ModelError, match="toy did not answer"):
            model.ask(QUESTION)


def test_a_cost_limit_needs_a_known_price() -> None:
    briefing = Briefing("", Limits(cost=1.0))
    agent = agent_of(ScriptedModel(answer(("c", "finish", "{}"))), briefing)
    with pytest.raises(ModelError, match="price of toy is unknown"):
        agent.step(seeing())
