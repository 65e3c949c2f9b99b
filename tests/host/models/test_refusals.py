"""What is said of a server that does not answer, in every API, with a real server."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from starlette.applications import Starlette
from starlette.requests import Request as Asked
from starlette.responses import Response
from starlette.routing import Route

from ambidex.host import Form, Request
from ambidex.host.errors import ModelError
from ambidex.host.models.libraries import libraries
from ambidex.host.models.model import LiteModel
from ambidex.host.models.prices import read_prices
from ambidex.host.models.refusals import LONGEST
from ambidex.host.records.config import ModelConfig
from ambidex.host.runs.first_request import BODIES
from tests.support.serving import serve
from tests.support.tables import every_case

FORMS: list[Form] = ["chat", "messages", "responses"]
PAGE = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>proxy</body></html>"


def openai(message: str) -> str:
    return json.dumps({"error": {"message": message, "type": "x", "code": "y"}})


@contextmanager
def server(status: int, kind: str, body: str) -> Iterator[tuple[str, list[str]]]:
    """A server that gives every request the same response, and the paths it was asked for."""
    asked: list[str] = []

    async def answer(request: Asked) -> Response:
        asked.append(request.url.path)
        return Response(body, status, media_type=kind)

    with serve(Starlette(routes=[Route("/{path:path}", answer, methods=["POST"])])) as address:
        yield f"{address}/v1", asked


def refusal(address: str, form: Form, retries: int = 1) -> ModelError:
    config = ModelConfig(name="toy", base_url=address, retries=retries)
    with pytest.raises(ModelError) as refused:
        LiteModel(config, read_prices()).ask(Request(form, BODIES[form]))
    return refused.value


@every_case("form", FORMS)
@every_case(
    ("status", "kind", "body", "said", "fatal"),
    [
        (401, "application/json", openai("No such key."), "HTTP 401: No such key.", True),
        (403, "text/plain", "forbidden", "HTTP 403: forbidden", True),
        (404, "application/json", '{"detail": "Not Found"}', "HTTP 404: Not Found", True),
        (400, "application/json", openai("128 tools"), "HTTP 400: 128 tools", True),
        (200, "text/html", PAGE, "HTTP 200: an HTML page instead of JSON, titled 'Sign in'", True),
        (
            500,
            "application/json",
            openai("CUDA out of memory. " + 3 * LONGEST * "x"),
            "HTTP 500: CUDA out of memory. x",
            False,
        ),
    ],
)
def test_the_server_s_own_text_is_shown_and_what_it_would_repeat_is_asked_once(
    form: Form, status: int, kind: str, body: str, said: str, fatal: bool
) -> None:
    with server(status, kind, body) as (address, asked):
        error = refusal(address, form, retries=1 if fatal else 0)
    assert f"toy did not answer: {said}" in str(error)
    assert "Error: " not in str(error)
    assert error.fatal is fatal
    assert len(asked) == 1
    assert len(str(error)) < LONGEST + 100


def test_a_server_that_is_not_there_is_no_refusal() -> None:
    error = refusal("http://127.0.0.1:1/v1", "chat", retries=0)
    assert "no connection" in str(error)
    assert "Connection refused" in str(error)
    assert "server is running" in error.hint
    assert not error.fatal


def test_a_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelError, match="OPENAI_API_KEY") as refused:
        LiteModel(ModelConfig(name="openai/gpt-5"), read_prices()).ask(
            Request("chat", BODIES["chat"])
        )
    assert refused.value.fatal


class Stopped(threading.Event):
    """Set once a pause has begun."""

    def wait(self, timeout: float | None = None) -> bool:
        self.set()
        return super().wait(timeout)


def test_an_interrupt_ends_the_pause_before_a_retry() -> None:
    with server(500, "text/plain", "busy") as (address, asked):
        config = ModelConfig(name="toy", base_url=address, retries=9)
        with pytest.raises(ModelError, match="interrupted"):
            LiteModel(config, read_prices(), Stopped()).ask(Request("chat", BODIES["chat"]))
    assert len(asked) == 1


def test_an_interrupt_does_not_wait_for_an_answer() -> None:
    stopped = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = "http://{}:{}/v1".format(*silent.getsockname())
        model = LiteModel(
            ModelConfig(name="toy", base_url=address, retries=0), read_prices(), stopped
        )
        later = threading.Timer(0.2, stopped.set)
        later.start()
        with pytest.raises(ModelError, match="interrupted"):
            model.ask(Request("chat", BODIES["chat"]))
        later.join(60)
    for thread in threading.enumerate():
        if thread.name == "toy is asked":
            thread.join(30)
            assert not thread.is_alive(), "it ends with the connection"


def test_the_client_is_imported_before_the_first_request(monkeypatch: pytest.MonkeyPatch) -> None:
    imported: list[bool] = []

    def recording() -> object:
        imported.append(True)
        return libraries()

    monkeypatch.setattr("ambidex.host.models.model.libraries", recording)
    LiteModel(ModelConfig(name="toy"), read_prices())
    assert imported
