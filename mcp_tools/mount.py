"""Forwarding tools to stock MCP servers. A mounted tool is declared like any other tool; its body
calls the server.

    server = Mount("git server", command)        nothing is started yet
    server.call("git_status", repo_path="~/x")   a ToolError has the server's own message

The server is one process that lives as long as its worker. A client session in a separate thread
talks to it over its pipes. It belongs to its worker's process group, so killing the worker kills
the server and its children; the kernel also kills it when the worker dies in any other way. A
server that listens at an address (`Mount.at`) is not started here, and the session is over HTTP.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, TypeVar

from ambidex.mcp_tools import Picture, ToolError
from ambidex.mcp_tools.contents import Media, picture_or_media, truncate

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal
    from mcp import ClientSession
    from mcp_types import CallToolResult, ContentBlock, Tool

__all__ = ["Mount"]

T = TypeVar("T")

DIE_WITH_PARENT = ("setpriv", "--pdeathsig", "KILL", "--")
"""Command prefix that makes the kernel kill the server when its worker dies."""
STARTS_WITHIN = 180.0
"""Seconds until a server answers: under emulation, a large one takes a minute."""
LOST = (-32000, -32600)
"""Codes of a connection that closed, and of a session that its server no longer knows."""
ENDS_WITHIN = 2.0
"""Seconds a server may take to exit after its pipes were closed."""


@dataclass(frozen=True)
class Connection:
    """A client session with a server, and the server's process if we started it."""

    session: ClientSession
    session_context: AbstractContextManager[ClientSession, Optional[bool]]
    process: Optional[subprocess.Popen[bytes]] = None

    def has_ended(self, within: float = 0.0) -> bool:
        """Whether the process exits within this many seconds."""
        if self.process is None:
            return False
        try:
            self.process.wait(within)
        except subprocess.TimeoutExpired:
            return False
        return True

    def end(self) -> None:
        """Close the session and kill the process."""
        if self.process is None:
            # The connection may be what failed.
            with suppress(Exception):
                self.session_context.__exit__(None, None, None)
            return
        self.session_context.__exit__(None, None, None)
        with suppress(OSError):  # flushing data that the dead server no longer reads
            self.process.__exit__(None, None, None)


class Mount:
    """One stock server: started at the first call, and again after it has exited."""

    def __init__(
        self,
        name: str,
        command: Callable[[], list[str]],
        environment: Optional[Mapping[str, str]] = None,
    ) -> None:
        """`command` returns the argv; it raises `ToolError` if the server is not installed.
        `environment` replaces the worker's.
        """
        self._name = name
        self._command = command
        self._environment = environment
        self._url = ""
        self._portal: Optional[BlockingPortal] = None
        self._thread: Optional[AbstractContextManager[BlockingPortal, Optional[bool]]] = None
        self._server: Optional[Connection] = None

    @classmethod
    def at(cls, name: str, url: str) -> Mount:
        """The server that listens at this address."""
        mount = cls(name, list)
        mount._url = url
        return mount

    @property
    def running(self) -> bool:
        """Whether the server was started and has not exited since."""
        return self._server is not None and not self._server.has_ended()

    def call(self, tool: str, **arguments: object) -> Any:
        """Call a tool of the server; return text, a `Picture`, `Media` or JSON data. Arguments that
        are None are not sent. A call is not repeated if the server exits during it.
        """
        sent = {name: value for name, value in arguments.items() if value is not None}
        return self.send(tool, sent)

    def send(
        self, tool: str, arguments: Mapping[str, object], within: Optional[float] = None
    ) -> Any:
        """Like `call`, with any names of arguments. A server that has not answered `within` this
        many seconds is stopped, and the error's code is `timeout`.
        """
        sent = dict(arguments)
        return _unpack(tool, self._request(lambda session: session.call_tool(tool, sent), within))

    def list_tools(self) -> list[dict[str, Any]]:
        """Tool descriptions as the server sends them (`inputSchema`, `annotations` and so on)."""
        tools = self._request(_all_tools, STARTS_WITHIN)
        return [tool.model_dump(mode="json", by_alias=True) for tool in tools]

    def close(self) -> None:
        """Stop the server and the thread that talks to it."""
        self._drop()
        if self._thread:
            self._thread.__exit__(None, None, None)
        self._portal = self._thread = None

    def _drop(self) -> None:
        if self._server:
            self._server.end()
        self._server = None

    def _request(
        self,
        request: Callable[[ClientSession], Awaitable[T]],
        within: Optional[float] = None,
    ) -> T:
        from mcp import MCPError

        portal, server = self._start()

        async def bounded() -> T:
            import anyio

            with anyio.fail_after(within):
                return await request(server.session)

        try:
            return portal.call(bounded)
        except TimeoutError:
            self._drop()
            raise ToolError(
                f"The {self._name} did not answer within {within:g} s and was stopped.",
                code="timeout",
                hint="Check what the call changed before you repeat it; the server will restart.",
            ) from None
        except MCPError as error:
            if self._url and error.code in LOST:
                self._drop()
                raise ToolError(
                    f"The connection to the {self._name} was lost during this call.",
                    code="crashed",
                    hint="Check what the call changed before you repeat it.",
                ) from None
            if not server.has_ended(ENDS_WITHIN):
                raise ToolError(f"Error of the {self._name}: {error}.", code="refused") from None
            assert server.process
            status = server.process.returncode
            raise ToolError(
                f"The {self._name} exited during this call (exit status {status}).",
                code="crashed",
                hint="Check what the call changed before you repeat it; the server will restart.",
            ) from None

    def _start(self) -> tuple[BlockingPortal, Connection]:
        from anyio.from_thread import start_blocking_portal
        from mcp import MCPError

        if self._portal is None:
            self._thread = start_blocking_portal()
            self._portal = self._thread.__enter__()
        if self._server and self._server.has_ended():
            self._drop()
        if self._server is None:
            server = self._connect(self._portal)
            try:
                self._portal.call(_initialize, server.session)
            except (MCPError, TimeoutError) as error:
                server.end()
                message = f"The {self._name} did not start ({error or type(error).__name__})."
                raise ToolError(message, code="not_started") from None
            self._server = server
        return self._portal, self._server

    def _connect(self, portal: BlockingPortal) -> Connection:
        if self._url:
            context = portal.wrap_async_context_manager(_session_over_http(self._url))
            return Connection(context.__enter__(), context)
        process = subprocess.Popen(
            [*DIE_WITH_PARENT, *self._command()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path.home(),
            env=os.environ if self._environment is None else self._environment,
        )
        context = portal.wrap_async_context_manager(_session(process))
        return Connection(context.__enter__(), context, process)


async def _all_tools(session: ClientSession) -> list[Tool]:
    from mcp_types import PaginatedRequestParams

    tools: list[Tool] = []
    page = await session.list_tools()
    tools += page.tools
    while page.next_cursor:
        page = await session.list_tools(params=PaginatedRequestParams(cursor=page.next_cursor))
        tools += page.tools
    return tools


@asynccontextmanager
async def _session_over_http(url: str) -> AsyncIterator[ClientSession]:
    """A client session with the server at an address, without the environment's proxies."""
    import httpx2
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async with (
        httpx2.AsyncClient(trust_env=False, timeout=httpx2.Timeout(STARTS_WITHIN)) as client,
        streamable_http_client(url, http_client=client) as (inbox, outbox, *_),
        ClientSession(inbox, outbox) as session,
    ):
        yield session


@asynccontextmanager
async def _session(process: subprocess.Popen[bytes]) -> AsyncIterator[ClientSession]:
    """A client session over the pipes of a server. The server is killed on exit."""
    import anyio
    from mcp import ClientSession
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    assert process.stdout
    assert process.stdin
    pipe = anyio.wrap_file(process.stdin)
    lines = _lines(process.stdout.fileno())
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

    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listen)
            tasks.start_soon(speak)
            try:
                async with inbox, outbox_send, ClientSession(inbox, outbox_send) as session:
                    yield session
            finally:
                process.kill()
                tasks.cancel_scope.cancel()
    finally:
        # A program that the server started has the same pipe, whose end tells it to exit.
        with suppress(OSError):
            process.stdin.close()


async def _lines(pipe: int) -> AsyncIterator[bytes]:
    """The lines from a pipe. Cancellable, unlike reads in threads: a program that a server started
    may keep its pipe open when it is killed."""
    import anyio

    rest = b""
    while True:
        await anyio.wait_readable(pipe)
        content = os.read(pipe, 1 << 16)
        if not content:
            return
        *lines, rest = (rest + content).split(b"\n")
        for line in lines:
            yield line


async def _initialize(session: ClientSession) -> None:
    import anyio

    with anyio.fail_after(STARTS_WITHIN):
        await session.initialize()


def _unpack(tool: str, result: CallToolResult) -> Any:
    """Convert a result into what our tools return. An error is raised with the server's text."""
    texts = [block.text for block in result.content if block.type == "text"]
    if result.is_error:
        message = "\n".join(texts).removeprefix(f"Error executing tool {tool}: ").strip()
        raise ToolError(truncate(message or f"{tool} failed; the server gave no reason."))
    media = [block for block in result.content if block.type != "text"]
    if media:
        return _media(media[0])
    text, data = "\n".join(texts), result.structured_content
    return data if data is not None and (not texts or _repeats(text, data)) else truncate(text)


def _repeats(text: str, data: object) -> bool:
    """Whether the text is just the data serialised as JSON."""
    try:
        return bool(json.loads(text) == data)
    except ValueError:
        return False


def _media(block: ContentBlock) -> Picture | Media:
    match block.type:
        case "image":
            return picture_or_media(block.mime_type, block.data)
        case "audio":
            return Media(block.mime_type, block.data)
        case "resource" if hasattr(block.resource, "blob"):
            kind = block.resource.mime_type or "application/octet-stream"
            return Media(kind, block.resource.blob)
        case other:
            raise ToolError(f"Cannot pass on what the server returned: {other}.")
