"""A model's server that misbehaves: what becomes of a trial, and what a person is told."""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ambidex.host import Limits
from ambidex.host.agents import agent_maker
from ambidex.host.errors import ModelError
from ambidex.host.models.libraries import libraries
from ambidex.host.models.model import LiteModel
from ambidex.host.models.prices import read_prices
from ambidex.host.records.causes import cause_of, outcome_of_row
from ambidex.host.records.config import ModelConfig, RunConfig, adopt, locked
from ambidex.host.records.rows import Row
from ambidex.host.runs.first_request import TEXT, ask_each_model
from ambidex.host.runs.machines import MachineOptions, open_machines
from ambidex.host.runs.runner import MakeMachine, plan, run_jobs
from ambidex.tasks import Suite
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite

__all__ = ["BEHAVIOURS", "Misbehaving", "Outcome", "first_request", "misbehaving", "one_trial"]

SUITE = Path(__file__).parents[1] / "tasks" / "demo"
LIMITS = Limits(steps=5, seconds=120)


class Handler(BaseHTTPRequestHandler):
    """One connection to the server."""

    server: Misbehaving
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer well, if that is due; otherwise misbehave."""
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if self.server.polite and TEXT in body:
            self.answer({"role": "assistant", "content": "OK"})
            return
        self.server.requests += 1
        self.server.behave(self)

    def answer(self, message: Mapping[str, Any]) -> None:
        """Send a completion with this message."""
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
        shell = {"id": "x", "object": "chat.completion", "created": 1, "model": "toy"}
        self.send(200, json.dumps({**shell, "choices": [choice], "usage": usage}))

    def call(self, name: str, arguments: str) -> None:
        """Send a completion that calls a tool."""
        function = {"name": name, "arguments": arguments}
        calls = [{"id": "call-1", "type": "function", "function": function}]
        self.answer({"role": "assistant", "content": None, "tool_calls": calls})

    def fail(self, status: int, message: str, retry_after: str = "") -> None:
        """Send an error as OpenAI's API does."""
        text = json.dumps({"error": {"message": message, "type": "error"}})
        self.send(status, text, retry_after=retry_after)

    def send(self, status: int, text: str, *, missing: int = 0, retry_after: str = "") -> None:
        """Send a response; `missing` bytes of what is announced never follow."""
        content = text.encode()
        self.send_response(status)
        kind = "text/html" if text.startswith("<") else "application/json"
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content) + missing))
        if retry_after:
            self.send_header("retry-after", retry_after)
        self.end_headers()
        self.wfile.write(content)
        if missing:
            self.close_connection = True

    def hang(self) -> None:
        """Do not answer until the server ends."""
        self.server.ended.wait(120)
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Be silent."""


Behaviour = Callable[[Handler], None]

LONG = "This model's maximum context length is 8192 tokens. Your messages have 9000 tokens."

BEHAVIOURS: Mapping[str, Behaviour] = {
    "text without a call": lambda handler: handler.answer(
        {"role": "assistant", "content": "I will do it."}
    ),
    "unknown tool": lambda handler: handler.call("files_fly", "{}"),
    "half JSON": lambda handler: handler.call("files_move", '{"source": "~/Downl'),
    "500": lambda handler: handler.fail(500, "CUDA out of memory"),
    "200 with HTML": lambda handler: handler.send(200, "<html><title>Welcome</title></html>"),
    "401": lambda handler: handler.fail(401, "Incorrect API key provided: none"),
    "404": lambda handler: handler.fail(404, "The model `toy` does not exist"),
    "429": lambda handler: handler.fail(429, "Rate limit reached"),
    "429, retry-after 2": lambda handler: handler.fail(429, "Rate limit reached", retry_after="2"),
    "no answer": lambda handler: handler.hang(),
    "cut off": lambda handler: handler.send(200, '{"id": "x", "cho', missing=500),
    "context too long": lambda handler: handler.fail(400, LONG),
}


class Misbehaving(ThreadingHTTPServer):
    """A server with OpenAI's chat completions API and one behaviour."""

    daemon_threads = True

    def __init__(self, behave: Behaviour, *, polite: bool) -> None:
        """`polite`: the small request before a run is answered well."""
        super().__init__(("127.0.0.1", 0), Handler)
        self.behave = behave
        self.polite = polite
        self.requests = 0
        """Number of requests that got the bad behaviour."""
        self.ended = threading.Event()

    def handle_error(self, request: object, client_address: object) -> None:
        """Be silent: clients that give up close their connections."""


@contextmanager
def served(behave: Behaviour, *, polite: bool) -> Iterator[tuple[Misbehaving, str]]:
    """Serve one behaviour; yields the server and its base URL."""
    with Misbehaving(behave, polite=polite) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server, f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.ended.set()
            server.shutdown()
            thread.join()


@dataclass(frozen=True)
class Outcome:
    """The outcome of one behaviour."""

    fate: str
    message: str
    seconds: float
    requests: int
    rows: tuple[Row, ...] = field(default=())


def model_at(address: str, *, timeout: float, retries: int) -> ModelConfig:
    """The model behind a server."""
    return ModelConfig(name="toy", base_url=address, timeout=timeout, retries=retries)


def first_request(behave: Behaviour, *, timeout: float, retries: int) -> Outcome:
    """What the small request before a run gets."""
    with served(behave, polite=False) as (server, address):
        model = model_at(address, timeout=timeout, retries=retries)
        began = time.monotonic()
        fate, message = "the run starts", ""
        try:
            ask_each_model([model], read_prices(), lambda text: None)
        except ModelError as error:
            fate, message = "no run, exit 3", f"{error}. {error.hint}"
        return Outcome(fate, message, time.monotonic() - began, server.requests)


def one_trial(
    behave: Behaviour,
    suite: Suite,
    folder: Path,
    make_machine: MakeMachine,
    *,
    timeout: float,
    retries: int,
    provider: str = "",
    image: str = "",
) -> Outcome:
    """What becomes of a trial if the server misbehaves from its first step on."""
    prices = read_prices()
    with served(behave, polite=True) as (server, address):
        config = RunConfig(
            version="bench",
            suite=str(suite.folder),
            tasks={task.name: task.hash for task in suite.tasks},
            agents=("model",),
            condition="hybrid",
            runs=1,
            limits=LIMITS,
            model=model_at(address, timeout=timeout, retries=retries),
            provider=provider,
            image=image,
        )
        began = time.monotonic()
        with locked(folder):
            adopt(folder, config)
            rows = run_jobs(
                plan(("model",), 1, suite),
                config,
                suite,
                folder,
                make_machine,
                agent_maker(config, lambda model: LiteModel(model, prices)),
            )
        seconds = time.monotonic() - began
    last = rows[-1]
    fate = outcome_of_row(last)
    if len(rows) > 1:
        fate += f", {len(rows)} attempts"
    return Outcome(fate, cause_of(last, LIMITS), seconds, server.requests, tuple(rows))


def misbehaving(
    *, task: str = "files-invoices", timeout: float = 5.0, retries: int = 2, only: str = ""
) -> None:
    """One task on a sandbox desktop with a model's server that misbehaves in every way: first from
    the small request before the run on, then from the first step on. `timeout` and `retries` are
    the model's; a run's defaults are higher. `only` is one behaviour's name."""
    suite = load_suite(SUITE, read_catalogue(), (task,))
    chosen = {name: behave for name, behave in BEHAVIOURS.items() if only in ("", name)}
    libraries()  # imported here, so that no row has the seconds that this takes
    before, during = _table("before the run"), _table("from the first step on")
    for name, behave in chosen.items():
        _add(before, name, first_request(behave, timeout=timeout, retries=retries))
    with (
        tempfile.TemporaryDirectory() as scratch,
        open_machines(MachineOptions(provider="sandbox"), _report) as source,
    ):
        for number, (name, behave) in enumerate(chosen.items()):
            folder = Path(scratch) / str(number)
            options = {"provider": source.provider, "image": source.image}
            outcome = one_trial(
                behave, suite, folder, source.make, timeout=timeout, retries=retries, **options
            )
            _add(during, name, outcome)
    console = Console(width=150)
    console.print(before)
    console.print(during)


def _table(title: str) -> Table:
    table = Table(title=f"A server that misbehaves {title}", title_justify="left")
    for name in ("the server sends", "fate", "message"):
        table.add_column(name, overflow="fold")
    for name in ("seconds", "requests"):
        table.add_column(name, justify="right")
    return table


def _add(table: Table, name: str, outcome: Outcome) -> None:
    _report(f"{name}: {outcome.fate}")
    numbers = f"{outcome.seconds:.1f}", str(outcome.requests)
    table.add_row(name, outcome.fate, outcome.message, *numbers)


def _report(line: str) -> None:
    print(line, file=sys.stderr)
