"""A conversation that is too long for its model ends the episode: it is the agent's failure."""

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

from ambidex.host import Form, Request, Stop
from ambidex.host.errors import ContextLimitError, ModelError
from ambidex.host.models.context_overflow import is_overflow
from ambidex.host.models.model import LiteModel
from ambidex.host.models.prices import read_prices
from ambidex.host.records.config import ModelConfig
from ambidex.host.records.trajectory import read_trajectory
from ambidex.tasks import Suite
from tests.support.answers import function, message, response, text_block, use
from tests.support.models import nothing_of_litellm_stays
from tests.support.serving import serve
from tests.support.suites import config_of, run_in
from tests.support.tables import every_case

__all__ = ["nothing_of_litellm_stays"]

Body = dict[str, Any]
PATHS: dict[Form, str] = {
    "chat": "/v1/chat/completions",
    "messages": "/v1/messages",
    "responses": "/v1/responses",
}


@contextmanager
def server(*answers: tuple[int, Body]) -> Iterator[tuple[str, list[str]]]:
    """A server that gives these answers in turn and repeats the last one, and the paths asked."""
    left, asked = list(answers), []

    async def answer(request: Asked) -> Response:
        asked.append(request.url.path)
        status, body = left.pop(0) if len(left) > 1 else left[0]
        return JSONResponse(body, status)

    app = Starlette(routes=[Route(path, answer, methods=["POST"]) for path in PATHS.values()])
    with serve(app, lifespan="off") as address:
        yield f"{address}/v1", asked


def failure(text: str, status: int = 400, **more: object) -> tuple[int, Body]:
    kind = {"type": "invalid_request_error", "message": text, **more}
    return status, {"type": "error", "error": kind}


FULL = (
    failure("This model's maximum context length is 4096 tokens. However, you requested 5000."),
    failure(
        "Your input exceeds the context window.", code="context_length_exceeded", param="input"
    ),
    failure("Please adjust your input and try again.", code="context_length_exceeded"),
    failure("prompt is too long: 208310 tokens > 200000 maximum"),
    failure("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"),
    failure("the request exceeds the available context size", type="exceed_context_size_error"),
    failure("The decoder prompt (length 5000) is longer than the maximum model length of 4096."),
    failure("The prompt is longer than the context: Context size has been exceeded.", 500),
)
OTHER = (
    failure("Your content is against the rules."),
    failure("Invalid 'tools[0].function.description': string too long. Expected a string with "
          "maximum length 1024, but got a string with length 1100 instead."),
    failure("Invalid value for max_tokens."),
)  # fmt: skip


def errors_of(form: Form, *said: tuple[int, Body]) -> list[ModelError]:
    """The error of each request that a server answers like this."""
    errors = []
    key = "input" if form == "responses" else "messages"
    request = Request(form, {key: [{"role": "user", "content": "?"}]})
    with server(*said) as (address, asked):
        model = LiteModel(ModelConfig(name="toy", base_url=address, retries=1), read_prices())
        for _ in said:
            with pytest.raises(ModelError) as raised:
                model.ask(request)
            errors.append(raised.value)
    assert len(asked) == len(said), "none is sent again"
    return errors


@pytest.mark.parametrize("form", PATHS)
def test_every_way_of_saying_that_the_context_is_full_is_understood(form: Form) -> None:
    for error in errors_of(form, *FULL):
        assert type(error) is ContextLimitError, error


@pytest.mark.parametrize("form", PATHS)
def test_other_refusals_are_not_a_full_context(form: Form) -> None:
    for error in errors_of(form, *OTHER):
        assert type(error) is ModelError, error
        assert error.refused


@every_case(
    ("text", "status"),
    [
        ("The input token count (9) exceeds the maximum number of tokens allowed (8)", 400),
        ("This model's maximum prompt length is 131072 but the request contains 537812", 400),
        ("Please reduce the length of the messages or completion.", 400),
        ("The number of tokens to keep is greater than the context length.", 400),
        ("Input is too long for requested model.", 413),
    ],
)
def test_the_words_of_other_servers(text: str, status: int) -> None:
    assert is_overflow(text, status)


def test_a_limit_on_tokens_per_minute_is_not_a_full_context() -> None:
    assert not is_overflow("prompt is too long for your limit of tokens per minute", 429)


def test_a_failed_response_may_say_that_the_context_is_full() -> None:
    failed = response(status="failed", error={"code": "context_length_exceeded", "message": "no"})
    (error,) = errors_of("responses", (200, failed))
    assert type(error) is ContextLimitError


SET = {"cell": "B2", "value": 42}
CHAT = {
    "id": "x",
    "object": "chat.completion",
    "created": 1,
    "model": "toy",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": f"c{number}",
                        "type": "function",
                        "function": {"name": name, "arguments": json.dumps(given)},
                    }
                    for number, (name, given) in enumerate(
                        [("calc_set_cell_value", SET), ("calc_save", {})]
                    )
                ],
            },
        }
    ],
    "usage": {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107},
}
SOLVED: dict[str, Body] = {
    "functions": CHAT,
    "anthropic": message(use("calc_set_cell_value", **SET), use("calc_save")),
    "openai": response(
        function("calc_set_cell_value", json.dumps(SET)), function("calc_save")
    ),
}  # fmt: skip


@pytest.mark.parametrize("dialect", SOLVED)
def test_a_full_context_ends_the_episode_which_is_judged_once(
    dialect: str, tmp_path: Path, suite: Suite
) -> None:
    with server((200, SOLVED[dialect]), FULL[0]) as (address, asked):
        model = ModelConfig(name="toy", base_url=address, dialect=dialect)
        config = config_of(suite, agents=("model",), model=model)
        rows = {row.task: row for row in run_in(tmp_path, suite, config)}
        count = len(asked)
        assert run_in(tmp_path, suite, config) == list(rows.values()), "a resume runs nothing"
        assert len(asked) == count
    cell, impossible = rows["cell"], rows["impossible"]
    assert (cell.fate, cell.stop, cell.ended_by) == ("scored", Stop.CONTEXT_LIMIT, "agent")
    # The first answer had solved it, and the second request, which was refused, was a step.
    assert (cell.score, cell.steps, cell.requests, cell.attempt) == (1.0, 2, 1, 1)
    # Here the first request was refused.
    assert (impossible.stop, impossible.score, impossible.steps) == (Stop.CONTEXT_LIMIT, 0.0, 1)
    *_, last, end = read_trajectory(tmp_path / cell.folder)
    assert end["stop"] == last["decision"]["stop"] == "context_limit"
    assert "maximum context length" in last["decision"]["thought"]


def test_an_answer_that_filled_the_context_is_the_last_step(tmp_path: Path, suite: Suite) -> None:
    cut = message(text_block("I wi"), stop="model_context_window_exceeded")
    with server((200, cut)) as (address, _):
        model = ModelConfig(name="toy", base_url=address, dialect="anthropic")
        rows = run_in(tmp_path, suite, config_of(suite, agents=("model",), model=model))
    assert {(row.stop, row.steps, row.requests, row.malformed) for row in rows} == {
        (Stop.CONTEXT_LIMIT, 1, 1, 0)
    }
