"""The tools of a service's own MCP server, which the host calls: the guest has no key."""

from __future__ import annotations

import time
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any

import httpx2
import mcp_types
from anyio.from_thread import start_blocking_portal
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from mcp import MCPError
from pydantic import ValidationError

from ambidex.host import ToolCall, ToolResult, ToolSpec
from ambidex.host.errors import GuestError, ServiceError
from ambidex.host.records.trajectory import ExecutedTool
from ambidex.host.toolsets.toolset_tools import Send
from ambidex.host.untrusted import LARGEST, Bound
from ambidex.host.untrusted.calls import result
from ambidex.host.untrusted.wire import BoundedTransport, wait
from ambidex.vm.closing import Closing

__all__ = ["RemoteTools"]

LOST = (MCPError, RuntimeError, httpx2.HTTPError, OSError, GuestError, ValidationError)
"""What the client raises if the connection breaks or an answer cannot be read. A tool's own error
is a result, not an exception."""
NO_ANSWER = "no_answer"
"""The error code of a call that may have been carried out, and whose answer was not received."""
HEADERS = ("content-type", "mcp-session-id")
TRIES, BETWEEN = 3, 5.0
"""How often a connection is tried, and the seconds between two tries."""
LONGEST_NAME = 64
"""Characters of a function's name in the vendors' APIs."""


class RemoteTools(Closing):
    """The tools of the MCP server at `url`, which takes a bearer token, as tools of `app`. Their
    names begin with the app's. A call gets `within` seconds and is sent once; after a lost
    connection there is a new one. `ServiceError` if there can be none."""

    def __init__(self, url: str, token: str, app: str, within: float) -> None:
        self._url = url
        self._token = token
        self._app = app
        self._within = within
        self._connection = ExitStack()
        with ExitStack() as stack:
            self._portal = stack.enter_context(start_blocking_portal())
            stack.callback(self._disconnect)
            self._client = self._connect()
            listed = self._list()
            self._exit = stack.pop_all()
        self._names = {self._name(tool.name): tool.name for tool in listed}
        self._specs = {
            self._name(tool.name): ToolSpec(
                self._name(tool.name),
                app,
                tool.description or "",
                tool.input_schema,
                reads_only=bool(tool.annotations and tool.annotations.read_only_hint),
            )
            for tool in listed
        }

    @property
    def server(self) -> str:
        """Name and version of the server, as it says."""
        said = self._client.server_info
        return f"{said.name} {said.version}" if said else ""

    def close(self) -> None:
        """Close the connection."""
        self._exit.close()

    def specs(self) -> dict[str, ToolSpec]:
        """The tools by the names they have here."""
        return self._specs

    def answers(self, name: str) -> bool:
        """Whether calls of that name are for one of these tools."""
        return name in self._names

    def answer(self, call: ToolCall, send: Send) -> tuple[ToolResult, ExecutedTool | None]:
        """The result of a call, which is sent once."""
        name = self._names[call.name]
        # Without this the session would check the answer against a schema that may be anything.
        self._client.session._tool_output_schemas[name] = None
        try:
            ask = partial(self._client.call_tool_mcp, name, dict(call.arguments))
            return result(call, wait(self._portal, ask)), None
        except LOST as error:
            self._disconnect()
            self._client = self._connect()
            text = f"{call.name} was called, and no answer was received: {_said(error)}"
            return ToolResult(call.id, text, NO_ANSWER), None

    def _connect(self) -> Client[Any]:
        transport = StreamableHttpTransport(
            self._url, auth=self._token, httpx_client_factory=self._http_client
        )
        client: Client[Any] = Client(transport, timeout=self._within, cache=False)
        for left in reversed(range(TRIES)):
            try:
                opened = self._portal.wrap_async_context_manager(client)
                self._connection.enter_context(opened)
                return client
            except LOST as error:
                if not left:
                    raise ServiceError(
                        f"the MCP server {self._url} cannot be reached: {_said(error)}"
                    ) from None
                time.sleep(BETWEEN)
        raise AssertionError("the last try returns or raises")

    def _disconnect(self) -> None:
        with suppress(*LOST):  # it may be broken
            self._connection.close()

    def _list(self) -> list[mcp_types.Tool]:
        try:
            return wait(self._portal, self._client.list_tools)
        except LOST as error:
            raise ServiceError(
                f"the MCP server {self._url} does not list its tools: {_said(error)}"
            ) from None

    def _name(self, name: str) -> str:
        return f"{self._app}_{name}"[:LONGEST_NAME]

    def _http_client(
        self,
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
        follow_redirects: bool = False,
    ) -> httpx2.AsyncClient:
        bound = Bound(LARGEST["call"], self._within)
        inner = BoundedTransport(httpx2.AsyncHTTPTransport(), bound, HEADERS)
        return httpx2.AsyncClient(
            headers=headers, timeout=timeout, auth=auth, transport=_Requests(inner)
        )


def _said(error: Exception) -> str:
    return f"{type(error).__name__} {error}".strip()[:500]


class _Requests(httpx2.AsyncBaseTransport):
    """Requests and their answers alone: a server's stream of events of its own is not opened."""

    def __init__(self, inner: BoundedTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "GET":
            return httpx2.Response(405, request=request)
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self._inner.aclose()
