"""The host's routes of the door, under /harness. Agents do not see them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import time
from typing import Any, Optional

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from ambidex.guest import COLLECTOR, HARNESS, HarnessError
from ambidex.guest.freezing import Freezer
from ambidex.guest.guard import Token
from ambidex.guest.identity import Identity, assume, set_clock
from ambidex.guest.journal import Journal
from ambidex.guest.requests import (
    ClockRequest,
    CommandRequest,
    FileQuery,
    QuestionRequest,
    ScreenshotQuery,
    SuiteQuery,
    TokenRequest,
    TreeQuery,
    WindowRequest,
    parse_body,
    validate,
)
from ambidex.guest.suites import run_suite
from ambidex.guest.tools import Server
from ambidex.guest.wire import Message
from ambidex.guest.workers import Worker, WorkerError, WorkerRefusalError
from ambidex.guest.world import World

__all__ = ["Harness", "on_error"]

log = logging.getLogger("ambidex.guest.harness")

GRACE = 30.0
"""Seconds that a worker may take beyond the time given by a request."""
READS = 3
"""Attempts to read evidence while no process of the desktop user runs."""
SURVEY_WITHIN = 120.0
"""Seconds for a survey of all files."""


async def on_error(request: Request, error: Exception) -> Response:
    """The answer for a `HarnessError`."""
    assert isinstance(error, HarnessError)
    fields = {"code": error.code, "message": error.message, "hint": error.hint}
    return JSONResponse({"error": fields}, status_code=error.status)


class Harness:
    """The host's routes, implemented by the workers and by the door's own state."""

    def __init__(
        self,
        workers: dict[str, Worker],
        server: Server,
        token: Token,
        journal: Journal,
        catalogue: str,
        freezer: Freezer,
        world: World,
    ) -> None:
        self._workers = workers
        self._freezer = freezer
        self._world = world
        self._processes = workers[HARNESS].processes
        self._agent_is_root: Optional[bool] = None
        self._server = server
        self._token = token
        self._journal = journal
        self._catalogue = catalogue
        self.warmed: list[int] = []
        """Status of each of the door's own warm-up requests; empty until all are answered."""

    async def warm_up(self) -> None:
        """Execute a host's first requests once; failures are reported by health."""
        for do, given in (
            ("check", {}),
            ("screenshot", ScreenshotQuery(settle=0, work=0, still=0).model_dump()),
            ("check", {}),
        ):
            with contextlib.suppress(HarnessError):
                await self._ask(do, given, 0)

    def routes(self) -> list[Route]:
        """The routes for the application."""
        return [
            *self._world.routes(),
            Route("/harness/health", self.health),
            Route("/harness/screenshot", self.screenshot),
            Route("/harness/run", self.run, methods=["POST"]),
            Route("/harness/file", self.put_file, methods=["PUT"]),
            Route("/harness/wait_window", self.wait_window, methods=["POST"]),
            Route("/harness/identity", self.identity, methods=["POST"]),
            Route("/harness/clock", self.clock, methods=["POST"]),
            Route("/harness/tools_token", self.tools_token, methods=["POST"]),
            Route("/harness/servers", self.servers, methods=["POST"]),
            Route("/harness/accessibility", self.accessibility),
            Route("/harness/journal", self.journal),
            Route("/harness/freeze", self.freeze, methods=["POST"]),
            Route("/harness/freeze", self.thaw, methods=["DELETE"]),
            Route("/harness/sync", self.sync, methods=["POST"]),
            Route("/harness/evidence/file", self.evidence),
            Route("/harness/evidence/list", self.listing),
            Route("/harness/evidence/survey", self.survey),
            Route("/harness/suite", self.suite, methods=["POST"]),
            Route("/harness/evidence/ask", self.question, methods=["POST"]),
        ]

    async def _ask(
        self, do: str, given: dict[str, Any], within: float, body: bytes = b""
    ) -> Message:
        """The harness worker's reply; `HarnessError` if it fails or the desktop is frozen."""
        if self._freezer.frozen:
            message = "The desktop is frozen: only evidence can be read."
            raise HarnessError(message, code="frozen", status=409)
        return await self._ask_worker(HARNESS, do, given, within, body)

    async def _ask_collector(self, do: str, given: dict[str, Any], within: float) -> Message:
        """The collector's reply; once the desktop is frozen, one during which it stayed frozen."""
        for _ in range(READS):
            reply = await self._ask_worker(COLLECTOR, do, given, within)
            if not self._freezer.frozen or await self._freezer.all_stopped():
                return reply
            await self._freezer.freeze()
        message = "Processes of the desktop user were started repeatedly while evidence was read."
        raise HarnessError(message, code="not_frozen", status=503)

    async def _ask_worker(
        self, worker: str, do: str, given: dict[str, Any], within: float, body: bytes = b""
    ) -> Message:
        try:
            return await self._workers[worker].ask(do, given, within + GRACE, body)
        except WorkerRefusalError as refusal:
            error = refusal.error
            if error["kind"] == "bug":
                log.error("%s failed with a bug:\n%s", do, error["traceback"])
            status = error.get("status", 500)
            text = (error["message"], error["code"], error["hint"])
            raise HarnessError(text[0], code=text[1], hint=text[2], status=status) from None
        except WorkerError as error:
            raise HarnessError(str(error), code=error.code, status=503) from None

    async def health(self, request: Request) -> Response:
        """Whether the guest is ready, with the state of each part; 503 if it is not."""
        report = await self._report("check")
        return JSONResponse(report, status_code=200 if report["ready"] else 503)

    async def _report(self, do: str) -> dict[str, Any]:
        """The health report, with the checks of this operation of the harness worker."""
        checks: dict[str, dict[str, Any]] = {
            f"worker {name}": {"ok": worker.up, "seen": worker.stage}
            for name, worker in self._workers.items()
        }
        checks |= await self._world.checks()
        size = None
        if self._workers[HARNESS].up:
            try:
                value = (await self._ask(do, {}, 0)).head["value"]
            except HarnessError as error:
                checks["session"] = {"ok": False, "seen": error.message}
            else:
                checks.update(value["checks"])
                size = value["screen"]
        statuses = ", ".join(map(str, self.warmed)) or "not yet"
        checks["first answers"] = {"ok": set(self.warmed) == {200}, "seen": statuses}
        return {
            "ready": all(check["ok"] for check in checks.values()),
            "checks": checks,
            "screen": size,
            "catalogue": self._catalogue,
            "user": self._workers[HARNESS].processes.account.name,
            "agent_is_root": await self._may_become_root(),
            "clock": time.time(),
        }

    async def _may_become_root(self) -> bool:
        """Whether the desktop user may become root; checked once, at the first request."""
        if self._agent_is_root is None and self._workers[COLLECTOR].up:
            reply = await self._ask_worker(COLLECTOR, "rights", {}, 10)
            self._agent_is_root = bool(reply.head["value"])
        return bool(self._agent_is_root)

    async def screenshot(self, request: Request) -> Response:
        """A frame, a patch over a known frame, or 304 if that is unchanged."""
        query = validate(ScreenshotQuery, dict(request.query_params))
        reply = await self._ask("screenshot", vars(query), max(query.settle, query.work))
        frame = json.dumps(reply.head["value"], separators=(",", ":"))
        headers = {"Ambidex-Frame": frame}
        if reply.head["value"]["rect"] is None:
            return Response(status_code=304, headers=headers)
        return Response(reply.body, headers=headers, media_type="application/octet-stream")

    async def run(self, request: Request) -> Response:
        """Run a command as the desktop user."""
        command = await parse_body(request, CommandRequest)
        reply = await self._ask("run", vars(command), command.timeout)
        return JSONResponse(reply.head["value"])

    async def put_file(self, request: Request) -> Response:
        """Write a file."""
        query = validate(FileQuery, dict(request.query_params))
        reply = await self._ask("write", vars(query), 60, await request.body())
        return JSONResponse(reply.head["value"])

    async def wait_window(self, request: Request) -> Response:
        """Wait until a window appears."""
        window = await parse_body(request, WindowRequest)
        reply = await self._ask("wait_window", vars(window), window.timeout)
        return JSONResponse({"window": reply.head["value"]})

    async def identity(self, request: Request) -> Response:
        """Assume a new identity, and report the guest's health."""
        new_identity = await parse_body(request, Identity)
        report = asyncio.create_task(self._report("renew"))
        await asyncio.sleep(0)  # let it send its request: the worker then runs in parallel
        self._server.forget()
        skipped = assume(new_identity, self._token)
        health = await report
        skipped.update(set_clock(new_identity.clock))
        health["clock"] = time.time()
        for name, reason in skipped.items():
            log.warning("identity: %s was not renewed: %s", name, reason)
        return JSONResponse({"skipped": skipped, "health": health})

    async def tools_token(self, request: Request) -> Response:
        """Admit a token that opens the tools and nothing else."""
        self._token.set_tools((await parse_body(request, TokenRequest)).token)
        return JSONResponse({})

    async def servers(self, request: Request) -> Response:
        """Start the stock MCP servers that would otherwise start at an agent's first call."""
        if failed := await self._server.start_servers():
            raise HarnessError(f"Not started: {failed}.", code="not_started", status=503)
        return JSONResponse({})

    async def clock(self, request: Request) -> Response:
        """Set the machine's clock."""
        wanted = await parse_body(request, ClockRequest)
        if skipped := set_clock(wanted.clock):
            raise HarnessError(f"The clock cannot be set: {skipped['clock']}.", code="no_clock")
        return JSONResponse({"clock": time.time()})

    async def accessibility(self, request: Request) -> Response:
        """The accessibility tree, within bounds."""
        query = validate(TreeQuery, dict(request.query_params))
        reply = await self._ask("accessible", vars(query), query.seconds)
        return JSONResponse(reply.head["value"])

    async def freeze(self, request: Request) -> Response:
        """Stop every process of the desktop user, until the machine is reverted."""
        return JSONResponse({"stopped": await self._freezer.freeze()})

    async def thaw(self, request: Request) -> Response:
        """Resume the processes of the desktop user."""
        await self._freezer.thaw()
        return JSONResponse({})

    async def sync(self, request: Request) -> Response:
        """Write everything that is only in memory to the disk."""
        await asyncio.to_thread(os.sync)
        return JSONResponse({})

    async def evidence(self, request: Request) -> Response:
        """Read a path with the collector: its kind in a header, and its content."""
        query = validate(FileQuery, dict(request.query_params))
        reply = await self._ask_collector("read", vars(query), 60)
        about = json.dumps(reply.head["value"], separators=(",", ":"))
        headers = {"Ambidex-File": about}
        return Response(reply.body, headers=headers, media_type="application/octet-stream")

    async def listing(self, request: Request) -> Response:
        """List every path in a folder, recursively, with the collector."""
        query = validate(FileQuery, dict(request.query_params))
        return JSONResponse((await self._ask_collector("list", vars(query), 60)).head["value"])

    async def survey(self, request: Request) -> Response:
        """List every file with a hash of its content, with the collector."""
        reply = await self._ask_collector("survey", {}, SURVEY_WITHIN)
        return JSONResponse(reply.head["value"])

    async def question(self, request: Request) -> Response:
        """Answer a question from files, with the collector."""
        question = await parse_body(request, QuestionRequest)
        reply = await self._ask_collector("ask", {"do": question.do, "with": question.given}, 120)
        return JSONResponse({"value": reply.head["value"]})

    async def suite(self, request: Request) -> Response:
        """Run a test suite on the agent's code, which runs in another process, and report."""
        query = validate(SuiteQuery, dict(request.query_params))
        modules = [module for module in query.modules.split(",") if module]
        given = {**vars(query), "modules": modules}
        return JSONResponse(await run_suite(self._processes, given, await request.body()))

    async def journal(self, request: Request) -> Response:
        """The recent lines of the door's journal."""
        return PlainTextResponse(self._journal.text())
