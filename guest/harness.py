"""The host's side of the door: routes under /harness that no agent is told of."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from typing import Any, Optional, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from ambidex.guest import COLLECTOR, HARNESS, HarnessError
from ambidex.guest.freezing import Freezer
from ambidex.guest.guard import Token
from ambidex.guest.identity import Identity, assume, set_clock
from ambidex.guest.journal import Journal
from ambidex.guest.suites import run_suite
from ambidex.guest.tools import Server
from ambidex.guest.wire import Message
from ambidex.guest.workers import Worker, WorkerError, WorkerRefusalError

__all__ = ["Harness", "on_error"]

log = logging.getLogger("ambidex.guest.harness")

M = TypeVar("M", bound=BaseModel)
GRACE = 30.0
"""Seconds a worker may take beyond the time that a request gave it."""
UNDISTURBED = 3
"""How often evidence is read that was read while something ran."""
SURVEYED = 120.0
"""Seconds for a survey of all files."""


class Asked(BaseModel):
    """Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class Look(Asked):
    """Query of a screenshot."""

    settle: float = Field(0, ge=0, le=120)
    work: float = Field(0, ge=0, le=720)
    still: float = Field(0.3, ge=0, le=30)
    known: str = ""


class Run(Asked):
    """A command."""

    argv: list[str] = Field(min_length=1)
    cwd: Optional[str] = None
    env: dict[str, str] = {}
    input: Optional[str] = None
    timeout: float = Field(60, gt=0, le=3600)
    background: bool = False


class File(Asked):
    """Query of a file."""

    path: str = Field(min_length=1)


class Question(Asked):
    """A question that files answer."""

    do: str = Field(min_length=1)
    given: dict[str, Any] = Field({}, alias="with")


class Suite(Asked):
    """Query of a test suite, whose text is the body."""

    address: str = Field(min_length=1, max_length=100)
    modules: str
    function: str = Field(pattern=r"^[A-Za-z_]\w*$")
    within: float = Field(gt=0, le=600)


class WaitWindow(Asked):
    """A window to wait for."""

    title: str = Field(min_length=1)
    timeout: float = Field(30, gt=0, le=600)


class Tree(Asked):
    """Bounds of an accessibility tree."""

    depth: int = Field(30, ge=1, le=100)
    nodes: int = Field(500, ge=1, le=20_000)
    seconds: float = Field(5, gt=0, le=120)


def checked(model: type[M], given: Any) -> M:
    """What was asked, typed; 400 names every wrong field."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        said = [
            f"{'.'.join(map(str, item['loc'])) or 'body'}: {item['msg']}"
            for item in error.errors(include_url=False)
        ]
        allowed = ", ".join(model.model_fields)
        message, hint = f"{'; '.join(said)}.", f"Fields: {allowed}."
        raise HarnessError(message, code="bad_request", hint=hint) from None


async def body_of(request: Request, model: type[M]) -> M:
    """The JSON body of a request, typed."""
    try:
        given = json.loads(await request.body())
    except ValueError as error:
        raise HarnessError(f"The body is not JSON: {error}.", code="bad_request") from None
    return checked(model, given)


async def on_error(request: Request, error: Exception) -> Response:
    """A `HarnessError` as the answer it stands for."""
    assert isinstance(error, HarnessError)
    said = {"code": error.code, "message": error.message, "hint": error.hint}
    return JSONResponse({"error": said}, status_code=error.status)


class Harness:
    """The routes, over the workers and what the door keeps."""

    def __init__(
        self,
        workers: dict[str, Worker],
        server: Server,
        token: Token,
        journal: Journal,
        catalogue: str,
        frozen: Freezer,
    ) -> None:
        self._workers = workers
        self._frozen = frozen
        self._processes = workers[HARNESS].processes
        self._root: Optional[bool] = None
        self._server = server
        self._token = token
        self._journal = journal
        self._catalogue = catalogue
        self.warmed: list[int] = []
        """Status of each of the door's own first questions; empty while they are being asked."""

    async def warm_up(self) -> None:
        """Do once what a host asks for first; what fails here is said by health."""
        for do, given in (
            ("check", {}),
            ("screenshot", Look(settle=0, work=0, still=0).model_dump()),
            ("check", {}),
        ):
            with contextlib.suppress(HarnessError):
                await self._ask(do, given, 0)

    def routes(self) -> list[Route]:
        """For the application."""
        return [
            Route("/harness/health", self.health),
            Route("/harness/screenshot", self.screenshot),
            Route("/harness/run", self.run, methods=["POST"]),
            Route("/harness/file", self.put_file, methods=["PUT"]),
            Route("/harness/wait_window", self.wait_window, methods=["POST"]),
            Route("/harness/identity", self.identity, methods=["POST"]),
            Route("/harness/accessibility", self.accessibility),
            Route("/harness/journal", self.journal),
            Route("/harness/freeze", self.freeze, methods=["POST"]),
            Route("/harness/freeze", self.thaw, methods=["DELETE"]),
            Route("/harness/evidence/file", self.evidence),
            Route("/harness/evidence/list", self.listing),
            Route("/harness/evidence/survey", self.survey),
            Route("/harness/suite", self.suite, methods=["POST"]),
            Route("/harness/evidence/ask", self.question, methods=["POST"]),
        ]

    async def _ask(
        self, do: str, given: dict[str, Any], within: float, body: bytes = b""
    ) -> Message:
        """The harness worker's reply; every failure as the answer the host gets."""
        if self._frozen.on:
            message = "The desktop is frozen: only the evidence can be asked for."
            raise HarnessError(message, code="frozen", status=409)
        return await self._of(HARNESS, do, given, within, body)

    async def _collected(self, do: str, given: dict[str, Any], within: float) -> Message:
        """The collector's reply; given while the desktop was frozen, once it is."""
        for _ in range(UNDISTURBED):
            reply = await self._of(COLLECTOR, do, given, within)
            if not self._frozen.on or await self._frozen.still():
                return reply
            await self._frozen.freeze()
        message = "Processes of the desktop user were started again and again meanwhile."
        raise HarnessError(message, code="not_frozen", status=503)

    async def _of(
        self, worker: str, do: str, given: dict[str, Any], within: float, body: bytes = b""
    ) -> Message:
        try:
            return await self._workers[worker].ask(do, given, within + GRACE, body)
        except WorkerRefusalError as refused:
            error = refused.error
            if error["kind"] == "bug":
                log.error("%s failed inside:\n%s", do, error["traceback"])
            status = error.get("status", 500)
            text = (error["message"], error["code"], error["hint"])
            raise HarnessError(text[0], code=text[1], hint=text[2], status=status) from None
        except WorkerError as error:
            raise HarnessError(str(error), code=error.code, status=503) from None

    async def health(self, request: Request) -> Response:
        """Ready, or how far each part is."""
        said = await self._report("check")
        return JSONResponse(said, status_code=200 if said["ready"] else 503)

    async def _report(self, do: str) -> dict[str, Any]:
        """What health says, of the checks that this verb of the harness worker makes."""
        checks: dict[str, dict[str, Any]] = {
            f"worker {name}": {"ok": worker.up, "seen": worker.stage}
            for name, worker in self._workers.items()
        }
        size = None
        if self._workers[HARNESS].up:
            try:
                seen = (await self._ask(do, {}, 0)).head["value"]
            except HarnessError as error:
                checks["session"] = {"ok": False, "seen": error.message}
            else:
                checks.update(seen["checks"])
                size = seen["screen"]
        seen_first = ", ".join(map(str, self.warmed)) or "not yet"
        checks["first answers"] = {"ok": set(self.warmed) == {200}, "seen": seen_first}
        return {
            "ready": all(check["ok"] for check in checks.values()),
            "checks": checks,
            "screen": size,
            "catalogue": self._catalogue,
            "user": self._workers[HARNESS].processes.account.name,
            "agent_is_root": await self._rights(),
            "clock": time.time(),
        }

    async def _rights(self) -> bool:
        """Whether the desktop user may become root, as it was when that was first asked."""
        if self._root is None and self._workers[COLLECTOR].up:
            self._root = bool((await self._of(COLLECTOR, "rights", {}, 10)).head["value"])
        return bool(self._root)

    async def screenshot(self, request: Request) -> Response:
        """A frame, a patch over a known one, or 304."""
        asked = checked(Look, dict(request.query_params))
        reply = await self._ask("screenshot", vars(asked), max(asked.settle, asked.work))
        frame = json.dumps(reply.head["value"], separators=(",", ":"))
        headers = {"Ambidex-Frame": frame}
        if reply.head["value"]["rect"] is None:
            return Response(status_code=304, headers=headers)
        return Response(reply.body, headers=headers, media_type="application/octet-stream")

    async def run(self, request: Request) -> Response:
        """A command as the desktop user."""
        asked = await body_of(request, Run)
        return JSONResponse((await self._ask("run", vars(asked), asked.timeout)).head["value"])

    async def put_file(self, request: Request) -> Response:
        """Write a file."""
        asked = checked(File, dict(request.query_params))
        reply = await self._ask("write", vars(asked), 60, await request.body())
        return JSONResponse(reply.head["value"])

    async def wait_window(self, request: Request) -> Response:
        """Wait until a window is there."""
        asked = await body_of(request, WaitWindow)
        reply = await self._ask("wait_window", vars(asked), asked.timeout)
        return JSONResponse({"window": reply.head["value"]})

    async def identity(self, request: Request) -> Response:
        """Become another machine, and say how it is."""
        asked = await body_of(request, Identity)
        looking = asyncio.create_task(self._report("renew"))
        await asyncio.sleep(0)  # until it waits for the worker, which looks meanwhile
        self._server.forget()
        skipped = assume(asked, self._token)
        health = await looking
        skipped.update(set_clock(asked))
        health["clock"] = time.time()
        for name, why in skipped.items():
            log.warning("identity: %s was not renewed: %s", name, why)
        return JSONResponse({"skipped": skipped, "health": health})

    async def accessibility(self, request: Request) -> Response:
        """The accessibility tree, bounded."""
        asked = checked(Tree, dict(request.query_params))
        reply = await self._ask("accessible", vars(asked), asked.seconds)
        return JSONResponse(reply.head["value"])

    async def freeze(self, request: Request) -> Response:
        """Stop every process of the desktop user, until the machine is reverted."""
        return JSONResponse({"stopped": await self._frozen.freeze()})

    async def thaw(self, request: Request) -> Response:
        """Let them run again."""
        await self._frozen.thaw()
        return JSONResponse({})

    async def evidence(self, request: Request) -> Response:
        """What is at a path, read by the collector: its kind in a header, and its content."""
        asked = checked(File, dict(request.query_params))
        reply = await self._collected("read", vars(asked), 60)
        about = json.dumps(reply.head["value"], separators=(",", ":"))
        headers = {"Ambidex-File": about}
        return Response(reply.body, headers=headers, media_type="application/octet-stream")

    async def listing(self, request: Request) -> Response:
        """Every path below a folder, by the collector."""
        asked = checked(File, dict(request.query_params))
        return JSONResponse((await self._collected("list", vars(asked), 60)).head["value"])

    async def survey(self, request: Request) -> Response:
        """Every file with its content's hash, by the collector."""
        return JSONResponse((await self._collected("survey", {}, SURVEYED)).head["value"])

    async def question(self, request: Request) -> Response:
        """What files answer, by the collector."""
        asked = await body_of(request, Question)
        reply = await self._collected("ask", {"do": asked.do, "with": asked.given}, 120)
        return JSONResponse({"value": reply.head["value"]})

    async def suite(self, request: Request) -> Response:
        """The report of a test suite on the agent's code, which runs elsewhere."""
        asked = checked(Suite, dict(request.query_params))
        given = {**vars(asked), "modules": [each for each in asked.modules.split(",") if each]}
        return JSONResponse(await run_suite(self._processes, given, await request.body()))

    async def journal(self, request: Request) -> Response:
        """What the door did of late."""
        return PlainTextResponse(self._journal.text())
