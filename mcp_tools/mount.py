"""Stock MCP servers behind tools of ours: a mounted tool is declared like any other, and its body
forwards to the server.

    server = Mount("git server", command)        nothing is started yet
    server.call("git_status", repo_path="~/x")   ToolError in the server's own words

The server is one process for as long as its worker lives, spoken to over its pipes by a client
session in a thread of its own. It is in its worker's process group, so what kills the worker kills
it and what it started; and the kernel ends it with the worker, however that ends.
"""

from __future__ import annotations

import base64
import io
import json
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, TypeVar

from ambidex.mcp_tools import Picture, ToolError

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal
    from mcp import ClientSession
    from mcp_types import CallToolResult, ContentBlock

__all__ = ["LONGEST", "Media", "Mount"]

T = TypeVar("T")

TIED = ("setpriv", "--pdeathsig", "KILL", "--")
"""Has the kernel end the server with the worker that started it."""
LONGEST = 1_000_000
"""Characters of a text that are passed on: more is of no use to a model."""
STARTS_WITHIN = 60.0
ENDS_WITHIN = 2.0
"""Seconds a server that has let go of its pipes takes to end."""


@dataclass(frozen=True)
class Media:
    """A file that is neither text nor a picture that can be shown."""

    mime_type: str
    base64: str


@dataclass(frozen=True)
class Running:
    """One process of a server, and the session with it."""

    process: subprocess.Popen[bytes]
    session: ClientSession
    opened: AbstractContextManager[ClientSession, Optional[bool]]

    def ended(self, within: float = 0.0) -> bool:
        """Whether the process is no more."""
        try:
            self.process.wait(within)
        except subprocess.TimeoutExpired:
            return False
        return True

    def end(self) -> None:
        """End it now."""
        self.opened.__exit__(None, None, None)
        with suppress(OSError):  # what was not sent to it any more
            self.process.__exit__(None, None, None)


class Mount:
    """One stock server: started at the first call, and anew where it has ended."""

    def __init__(self, name: str, command: Callable[[], list[str]]) -> None:
        """`command` says how to start it; it raises `ToolError` where it is not installed."""
        self._name = name
        self._command = command
        self._portal: Optional[BlockingPortal] = None
        self._thread: Optional[AbstractContextManager[BlockingPortal, Optional[bool]]] = None
        self._running: Optional[Running] = None

    def call(self, tool: str, **arguments: object) -> Any:
        """What the server's tool returns: text, a `Picture`, `Media`, or data. Arguments that are
        None are not sent. A call during which the server ends is not made again.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        return _value(tool, self._ask(lambda session: session.call_tool(tool, given)))

    def listed(self) -> list[dict[str, Any]]:
        """The tools as the server itself describes them (`inputSchema`, `annotations` and more)."""
        tools = self._ask(lambda session: session.list_tools()).tools
        return [tool.model_dump(mode="json", by_alias=True) for tool in tools]

    def close(self) -> None:
        """End the server, and the thread that speaks to it."""
        if self._running:
            self._running.end()
        if self._thread:
            self._thread.__exit__(None, None, None)
        self._portal = self._thread = self._running = None

    def _ask(self, ask: Callable[[ClientSession], Awaitable[T]]) -> T:
        from mcp import MCPError

        portal, running = self._start()
        try:
            return portal.call(ask, running.session)
        except MCPError as error:
            if not running.ended(ENDS_WITHIN):
                raise ToolError(f"The {self._name} says: {error}.", code="refused") from None
            status = running.process.returncode
            raise ToolError(
                f"The {self._name} ended during this call (exit status {status}).",
                code="crashed",
                hint="See what was done of it before you call again: it will be started anew.",
            ) from None

    def _start(self) -> tuple[BlockingPortal, Running]:
        from anyio.from_thread import start_blocking_portal
        from mcp import MCPError

        if self._portal is None:
            self._thread = start_blocking_portal()
            self._portal = self._thread.__enter__()
        if self._running and self._running.ended():
            self._running.end()
            self._running = None
        if self._running is None:
            command, pipe = [*TIED, *self._command()], subprocess.PIPE
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=Path.home())
            opened = self._portal.wrap_async_context_manager(_session(process))
            running = Running(process, opened.__enter__(), opened)
            try:
                self._portal.call(_introduced, running.session)
            except (MCPError, TimeoutError) as error:
                running.end()
                message = f"The {self._name} does not start ({error or type(error).__name__})."
                raise ToolError(message, code="not_started") from None
            self._running = running
        return self._portal, self._running


@asynccontextmanager
async def _session(process: subprocess.Popen[bytes]) -> AsyncIterator[ClientSession]:
    """A session over the pipes of a server; at its end the server is ended."""
    import anyio
    from mcp import ClientSession
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    assert process.stdout
    assert process.stdin
    lines, pipe = anyio.wrap_file(process.stdout), anyio.wrap_file(process.stdin)
    heard, hears = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    says, said = anyio.create_memory_object_stream[SessionMessage](0)

    async def listen() -> None:
        async with heard:
            async for line in lines:
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError as error:
                    await heard.send(error)
                else:
                    await heard.send(SessionMessage(message))

    async def speak() -> None:
        async with said:
            async for each in said:
                text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
                try:
                    await pipe.write(text.encode() + b"\n")
                    await pipe.flush()
                except OSError:  # it has ended: whoever listens is told
                    return

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listen)
        tasks.start_soon(speak)
        try:
            async with hears, says, ClientSession(hears, says) as session:
                yield session
        finally:
            # Its end lets go of whoever waits for its next line.
            process.kill()
            tasks.cancel_scope.cancel()


async def _introduced(session: ClientSession) -> None:
    import anyio

    with anyio.fail_after(STARTS_WITHIN):
        await session.initialize()


def _value(tool: str, result: CallToolResult) -> Any:
    """What a tool returned, as ours return it; an error is raised in the server's words."""
    texts = [block.text for block in result.content if block.type == "text"]
    if result.is_error:
        said = "\n".join(texts).removeprefix(f"Error executing tool {tool}: ").strip()
        raise ToolError(_bounded(said or f"{tool} failed; the server does not say why."))
    others = [block for block in result.content if block.type != "text"]
    if others:
        return _media(others[0])
    text, data = "\n".join(texts), result.structured_content
    return data if data is not None and (not texts or _says(text, data)) else _bounded(text)


def _says(text: str, data: object) -> bool:
    """Whether the text is there only for those who cannot read the data."""
    try:
        return bool(json.loads(text) == data)
    except ValueError:
        return False


def _bounded(text: str) -> str:
    left_out = len(text) - LONGEST
    if left_out <= 0:
        return text
    return f"{text[:LONGEST]}\n[{left_out} more characters are left out]"


def _media(block: ContentBlock) -> Picture | Media:
    from PIL import Image, UnidentifiedImageError

    match block.type:
        case "image" | "audio":
            kind, data = block.mime_type, block.data
        case "resource" if hasattr(block.resource, "blob"):
            kind, data = block.resource.mime_type or "application/octet-stream", block.resource.blob
        case other:
            raise ToolError(f"The server returned a {other}, which cannot be passed on.")
    if block.type == "image":
        target = io.BytesIO()
        try:
            Image.open(io.BytesIO(base64.b64decode(data))).save(target, "PNG")
        except (UnidentifiedImageError, OSError, ValueError):
            return Media(kind, data)  # a drawing, or broken
        return Picture(target.getvalue())
    return Media(kind, data)
