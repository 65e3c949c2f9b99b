"""Dialects and `LiteModel` with a real server that speaks the vendors' three APIs; requests are
checked against the types of their SDKs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request as Asked
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ambidex.host import Form, Request, Stop
from ambidex.host.errors import ModelError
from ambidex.host.models.model import LONGEST_PAUSE, LiteModel, pause
from ambidex.host.models.prices import read_prices
from ambidex.host.records.config import ModelConfig
from ambidex.tasks import Suite
from tests.support.answers import (
    chat,
    computer,
    function,
    member,
    message,
    response,
    text_block,
    use,
)
from tests.support.serving import serve
from tests.support.suites import config_of, run_in
from tests.support.tables import every_case
from tests.support.vendors import check_answer, check_request

PATHS: dict[str, Form] = {
    "/v1/chat/completions": "chat",
    "/v1/messages": "messages",
    "/v1/responses": "responses",
}
Said = dict[str, Any] | int


@contextmanager
def vendor(
    *answers: Said, after: str = "0"
) -> Iterator[tuple[str, list[tuple[Form, dict[str, Any], Any]]]]:
    """A server with scripted answers; it repeats the last one. A number is an HTTP error."""
    left, requests = list(answers), []

    async def answer(request: Asked) -> Response:
        requests.append((PATHS[request.url.path], await request.json(), request.headers))
        answer = left.pop(0) if len(left) > 1 else left[0]
        if not isinstance(answer, int):
            return JSONResponse(answer)
        error = {"type": "error", "error": {"type": "x", "message": "busy", "code": str(answer)}}
        return JSONResponse(error, answer, headers={"Retry-After": after})

    app = Starlette(routes=[Route(path, answer, methods=["POST"]) for path in PATHS])
    with serve(app, lifespan="off") as address:
        yield address, requests


def calling(name: str, **arguments: Any) -> dict[str, Any]:
    call = json.dumps({"name": name, "arguments": arguments})
    return chat(f"<tool_call>{call}</tool_call><conclusion>So.</conclusion>")


SET = {"cell": "B2", "value": 42}
CLICK = {"type": "click", "button": "left", "x": 3, "y": 4}
CHECK = {"id": "sc_1", "code": "malicious_instructions", "message": "Careful."}
SCRIPTS: dict[str, tuple[Form, list[dict[str, Any]]]] = {
    "paper": (
        "chat",
        [
            calling("computer_use", action="click", coordinate=[3, 4]),
            calling("calc_set_cell_value", **SET),
            calling("calc_save"),
            calling("computer_use", action="terminate", status="success"),
        ],
    ),
    "anthropic": (
        "messages",
        [
            message(
                {"type": "thinking", "thinking": "", "signature": "c2ln"},
                member("left_click", coordinate=[3, 4]),
                use("calc_set_cell_value", **SET),
                use("calc_save"),
            ),
            message(use("finish")),
        ],
    ),
    "openai": (
        "responses",
        [
            response(
                {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
                computer(CLICK, checks=(CHECK,)),
                function("calc_set_cell_value", json.dumps(SET)),
                function("calc_save"),
            ),
            response(function("finish")),
        ],
    ),
    "pyautogui": (
        "chat",
        [
            chat(
                "```python\nimport pyautogui\npyautogui.click(3, 4)\n"
                "calc_set_cell_value(cell='B2', value=42)\ncalc_save()\n```"
            ),
            chat("```python\nDONE\n```"),
        ],
    ),
}


@pytest.mark.parametrize("dialect", SCRIPTS)
def test_a_task_is_solved_in_every_dialect(dialect: str, tmp_path: Path, suite: Suite) -> None:
    form, answers = SCRIPTS[dialect]
    with vendor(*answers) as (address, requests):
        model = ModelConfig(name="toy", base_url=f"{address}/v1", dialect=dialect)
        rows = run_in(tmp_path, suite, config_of(suite, agents=("model",), model=model))
    cell = next(row for row in rows if row.task == "cell")
    assert cell.success, cell
    assert (cell.steps, cell.tool_calls, cell.gui_calls) == (len(answers), 2, 1)
    # Each answer used 100 input and 7 output tokens.
    assert (cell.input_tokens, cell.output_tokens) == (100 * len(answers), 7 * len(answers))
    assert {call.tool: call.errors for call in cell.calls} == {
        "computer_click": 0,
        "calc_set_cell_value": 0,
        "calc_save": 0,
    }
    assert {request[0] for request in requests} == {form}
    for _, body, _ in requests:
        check_request(form, body)


@pytest.mark.parametrize("dialect", SCRIPTS)
def test_a_model_that_only_talks_ends_by_the_parse_limit(
    dialect: str, tmp_path: Path, suite: Suite
) -> None:
    form = SCRIPTS[dialect][0]
    talk = {"chat": chat("Hm."), "messages": message(stop="end_turn"), "responses": response()}
    with vendor(talk[form]) as (address, requests):
        model = ModelConfig(name="toy", base_url=f"{address}/v1", dialect=dialect)
        rows = run_in(tmp_path, suite, config_of(suite, agents=("model",), model=model))
    assert {(row.stop, row.steps, row.malformed) for row in rows} == {(Stop.PARSE_LIMIT, 3, 3)}
    for _, body, _ in requests:
        check_request(form, body)


QUESTIONS: dict[Form, dict[str, Any]] = {
    "chat": {"messages": [{"role": "user", "content": "?"}]},
    "messages": {"messages": [{"role": "user", "content": "?"}]},
    "responses": {"input": "?"},
}
FINE: dict[Form, dict[str, Any]] = {
    "chat": chat("hello"),
    "messages": message({"type": "text", "text": "hello"}),
    "responses": response(function("finish")),
}


def model_at(address: str, **more: Any) -> LiteModel:
    return LiteModel(ModelConfig(name="toy", base_url=address, **more), read_prices())


@every_case("form", QUESTIONS)
@every_case("status", [429, 500, 503, 529])
def test_a_request_refused_for_load_is_retried_in_every_api(form: Form, status: int) -> None:
    with vendor(status, status, FINE[form]) as (address, requests):
        answer = model_at(f"{address}/v1").ask(Request(form, QUESTIONS[form]))
    assert (answer.usage.requests, answer.usage.retries) == (1, 2)
    assert answer.usage.input_tokens == 100
    assert len(requests) == 3


@every_case("form", QUESTIONS)
def test_a_model_that_stays_busy_is_a_model_error(form: Form) -> None:
    with vendor(429) as (address, requests), pytest.raises(ModelError, match="after 3 attempts"):
        model_at(f"{address}/v1", retries=2).ask(Request(form, QUESTIONS[form]))
    assert len(requests) == 3


@every_case("form", QUESTIONS)
@every_case(
    ("after", "seconds"),
    [("7", 7.0), ("0.5", 0.5), ("3600", LONGEST_PAUSE)],
)
def test_the_vendor_says_how_long_to_wait_up_to_a_bound(
    form: Form, after: str, seconds: float
) -> None:
    with vendor(429, after=after) as (address, _), pytest.raises(ModelError) as refused:
        model_at(f"{address}/v1", retries=0).ask(Request(form, QUESTIONS[form]))
    assert isinstance(refused.value.__cause__, Exception)
    # Eight tries would otherwise be followed by a pause of 128 s, bounded: from 30 to 60 s.
    assert pause(refused.value.__cause__, 7) == seconds


@every_case("form", QUESTIONS)
@every_case("status", [400, 401, 404])
def test_a_model_that_refuses_is_not_asked_again(form: Form, status: int) -> None:
    with (
        vendor(status) as (address, requests),
        pytest.raises(ModelError, match="toy did not answer"),
    ):
        model_at(f"{address}/v1").ask(Request(form, QUESTIONS[form]))
    assert len(requests) == 1


@every_case(
    ("form", "answer", "why"),
    [
        ("messages", {"type": "message"}, "has no content"),
        (
            "responses",
            response(status="failed", error={"code": "x", "message": "Broken."}),
            "Broken",
        ),
        ("chat", {**chat(""), "choices": []}, "has no choices|did not answer"),
    ],
)
def test_an_answer_without_content_is_a_model_error(
    form: Form, answer: dict[str, Any], why: str
) -> None:
    with vendor(answer) as (address, _), pytest.raises(ModelError, match=why):
        model_at(f"{address}/v1", retries=0).ask(Request(form, QUESTIONS[form]))


@every_case("end", ["", "/", "/v1", "/v1/"])
def test_messages_are_sent_to_the_same_address_with_or_without_the_version(end: str) -> None:
    with vendor(FINE["messages"]) as (address, requests):
        model_at(address + end).ask(Request("messages", QUESTIONS["messages"]))
    assert [form for form, _, _ in requests] == ["messages"]


def test_the_beta_header_of_an_earlier_computer_tool_is_sent() -> None:
    headers = {"anthropic-beta": "computer-use-2025-11-24"}
    with vendor(FINE["messages"]) as (address, requests):
        body = {**QUESTIONS["messages"], "extra_headers": headers}
        model_at(address).ask(Request("messages", body))
    _, sent, arrived = requests[0]
    assert arrived["anthropic-beta"] == "computer-use-2025-11-24"
    assert "extra_headers" not in sent


def test_messages_are_sent_from_several_threads_and_leave_event_loops_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    loop = asyncio.get_event_loop_policy().get_event_loop()
    with vendor(FINE["messages"]) as (address, requests):
        model, question = model_at(address), Request("messages", QUESTIONS["messages"])
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda _: model.ask(question), range(8)))
        answers.append(model.ask(question))
    assert {answer.body["content"][0]["text"] for answer in answers} == {"hello"}
    assert len(requests) == 9
    assert asyncio.get_event_loop_policy().get_event_loop() is loop
    assert "event loop changed" not in caplog.text  # litellm's worker, which then loses what it has


REASONED: dict[Form, tuple[dict[str, Any], Any]] = {
    "chat": (
        chat("Hm.") | {"usage": {
            "prompt_tokens": 9, "completion_tokens": 7, "total_tokens": 16,
            "completion_tokens_details": {"reasoning_tokens": 5},
        }},
        lambda body: body["reasoning_effort"],
    ),
    "messages": (
        message(text_block("Hm."), usage={
            "input_tokens": 9, "output_tokens": 7, "output_tokens_details": {"thinking_tokens": 5},
        }),
        lambda body: body["output_config"]["effort"],
    ),
    "responses": (
        response(usage={
            "input_tokens": 9, "output_tokens": 7, "total_tokens": 16,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 5},
        }),
        lambda body: body["reasoning"]["effort"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", REASONED)
def test_the_effort_reaches_the_server_and_reasoning_tokens_are_counted(form: Form) -> None:
    answer, effort_in = REASONED[form]
    check_answer(form, answer)
    key = "input" if form == "responses" else "messages"
    question = Request(form, {key: [{"role": "user", "content": "?"}]})
    silent = {**answer, "usage": {**answer["usage"]}}
    for details in ("completion_tokens_details", "output_tokens_details"):
        silent["usage"].pop(details, None)
    with vendor(answer, silent) as (address, requests):
        # litellm sends an effort in the messages API to models that it knows only.
        config = ModelConfig(name="claude-opus-4-7", base_url=f"{address}/v1", effort="high")
        model = LiteModel(config, read_prices())
        usage = model.ask(question).usage
        unknown = model.ask(question).usage
    assert effort_in(requests[0][1]) == "high"
    assert (usage.output_tokens, usage.reasoning_tokens) == (7, 5)
    assert (unknown.output_tokens, unknown.reasoning_tokens) == (7, None)
    assert (usage + unknown).reasoning_tokens is None
    assert (usage + usage).reasoning_tokens == 10
