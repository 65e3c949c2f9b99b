"""The guest's tools over MCP, from synchronous code. The MCP client runs in the event loop of the
guest's `Wire`."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from typing import Any, TypeVar

import httpx2
from anyio.from_thread import BlockingPortal
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from mcp import MCPError
from pydantic import ValidationError

from ambidex.host import ToolCall, ToolResult, ToolSpec
from ambidex.host.errors import GuestError
from ambidex.host.untrusted import LARGEST, Bound, MalformedError, TooLargeError
from ambidex.host.untrusted.calls import VettedTransport, result, spec, unreadable
from ambidex.host.untrusted.wire import bounded_transport, wait
from ambidex.vm.closing import Closing

__all__ = ["Tools"]

CALL_ID = "ambidex/call"
"""Request metadata: the call's id. The guest answers a repeated id with the stored result."""
AGAIN = "ambidex/again"
"""Request metadata: only return the stored result of the id; do not carry out the call."""
UNKNOWN_CALL = "unknown_call"
"""The guest's error for `AGAIN` if it has no such result, for example because its server was
restarted."""
SLACK = 10.0
"""Seconds by which the client's timeout exceeds that of the transport, whose error says more."""
PAGES = 10
"""Maximum number of pages in which a guest may list its tools."""

LOST = (MCPError, RuntimeError, httpx2.TransportError, httpx2.HTTPStatusError, OSError)
"""What the client raises if the connection breaks. A tool's own error is a result, not an
exception."""

T = TypeVar("T")


class Tools(Closing):
    """The `/mcp` endpoint. Connects at first use, and again after the connection broke."""

    def __init__(self, url: str, token: str, timeout: float, portal: BlockingPortal) -> None:
        self._url = url
        self._token = token
        self._timeout = timeout
        self._portal = portal
        self._open: tuple[Client[Any], AbstractContextManager[object]] | None = None
        self._transport: VettedTransport | None = None

    def close(self) -> None:
        """Drop the connection."""
        self._drop()

    def list_tools(self, within: float | None = None) -> tuple[ToolSpec, ...]:
        """List the guest's tools, repeating the request once if the connection is lost. `within`
        limits the seconds per answer, if less than usual."""
        try:
            return self._list(within)
        except MalformedError:
            raise
        except GuestError:
            return self._list(within)

    def call(self, call: ToolCall, back: float, within: float | None = None) -> ToolResult:
        """Carry out a call and return its result. After a lost connection the result is asked for
        again by the call's id, for up to `back` seconds. An answer that cannot be read becomes an
        error result."""
        meta: dict[str, Any] = {CALL_ID: call.id}
        end = time.monotonic() + back
        while True:
            sent_meta = dict(meta)
            try:
                client = self._client(within)
                # Answers are vetted here. The session would list all tools in order to check the
                # answer of one that is not listed, such as `service_call`.
                client.session._tool_output_schemas.setdefault(call.name, None)
                # From here on the guest may have carried out the call.
                meta[AGAIN] = True
                request = partial(
                    client.call_tool_mcp, call.name, dict(call.arguments), meta=sent_meta
                )
                answer = result(call, self._answer(request, f"the answer to {call.name}"))
                if answer.error == UNKNOWN_CALL and AGAIN in sent_meta:
                    raise GuestError(f"the guest no longer has the result of {call.name}")
                return answer
            except LOST as error:
                refused = self._refused()
                self._drop()
                if AGAIN in meta and isinstance(refused, TooLargeError | MalformedError):
                    return unreadable(call, refused)
                if time.monotonic() > end:
                    reason = refused or error
                    raise GuestError(f"the guest was lost during {call.name}: {reason}") from error
            except MalformedError as error:
                self._drop()
                if AGAIN not in meta:
                    raise
                return unreadable(call, error)
            time.sleep(0.1)  # polling interval, while the server may be restarting

    def _list(self, within: float | None) -> tuple[ToolSpec, ...]:
        try:
            ask = partial(self._client(within).list_tools, PAGES)
            return tuple(spec(tool) for tool in self._answer(ask, "the list of tools"))
        except LOST as error:
            reason = self._refused() or error
            self._drop()
            raise GuestError(f"the guest does not list its tools: {reason}") from error

    def _answer(self, ask: Callable[[], Awaitable[T]], what: str) -> T:
        with _mcp_form(what):
            return wait(self._portal, ask)

    def _client(self, within: float | None) -> Client[Any]:
        bound = self._timeout if within is None else min(within, self._timeout)
        if self._open is None:
            vetted = VettedTransport(bounded_transport(self._url, self._bound(bound)))
            self._transport = vetted
            transport = StreamableHttpTransport(
                self._url,
                auth=self._token,
                httpx_client_factory=partial(_client_over, vetted),
            )
            client = Client(transport, timeout=self._timeout + SLACK, cache=False)
            session = self._portal.wrap_async_context_manager(client)
            with _mcp_form("the initialization of the MCP session"):
                session.__enter__()
            self._open = (client, session)
        assert self._transport is not None
        self._transport.bounded.bound = self._bound(bound)
        return self._open[0]

    def _bound(self, within: float) -> Bound:
        return Bound(LARGEST["call"], within)

    def _refused(self) -> GuestError | None:
        return self._transport.refused if self._transport else None

    def _drop(self) -> None:
        if self._open is not None:
            _, session = self._open
            self._open = None
            with suppress(*LOST):  # the session is dropped because it is broken
                session.__exit__(None, None, None)


@contextmanager
def _mcp_form(what: str) -> Iterator[None]:
    """Convert the MCP client's `ValidationError` for JSON that is not valid MCP."""
    try:
        yield
    except ValidationError as error:
        count = error.error_count()
        raise MalformedError(f"{what} is not valid MCP: {count} wrong fields") from None


def _client_over(
    transport: VettedTransport,
    headers: dict[str, str] | None = None,
    timeout: httpx2.Timeout | None = None,
    auth: httpx2.Auth | None = None,
    follow_redirects: bool = False,
) -> httpx2.AsyncClient:
    """The HTTP client for the MCP client: it uses our transport and ignores proxies in the
    environment."""
    return httpx2.AsyncClient(
        headers=headers, timeout=timeout, auth=auth, transport=transport, trust_env=False
    )
