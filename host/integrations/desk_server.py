"""Desks over HTTP, for programs that cannot import Ambidex: their packages need another Python or
other versions of what it uses. `outside/ambidex_desktop` is the client.

    GET    /tasks                 {name, instruction} of each task; its instance 2 is NAME@2
    POST   /desks                 take a machine: {id}; waits until one is free
    POST   /desks/ID/reset        {task} (null: none) → {instruction, tools, screen}
    POST   /desks/ID/step         {calls, stop, answer} → {results, screen, outcome}
    POST   /desks/ID/finish       {stop, answer} → the outcome
    POST   /desks/ID/oracle       play the task's first oracle → {results, stop, answer}
    POST   /desks/ID/fork         a desk in the same state: {id}
    POST   /desks/ID/tools_token  {token}: opens the guest's own MCP server, for programs inside
    POST   /desks/ID/run          {argv, cwd, env, input, timeout} → {returncode, stdout, stderr}
    GET    /desks/ID/file?path=   a file's content; PUT writes one
    DELETE /desks/ID              give the machine back

Screens are PNG, in base64. An outcome is {reward, score, reason, stop}, or null.
"""

from __future__ import annotations

import base64
import queue
import secrets
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from threading import Lock
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ambidex.host import Decision, Observation, Stop, ToolCall
from ambidex.host.agents.oracle import oracle_names
from ambidex.host.errors import GuestError, MachineError, UsageError
from ambidex.host.integrations.desk import Desk, DeskOptions, Outcome
from ambidex.tasks import Task, instances_by_name
from ambidex.vm import Machine
from ambidex.vm.closing import Closing
from ambidex.vm.machines.door import new_token

__all__ = ["Desks", "desk_app"]

WAITS = 600.0
"""Seconds that a request for a machine waits until one is free."""


class CallBody(BaseModel):
    """One call of a tool."""

    model_config = ConfigDict(extra="forbid")

    name: str
    arguments: dict[str, Any] = {}


class StepBody(BaseModel):
    """A decision."""

    model_config = ConfigDict(extra="forbid")

    calls: list[CallBody] = []
    stop: Stop | None = None
    answer: str | None = None
    thought: str = ""


class RunBody(BaseModel):
    """A program to run as the desktop user."""

    model_config = ConfigDict(extra="forbid")

    argv: list[str]
    cwd: str | None = None
    env: dict[str, str] = {}
    input: str | None = None
    timeout: float = 60.0


@dataclass
class Lent:
    """A desk in use; `give_back` ends a fork, or frees the machine."""

    desk: Desk
    give_back: Callable[[], None]
    lock: Lock = field(default_factory=Lock)


class Desks(Closing):
    """Desks on a fixed number of machines, lent by id."""

    def __init__(
        self, machines: Sequence[Machine], tasks: Sequence[Task], options: DeskOptions
    ) -> None:
        self.tasks = instances_by_name(tasks)
        self._exit = ExitStack()
        self._free: queue.Queue[Desk] = queue.Queue()
        self._lent: dict[str, Lent] = {}
        for machine in machines:
            self._free.put(self._exit.enter_context(Desk(machine, options)))

    def close(self) -> None:
        """End forks, and close all connections."""
        for id in list(self._lent):
            self.give_back(id)
        self._exit.close()

    def take(self) -> str:
        """The id of a desk that is free; `UsageError` if none becomes free in time."""
        try:
            desk = self._free.get(timeout=WAITS)
        except queue.Empty:
            raise UsageError(
                "all machines are in use", hint="Serve with more --machines."
            ) from None
        return self._lend(Lent(desk, lambda: self._free.put(desk)))

    def fork(self, id: str) -> str:
        """The id of a desk in the present state of another one."""
        with self.desk(id) as desk, ExitStack() as stack:
            fork = stack.enter_context(desk.fork())
            return self._lend(Lent(fork, stack.pop_all().close))

    def give_back(self, id: str) -> None:
        """End the use of a desk."""
        with self.desk(id):
            lent = self._lent.pop(id)
        lent.give_back()

    @contextmanager
    def desk(self, id: str) -> Iterator[Desk]:
        """The desk of that id, for one request at a time; `UsageError` if there is none."""
        if id not in self._lent:
            raise UsageError(f"there is no desk {id}")
        with self._lent[id].lock:
            yield self._lent[id].desk

    def task(self, name: str | None) -> Task | None:
        """The task of that name; `UsageError` if there is none."""
        if name is not None and name not in self.tasks:
            raise UsageError(f"there is no task {name!r}", hint=f"Tasks: {', '.join(self.tasks)}.")
        return self.tasks[name] if name is not None else None

    def _lend(self, lent: Lent) -> str:
        id = uuid.uuid4().hex
        self._lent[id] = lent
        return id


Handler = Callable[[Desk, Any], Any]


def desk_app(desks: Desks, token: str) -> Starlette:
    """The web application. Requests without `Authorization: Bearer TOKEN` are refused."""

    def route(path: str, handler: Callable[[Request, bytes], Any], method: str) -> Route:
        async def endpoint(request: Request) -> Response:
            given = request.headers.get("authorization", "")
            if not secrets.compare_digest(given.encode(), f"Bearer {token}".encode()):
                return _error("this needs the server's token", 401)
            try:
                answer = await run_in_threadpool(handler, request, await request.body())
            except ValidationError as error:
                return _error(str(error), 400)
            except UsageError as error:
                return _error(f"{error} {error.hint}".strip(), 400)
            except (GuestError, MachineError) as error:
                return _error(f"{type(error).__name__}: {error} {error.hint}".strip(), 503)
            return Response(answer) if isinstance(answer, bytes) else JSONResponse(answer)

        return Route(path, endpoint, methods=[method])

    def with_desk(
        path: str, handler: Handler, body: type[BaseModel], method: str = "POST"
    ) -> Route:
        def handle(request: Request, content: bytes) -> Any:
            with desks.desk(request.path_params["id"]) as desk:
                return handler(desk, body.model_validate_json(content or b"{}"))

        return route(f"/desks/{{id}}{path}", handle, "POST")

    def reset(desk: Desk, body: ResetBody) -> Any:
        task = desks.task(body.task)
        observation = desk.reset(task)
        tools = [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in observation.tools
        ]
        instruction = task.spec.instruction if task else ""
        return {"instruction": instruction, "tools": tools, **_seen(observation)}

    def get_file(request: Request, content: bytes) -> Any:
        with desks.desk(request.path_params["id"]) as desk:
            return desk.guest.get(request.query_params.get("path", ""))

    def put_file(request: Request, content: bytes) -> Any:
        with desks.desk(request.path_params["id"]) as desk:
            desk.guest.put(request.query_params.get("path", ""), content)
        return {}

    def give_back(request: Request, content: bytes) -> Any:
        desks.give_back(request.path_params["id"])
        return {}

    tasks = [
        {"name": name, "instruction": task.spec.instruction} for name, task in desks.tasks.items()
    ]
    return Starlette(
        routes=[
            route("/tasks", lambda request, content: tasks, "GET"),
            route("/desks", lambda request, content: {"id": desks.take()}, "POST"),
            route(
                "/desks/{id}/fork",
                lambda request, content: {"id": desks.fork(request.path_params["id"])},
                "POST",
            ),
            route("/desks/{id}/file", get_file, "GET"),
            route("/desks/{id}/file", put_file, "PUT"),
            route("/desks/{id}", give_back, "DELETE"),
            with_desk("/reset", reset, ResetBody),
            with_desk("/step", _step, StepBody),
            with_desk("/finish", _finish, StepBody),
            with_desk("/oracle", _oracle, ResetBody),
            with_desk("/tools_token", _tools_token, NoBody),
            with_desk("/run", _run, RunBody),
        ]
    )


class NoBody(BaseModel):
    """Nothing."""

    model_config = ConfigDict(extra="forbid")


class ResetBody(BaseModel):
    """The task to begin."""

    model_config = ConfigDict(extra="forbid")

    task: str | None = None


def _step(desk: Desk, body: StepBody) -> Any:
    calls = tuple(ToolCall(uuid.uuid4().hex, call.name, call.arguments) for call in body.calls)
    decision = Decision(thought=body.thought, calls=calls, stop=body.stop, answer=body.answer)
    observation, outcome = desk.step(decision)
    return {**_seen(observation), "outcome": _outcome(outcome)}


def _finish(desk: Desk, body: StepBody) -> Any:
    return _outcome(desk.finish(body.stop or Stop.DONE, body.answer))


def _oracle(desk: Desk, body: ResetBody) -> Any:
    oracle = next(iter(oracle_names(desk.task).values()), None)
    if oracle is None:
        raise UsageError(f"{desk.task.name} has no oracle")
    results = []
    for call in oracle.calls:
        result = desk.guest.call(ToolCall(uuid.uuid4().hex, call.call, call.with_))
        results.append({"call": call.call, "text": result.text, "error": result.error})
    return {"results": results, "stop": oracle.stop, "answer": oracle.answer}


def _tools_token(desk: Desk, body: NoBody) -> Any:
    if desk.options.condition != "hybrid":
        raise UsageError(
            "the guest's MCP server offers all tools, whatever the condition",
            hint="Serve with --condition hybrid.",
        )
    token = new_token()
    desk.guest.admit_to_tools(token)
    return {"token": token}


def _run(desk: Desk, body: RunBody) -> Any:
    result = desk.guest.run(
        body.argv, cwd=body.cwd, env=body.env, input=body.input, timeout=body.timeout
    )
    return {
        "returncode": result.returncode,
        "stdout": result.stdout,
        "stderr": result.stderr,
        "timed_out": result.timed_out,
    }


def _seen(observation: Observation) -> Mapping[str, Any]:
    frame = observation.screenshot
    return {
        "screen": base64.b64encode(frame.png()).decode() if frame else None,
        "results": [{"text": one.text, "error": one.error} for one in observation.results],
    }


def _outcome(outcome: Outcome | None) -> Any:
    return asdict(outcome) if outcome else None


def _error(message: str, status: int) -> Response:
    return JSONResponse({"error": message}, status)
