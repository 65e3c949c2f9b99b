"""Forwarding tools to stock MCP servers. A mounted tool is declared like any other tool; its body
calls the server.

    server = Mount("git server", command)        nothing is started yet
    server.call("git_status", repo_path="~/x")   a ToolError has the server's own message

The server is one process that lives as long as its worker. A client session in a separate thread
talks to it over its pipes. It belongs to its worker's process group, so killing the worker kills
the server and its children; the kernel also kills it when the worker dies in any other way.
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

__all__ = ["TEXT_LIMIT", "Media", "Mount"]

T = TypeVar("T")

DIE_WITH_PARENT = ("setpriv", "--pdeathsig", "KILL", "--")
"""Command prefix that makes the kernel kill the server when its worker dies."""
TEXT_LIMIT = 1_000_000
"""Characters of a text that are passed on. A model has no use for more."""
STARTS_WITHIN = 180.0
"""Seconds until a server answers: under emulation, a large one takes a minute."""
ENDS_WITHIN = 2.0
"""Seconds a server may take to exit after its pipes were closed."""


@dataclass(frozen=True)
class Media:
    """A file that is neither text nor a picture the model can be shown."""

    mime_type: str
    base64: str


@dataclass(frozen=True)
class ServerProcess:
    """A running server and the client session with it."""

    process: subprocess.Popen[bytes]
    session: ClientSession
    session_context: AbstractContextManager[ClientSession, Optional[bool]]

    def has_ended(self, within: float = 0.0) -> bool:
        """Whether the process exits within this many seconds."""
        try:
            self.process.wait(within)
        except subprocess.TimeoutExpired:
            return False
        return True

    def end(self) -> None:
        """Close the session and kill the process."""
        self.session_context.__exit__(None, None, None)
        with suppress(OSError):  # flushing data that the dead server no longer reads
            self.process.__exit__(None, None, None)


class Mount:
    """One stock server: started at the first call, and again after it has exited."""

    def __init__(self, name: str, command: Callable[[], list[str]]) -> None:
        """`command` returns the argv; it raises `ToolError` if the server is not installed."""
        self._name = name
        self._command = command
        self._portal: Optional[BlockingPortal] = None
        self._thread: Optional[AbstractContextManager[BlockingPortal, Optional[bool]]] = None
        self._server: Optional[ServerProcess] = None

    def call(self, tool: str, **arguments: object) -> Any:
        """Call a tool of the server; return text, a `Picture`, `Media` or JSON data. Arguments that
        are None are not sent. A call is not repeated if the server exits during it.
        """
        sent = {name: value for name, value in arguments.items() if value is not None}
        return _unpack(tool, self._request(lambda session: session.call_tool(tool, sent)))

    def list_tools(self) -> list[dict[str, Any]]:
        """Tool descriptions as the server sends them (`inputSchema`, `annotations` and so on)."""
        tools = self._request(lambda session: session.list_tools()).tools
        return [tool.model_dump(mode="json", by_alias=True) for tool in tools]

    def close(self) -> None:
        """Stop the server and the thread that talks to it."""
        if self._server:
            self._server.end()
        if self._thread:
            self._thread.__exit__(None, None, None)
        self._portal = self._thread = self._server = None

    def _request(self, request: Callable[[ClientSession], Awaitable[T]]) -> T:
        from mcp import MCPError

        portal, server = self._start()
        try:
            return portal.call(request, server.session)
        except MCPError as error:
            if not server.has_ended(ENDS_WITHIN):
                raise ToolError(f"Error of the {self._name}: {error}.", code="refused") from None
            status = server.process.returncode
            raise ToolError(
                f"The {self._name} exited during this call (exit status {status}).",
                code="crashed",
                hint="Check what the call changed before you repeat it; the server will restart.",
            ) from None

    def _start(self) -> tuple[BlockingPortal, ServerProcess]:
        from anyio.from_thread import start_blocking_portal
        from mcp import MCPError

        if self._portal is None:
            self._thread = start_blocking_portal()
            self._portal = self._thread.__enter__()
        if self._server and self._server.has_ended():
            self._server.end()
            self._server = None
        if self._server is None:
            command, pipe = [*DIE_WITH_PARENT, *self._command()], subprocess.PIPE
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=Path.home())
            context = self._portal.wrap_async_context_manager(_session(process))
            server = ServerProcess(process, context.__enter__(), context)
            try:
                self._portal.call(_initialize, server.session)
            except (MCPError, TimeoutError) as error:
                server.end()
                message = f"The {self._name} did not start ({error or type(error).__name__})."
                raise ToolError(message, code="not_started") from None
            self._server = server
        return self._portal, self._server


@asynccontextmanager
async def _session(process: subprocess.Popen[bytes]) -> AsyncIterator[ClientSession]:
    """A client session over the pipes of a server. The server is killed on exit."""
    import anyio
    from mcp import ClientSession
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    assert process.stdout
    assert process.stdin
    lines, pipe = anyio.wrap_file(process.stdout), anyio.wrap_file(process.stdin)
    inbox_send, inbox = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outbox_send, outbox = anyio.create_memory_object_stream[SessionMessage](0)

    async def listen() -> None:
        async with inbox_send:
            async for line in lines:
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError as error:
                    await inbox_send.send(error)
                else:
                    await inbox_send.send(SessionMessage(message))

    async def speak() -> None:
        async with outbox:
            async for outgoing in outbox:
                text = outgoing.message.model_dump_json(by_alias=True, exclude_unset=True)
                try:
                    await pipe.write(text.encode() + b"\n")
                    await pipe.flush()
                except OSError:  # the server has exited; the reader reports that
                    return

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listen)
        tasks.start_soon(speak)
        try:
            async with inbox, outbox_send, ClientSession(inbox, outbox_send) as session:
                yield session
        finally:
            # Killing the server unblocks the reader, which waits for a line.
            process.kill()
            tasks.cancel_scope.cancel()


async def _initialize(session: ClientSession) -> None:
    import anyio

    with anyio.fail_after(STARTS_WITHIN):
        await session.initialize()


def _unpack(tool: str, result: CallToolResult) -> Any:
    """Convert a result into what our tools return. An error is raised with the server's text."""
    texts = [block.text for block in result.content if block.type == "text"]
    if result.is_error:
        message = "\n".join(texts).removeprefix(f"Error executing tool {tool}: ").strip()
        raise ToolError(_truncate(message or f"{tool} failed; the server gave no reason."))
    media = [block for block in result.content if block.type != "text"]
    if media:
        return _media(media[0])
    text, data = "\n".join(texts), result.structured_content
    return data if data is not None and (not texts or _repeats(text, data)) else _truncate(text)


def _repeats(text: str, data: object) -> bool:
    """Whether the text is just the data serialised as JSON."""
    try:
        return bool(json.loads(text) == data)
    except ValueError:
        return False


def _truncate(text: str) -> str:
    excess = len(text) - TEXT_LIMIT
    if excess <= 0:
        return text
    return f"{text[:TEXT_LIMIT]}\n[{excess} more characters omitted]"


def _media(block: ContentBlock) -> Picture | Media:
    from PIL import Image, UnidentifiedImageError

    match block.type:
        case "image" | "audio":
            kind, data = block.mime_type, block.data
        case "resource" if hasattr(block.resource, "blob"):
            kind, data = block.resource.mime_type or "application/octet-stream", block.resource.blob
        case other:
            raise ToolError(f"Cannot pass on what the server returned: {other}.")
    if block.type == "image":
        target = io.BytesIO()
        try:
            Image.open(io.BytesIO(base64.b64decode(data))).save(target, "PNG")
        except (UnidentifiedImageError, OSError, ValueError):
            return Media(kind, data)  # a vector drawing, or damaged
        return Picture(target.getvalue())
    return Media(kind, data)
