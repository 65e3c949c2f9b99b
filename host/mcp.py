"""The guest's tools over MCP, from synchronous code: one client, one event loop in a thread of its
own."""

from __future__ import annotations

import ssl
import time
from contextlib import AbstractContextManager, ExitStack, suppress
from functools import partial
from types import TracebackType
from typing import Any

import httpx2
import mcp_types
from anyio.from_thread import start_blocking_portal
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from mcp import MCPError

from host import ToolCall, ToolResult, ToolSpec
from host.errors import GuestError

__all__ = ["KEEP_ALIVE", "Tools", "trust"]

CALL_ID = "ambidex/call"
"""Request metadata: a repeated id is answered with the stored result."""
AGAIN = "ambidex/again"
"""Request metadata: the result of that id is wanted, and nothing is to be carried out."""
UNKNOWN_CALL = "unknown_call"
"""The guest's answer to that, where it has no such result, for example because its server is a new
one."""

KEEP_ALIVE = 2.0
"""Seconds after which an idle connection is not used again. The guest drops it after 5, and a call
that meets it going would be lost, with nobody knowing whether it arrived."""

LOST = (MCPError, RuntimeError, httpx2.TransportError, httpx2.HTTPStatusError, OSError)
"""What the client raises when the connection breaks; a tool's own error is a result and raises
nothing."""


class Tools:
    """The `/mcp` door. Opens a connection when first used, and a new one after it broke."""

    def __init__(self, url: str, token: str, timeout: float) -> None:
        self._url = url
        self._token = token
        self._timeout = timeout
        self._exit = ExitStack()
        self._portal = self._exit.enter_context(start_blocking_portal())
        self._open: tuple[Client[Any], AbstractContextManager[object]] | None = None

    def __enter__(self) -> Tools:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._drop()
        self._exit.close()

    def listed(self) -> tuple[ToolSpec, ...]:
        """The tools, asked of the guest, once more where the connection is lost."""
        try:
            return self._list()
        except GuestError:
            return self._list()

    def call(self, call: ToolCall, back: float) -> ToolResult:
        """The result of the call. After a lost connection its id is asked for again, for so many
        seconds."""
        meta: dict[str, Any] = {CALL_ID: call.id}
        end = time.monotonic() + back
        while True:
            try:
                client = self._client()
                # From here on the guest may have acted; before, it cannot have.
                asked = dict(meta)
                meta[AGAIN] = True
                ask = partial(client.call_tool_mcp, call.name, dict(call.arguments), meta=asked)
                answer = self._portal.call(ask)
                result = _result(call, answer)
                if result.error == UNKNOWN_CALL and AGAIN in asked:
                    raise GuestError(f"the guest no longer knows what came of {call.name}")
                return result
            except LOST as error:
                self._drop()
                if time.monotonic() > end:
                    raise GuestError(f"the guest was lost during {call.name}: {error}") from error
            time.sleep(0.1)  # between looks for a server that is being restarted

    def _list(self) -> tuple[ToolSpec, ...]:
        try:
            client = self._client()
            return tuple(_spec(tool) for tool in self._portal.call(client.list_tools))
        except LOST as error:
            self._drop()
            raise GuestError(f"the guest does not list its tools: {error}") from error

    def _client(self) -> Client[Any]:
        if self._open is None:
            transport = StreamableHttpTransport(
                self._url,
                auth=self._token,
                httpx_client_factory=partial(_direct, trust(self._url)),
            )
            client = Client(transport, timeout=self._timeout, cache=False)
            session = self._portal.wrap_async_context_manager(client)
            session.__enter__()
            self._open = (client, session)
        return self._open[0]

    def _drop(self) -> None:
        if self._open is not None:
            _, session = self._open
            self._open = None
            with suppress(*LOST):  # it is given up because it is broken
                session.__exit__(None, None, None)


def trust(url: str) -> ssl.SSLContext | bool:
    """Whom a client of this address trusts: those whom everybody trusts. Over plain http nobody,
    since reading who they are takes longer than a call does."""
    return url.lower().startswith("https:") or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _direct(
    verify: ssl.SSLContext | bool,
    headers: dict[str, str] | None = None,
    timeout: httpx2.Timeout | None = None,
    auth: httpx2.Auth | None = None,
    follow_redirects: bool = False,
) -> httpx2.AsyncClient:
    """A client that asks the guest itself, whatever proxy the environment names."""
    return httpx2.AsyncClient(
        headers=headers,
        timeout=timeout,
        auth=auth,
        follow_redirects=follow_redirects,
        verify=verify,
        trust_env=False,
        limits=httpx2.Limits(keepalive_expiry=KEEP_ALIVE),
    )


def _spec(tool: mcp_types.Tool) -> ToolSpec:
    meta = (tool.meta or {}).get("ambidex", {})
    if "app" not in meta:
        raise GuestError(f"the guest's tool {tool.name} does not say its app")
    reads_only = bool(tool.annotations and tool.annotations.read_only_hint)
    return ToolSpec(
        name=tool.name,
        app=meta["app"],
        description=tool.description or "",
        parameters=tool.input_schema,
        reads_only=reads_only,
        source=meta.get("source", "ours"),
        mounted=meta.get("mounted", ""),
        aliases=tuple(meta.get("aliases", ())),
    )


def _result(call: ToolCall, answer: mcp_types.CallToolResult) -> ToolResult:
    texts, images = [], []
    for block in answer.content:
        match block:
            case mcp_types.TextContent():
                texts.append(block.text)
            case mcp_types.ImageContent():
                images.append(f"data:{block.mime_type};base64,{block.data}")
            case _:
                texts.append(f"[{block.type}]")
    said = answer.structured_content if isinstance(answer.structured_content, dict) else {}
    error = ""
    if answer.is_error:
        error = str(said.get("error", {}).get("code", "failed"))
    value = None if answer.is_error else said.get("result")
    return ToolResult(call.id, "\n".join(texts), error, value, tuple(images))
