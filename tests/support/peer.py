"""A guest without a desktop: it speaks the guest's protocol on a real port and has a few files and
a screen.

It can be told to fail once in several ways: lose an answer, refuse a health check, hang.
"""

from __future__ import annotations

import asyncio
import json
import pickle
import socket
import threading
import time
import zlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from fastmcp import FastMCP
from fastmcp.server.middleware import Middleware, MiddlewareContext
from fastmcp.tools import Tool, ToolResult
from mcp_types import ToolAnnotations
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ambidex.tasks import ToolSpec
from ambidex.vm import MachineError, Place, Program

SIZE = (64, 48)
BUTTONS = 47
"""The row of the screen whose pixels are buttons: each adds one to a cell of the first row."""


ALIAS = "osworld_mcp_libreoffice_calc.set_cell_value"


def _spec(name: str, reads_only: bool = False, **arguments: Any) -> ToolSpec:
    parameters = {
        "type": "object",
        "properties": arguments,
        "required": list(arguments),
        "additionalProperties": False,
    }
    aliases = (ALIAS,) if name == "calc_set_cell_value" else ()
    app, description = name.partition("_")[0], f"{name}."
    return ToolSpec(name, app, description, parameters, reads_only, aliases=aliases)


def button(x: int) -> str:
    """The cell that the button at this point adds to."""
    return f"{chr(ord('A') + x)}1"


CATALOGUE = {
    tool.name: tool
    for tool in (
        _spec("computer_click", x={"type": "integer"}, y={"type": "integer"}),
        _spec("calc_set_cell_value", cell={"type": "string"}, value={}),
        _spec("calc_get_cell_value", True, cell={"type": "string"}),
        _spec("calc_save"),
        _spec("files_nap", seconds={"type": "number"}),
    )
}
"""The peer's tools, as a host knows them without it."""
TOKEN = "a-token-for-tests"


@dataclass
class Desktop:
    """The state of the peer, and its faults."""

    files: dict[str, bytes] = field(default_factory=dict)
    windows: list[str] = field(default_factory=lambda: ["Desktop"])
    cells: dict[str, Any] = field(default_factory=dict)
    clicks: list[tuple[int, int]] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    """Names of the calls that were carried out, in order."""
    asked: list[dict[str, Any]] = field(default_factory=list)
    """Metadata of the calls that arrived."""
    lose_answers: int = 0
    """So many answers to tool calls are lost on their way."""
    forget: bool = False
    """Results are not kept, as after a restart of the server."""
    ready: bool = True
    frame: int = 0
    pixels: bytearray = field(default_factory=lambda: bytearray(b"\x10\x20\x30\x00" * 64 * 48))
    changed: list[tuple[int, int, int, int]] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    """What was sent for each screenshot: whole, patch or nothing."""
    waits: float = 0.0
    screen: bool = True
    """Without one, the guest has no desktop and no GUI tools."""

    def paint(self, x: int, y: int) -> None:
        """Make one pixel white."""
        at = (y * SIZE[0] + x) * 4
        self.pixels[at : at + 4] = b"\xff\xff\xff\x00"
        self.frame += 1
        self.changed.append((x, y, 1, 1))


class ExactlyOnce(Middleware):
    """Keeps the result of each call by its id."""

    def __init__(self, desktop: Desktop) -> None:
        self._desktop = desktop
        self._kept: dict[str, ToolResult] = {}

    async def on_call_tool(
        self,
        context: MiddlewareContext[Any],
        call_next: Callable[[MiddlewareContext[Any]], Awaitable[ToolResult]],
    ) -> ToolResult:
        meta = dict(context.fastmcp_context.request_context.meta or {})
        self._desktop.asked.append(meta)
        id = meta["ambidex/call"]
        if id in self._kept and not self._desktop.forget:
            return self._kept[id]
        if meta.get("ambidex/again"):
            return _error("unknown_call", "no such call")
        DESKTOP.set(self._desktop)
        result = await call_next(context)
        self._desktop.done.append(context.message.name)
        self._kept[id] = result
        return result


class Door:
    """The token check around everything, and the loss of answers."""

    def __init__(self, app: ASGIApp, desktop: Desktop) -> None:
        self._app = app
        self._desktop = desktop

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if dict(scope["headers"]).get(b"authorization") != f"Bearer {TOKEN}".encode():
            error = {"error": {"code": "unauthorized", "message": "no token", "hint": ""}}
            await JSONResponse(error, 401)(scope, receive, send)
            return
        body = bytearray()

        async def tapped() -> Any:
            message = await receive()
            body.extend(message.get("body", b""))
            return message

        async def lossy(message: Any) -> None:
            if b'"tools/call"' in body and self._desktop.lose_answers:
                if message["type"] == "http.response.body" and not message.get("more_body"):
                    self._desktop.lose_answers -= 1
                    raise ConnectionAbortedError("lost on purpose")
                return
            await send(message)

        try:
            await self._app(scope, tapped, lossy)
        except ConnectionAbortedError:
            return


def _error(code: str, message: str) -> ToolResult:
    error = {"error": {"code": code, "message": message, "hint": ""}}
    return ToolResult(content=message, structured_content=error, is_error=True)


DESKTOP: ContextVar[Desktop] = ContextVar("DESKTOP")
"""That of the peer which is asked. The tools are the same for all: to make them from their
signatures takes longer than most tests."""
TOOLS: list[Tool] = []


def _tool(app: str, reads_only: bool = False, **more: Any) -> Callable[[Callable[..., Any]], Any]:
    def declared(function: Callable[..., Any]) -> Callable[..., Any]:
        TOOLS.append(
            Tool.from_function(
                function,
                meta={"ambidex": {"app": app, **more}},
                annotations=ToolAnnotations(read_only_hint=reads_only),
                output_schema=None,
            )
        )
        return function

    return declared


@_tool("computer")
def computer_click(x: int, y: int) -> ToolResult:
    """Click."""
    desktop = DESKTOP.get()
    desktop.clicks.append((x, y))
    if y == BUTTONS:
        desktop.cells[button(x)] = desktop.cells.get(button(x), 0) + 1
    desktop.paint(x, y)
    return ToolResult(content="clicked", structured_content={"result": None})


@_tool("calc", source="reference", mounted="small 1.0", aliases=[ALIAS])
def calc_set_cell_value(cell: str, value: int | str) -> ToolResult:
    """Set a cell."""
    if cell == "ZZ99":
        return _error("bad_cell", "there is no such cell")
    desktop = DESKTOP.get()
    desktop.cells[cell] = value
    desktop.paint(len(desktop.cells), 1)
    return ToolResult(content=f"{cell} = {value}", structured_content={"result": {"cell": cell}})


@_tool("calc", reads_only=True)
def calc_get_cell_value(cell: str) -> ToolResult:
    """Read a cell."""
    value = DESKTOP.get().cells.get(cell)
    return ToolResult(content=str(value), structured_content={"result": value})


@_tool("calc")
def calc_save() -> ToolResult:
    """Save."""
    desktop = DESKTOP.get()
    desktop.files["~/cells.json"] = json.dumps(desktop.cells).encode()
    return ToolResult(content="saved", structured_content={"result": None})


@_tool("files")
async def files_nap(seconds: float) -> ToolResult:
    """Take a while."""
    await asyncio.sleep(seconds)
    return ToolResult(content="awake", structured_content={"result": None})


def _tools(desktop: Desktop) -> FastMCP:
    server: FastMCP = FastMCP("peer", middleware=[ExactlyOnce(desktop)])
    for tool in TOOLS:
        if desktop.screen or not tool.name.startswith("computer_"):
            server.add_tool(tool)
    return server


def surveyed(desktop: Desktop) -> dict[str, dict[str, str]]:
    """The peer's survey, by part."""
    files = {path.replace("~", "/home/user", 1): f"{zlib.crc32(content)}"
             for path, content in desktop.files.items()}  # fmt: skip
    windows = {f"window {number}": title for number, title in enumerate(desktop.windows)}
    settings = {f"org.cells {cell}": str(value) for cell, value in desktop.cells.items()}
    return {
        "files": files,
        "settings": settings,
        "windows": windows,
        "processes": {"peer 1": "peer"},
    }


def _harness(desktop: Desktop) -> list[Route]:
    async def health(_: Request) -> Response:
        checks = {"X": {"ok": desktop.ready, "seen": "fine" if desktop.ready else "no display"}}
        body = {
            "ready": desktop.ready,
            "checks": checks,
            "screen": SIZE if desktop.screen else None,
            "catalogue": "c",
            "user": "u",
        }
        return JSONResponse(body, 200 if desktop.ready else 503)

    async def screenshot(request: Request) -> Response:
        if not desktop.screen:
            error = {"error": {"code": "no_desktop", "message": "no screen", "hint": ""}}
            return JSONResponse(error, 400)
        known, now = request.query_params.get("known", ""), f"f{desktop.frame}"
        header = {
            "id": now, "size": SIZE, "base": None, "rect": [0, 0, *SIZE], "encoding": "zlib",
            "still": True, "waited": desktop.waits, "grab": 0.0, "pointer": [0, 0],
        }  # fmt: skip
        if known == now:
            desktop.sent.append("nothing")
            return Response(status_code=304)
        body = bytes(desktop.pixels)
        if known == f"f{desktop.frame - 1}":
            x, y, width, height = desktop.changed[-1]
            header |= {"base": known, "rect": [x, y, width, height], "encoding": "raw"}
            at = (y * SIZE[0] + x) * 4
            body = body[at : at + 4]
            desktop.sent.append("patch")
        else:
            body = zlib.compress(body, 1)
            desktop.sent.append("whole")
        return Response(body, headers={"Ambidex-Frame": json.dumps(header)})

    async def file(request: Request) -> Response:
        desktop.files[request.query_params["path"]] = await request.body()
        return JSONResponse({"ok": True})

    async def evidence(request: Request) -> Response:
        content = desktop.files.get(request.query_params["path"])
        state = "absent" if content is None else "file"
        about = {"state": state, "size": len(content or b"")}
        return Response(content or b"", headers={"Ambidex-File": json.dumps(about)})

    async def inventory(_: Request) -> Response:
        body = {"files": surveyed(desktop)["files"], "refused": ""}
        return Response(json.dumps(body), media_type="application/json")

    async def freeze(_: Request) -> Response:
        return JSONResponse({"stopped": 1})

    async def run(request: Request) -> Response:
        request_body = await request.json()
        argv = request_body["argv"]
        if argv[:3] == ["python3", "-I", "-"]:
            survey = surveyed(desktop)
            output = json.dumps({part: survey[part] for part in argv[3:]})
            return JSONResponse({"returncode": 0, "stdout": output, "stderr": ""})
        if argv[0] == "printenv":
            return JSONResponse({"returncode": 0, "stdout": "/home/user\n", "stderr": ""})
        if argv[0] == "open":
            desktop.windows.append(argv[1])
            return JSONResponse({"pid": 1})
        failed = argv[0] == "false"
        return JSONResponse(
            {"returncode": int(failed), "stdout": " ".join(argv), "stderr": "no" * failed,
             "timed_out": False, "truncated": False}
        )  # fmt: skip

    async def wait_window(request: Request) -> Response:
        body = await request.json()
        for title in desktop.windows:
            if body["title"] in title:
                return JSONResponse({"window": {"title": title}})
        message = f"seen instead: {', '.join(desktop.windows)}"
        return JSONResponse({"error": {"code": "timeout", "message": message, "hint": ""}}, 408)

    async def journal(_: Request) -> Response:
        return PlainTextResponse("served")

    return [
        Route("/harness/health", health),
        Route("/harness/screenshot", screenshot),
        Route("/harness/file", file, methods=["PUT"]),
        Route("/harness/freeze", freeze, methods=["POST", "DELETE"]),
        Route("/harness/evidence/file", evidence),
        Route("/harness/evidence/survey", inventory),
        Route("/harness/run", run, methods=["POST"]),
        Route("/harness/wait_window", wait_window, methods=["POST"]),
        Route("/harness/journal", journal),
    ]


class Server(uvicorn.Server):
    """Ends when it is told to. The library's looks for that ten times a second, and then gives
    connections another tenth."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop, self._told = asyncio.get_running_loop(), asyncio.Event()
        await super().startup(sockets)

    async def main_loop(self) -> None:
        await self.on_tick(0)  # creates the default headers
        await self._told.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        state, end = self.server_state, time.monotonic() + 1
        for connection in list(state.connections):
            connection.shutdown()
        while (state.connections or state.tasks) and time.monotonic() < end:
            await asyncio.sleep(0.002)  # polling interval; the wait is bounded
        for task in state.tasks:
            task.cancel()
        await self.lifespan.shutdown()

    def end(self) -> None:
        self._loop.call_soon_threadsafe(self._told.set)


@contextmanager
def serve(app: ASGIApp, *, lifespan: str = "on") -> Iterator[str]:
    """Serve on a free loopback port and return the address."""
    config = uvicorn.Config(
        app, port=0, log_level="critical", lifespan=lifespan, timeout_graceful_shutdown=1
    )  # type: ignore[arg-type]
    server = Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    end = time.monotonic() + 10
    while not server.started:
        assert thread.is_alive(), "the peer's server ended"
        assert time.monotonic() < end, "the peer's server does not start"
        time.sleep(0.005)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.end()
        thread.join(5)


@contextmanager
def peer(desktop: Desktop | None = None) -> Iterator[tuple[str, Desktop]]:
    """A running peer: its endpoint and its state."""
    desktop = desktop or Desktop()
    mcp = _tools(desktop).http_app(path="/mcp", stateless_http=True, json_response=True)
    app = Starlette(routes=[*_harness(desktop), Mount("/", mcp)], lifespan=mcp.lifespan)
    with serve(Door(app, desktop)) as endpoint:
        yield endpoint, desktop


class PeerMachine:
    """A `vm.Machine` whose desktop is a peer: a revert gives a new peer or a checkpoint's."""

    def __init__(self, *, broken_reverts: int = 0, screen: bool = True) -> None:
        self.reverts: list[Place] = []
        self.broken_reverts = broken_reverts
        self.endpoint = ""
        self.token = TOKEN
        self.vnc = ("127.0.0.1:1", "") if screen else None
        self.closed = False
        self.desktops: list[Desktop] = []
        self.forks: list[PeerMachine] = []
        self._now: Any = None

    def boot(self) -> None:
        self.revert("ready")

    def revert(self, snapshot: Place, services: object = None) -> None:
        self.reverts.append(snapshot)
        if self.broken_reverts:
            self.broken_reverts -= 1
            raise MachineError("the fork did not start", stage="create", hint="Try again.")
        self._leave()
        desktop = Desktop(screen=self.vnc is not None)
        if isinstance(snapshot, Path):
            desktop = pickle.loads((snapshot / "desktop").read_bytes())
        self._now = peer(desktop)
        self.endpoint, desktop = self._now.__enter__()
        self.desktops.append(desktop)

    def snapshot(self, name: Place, programs: Sequence[Program] = ()) -> None:
        assert isinstance(name, Path), "a peer is no image"
        name.mkdir()
        (name / "desktop").write_bytes(pickle.dumps(self.desktops[-1]))

    @contextmanager
    def fork(self) -> Iterator[PeerMachine]:
        copy = PeerMachine()
        with peer(deepcopy(self.desktops[-1])) as (copy.endpoint, desktop):
            copy.desktops.append(desktop)
            self.forks.append(copy)
            yield copy

    def close(self) -> None:
        self._leave()
        self.closed = True

    def console(self) -> str:
        return "booting\nlogin:"

    def picture(self) -> bytes:
        return b""

    def _leave(self) -> None:
        if self._now is not None:
            self._now.__exit__(None, None, None)
            self._now = None
