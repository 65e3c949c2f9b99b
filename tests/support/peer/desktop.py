"""The desktop of a peer, and the tools that act on it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastmcp import FastMCP
from fastmcp.server.middleware import Middleware, MiddlewareContext
from fastmcp.tools import Tool, ToolResult
from mcp_types import ToolAnnotations

from ambidex.tasks import ToolSpec

SIZE = (64, 48)
BUTTONS = 47
"""The row of the screen whose pixels are buttons: each adds one to a cell of the first row."""


ALIAS = "osworld_mcp_libreoffice_calc.set_cell_value"


def tool_spec(name: str, reads_only: bool = False, **arguments: Any) -> ToolSpec:
    parameters = {
        "type": "object",
        "properties": arguments,
        "required": list(arguments),
        "additionalProperties": False,
    }
    aliases = (ALIAS,) if name == "calc_set_cell_value" else ()
    app, description = name.partition("_")[0], f"{name}."
    return ToolSpec(name, app, description, parameters, reads_only, aliases=aliases)


CATALOGUE = {
    tool.name: tool
    for tool in (
        tool_spec("computer_click", x={"type": "integer"}, y={"type": "integer"}),
        tool_spec("calc_set_cell_value", cell={"type": "string"}, value={}),
        tool_spec("calc_get_cell_value", True, cell={"type": "string"}),
        tool_spec("calc_save"),
        tool_spec("files_nap", seconds={"type": "number"}),
    )
}
"""The peer's tools, as a host knows them without it."""


def button(x: int) -> str:
    """The cell that the button at this point adds to."""
    return f"{chr(ord('A') + x)}1"


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
    frozen: bool = False
    ready: bool = True
    frame: int = 0
    pixels: bytearray = field(default_factory=lambda: bytearray(b"\x10\x20\x30\x00" * 64 * 48))
    changed: list[tuple[int, int, int, int]] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    """What was sent for each screenshot: whole, patch or nothing."""
    waits: float = 0.0
    screen: bool = True
    """Without one, the guest has no desktop and no GUI tools."""
    questions: Path | None = None
    """The folder in which a service asks a model, if one does."""

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
        asked = context.fastmcp_context
        assert asked is not None
        assert asked.request_context is not None
        meta = dict(asked.request_context.meta or {})
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


def served_tools(desktop: Desktop) -> FastMCP:
    server: FastMCP = FastMCP("peer", middleware=[ExactlyOnce(desktop)])
    for tool in TOOLS:
        if desktop.screen or not tool.name.startswith("computer_"):
            server.add_tool(tool)
    return server
