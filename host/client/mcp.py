"""The guest's tools over MCP, from synchronous code: one client, in the event loop of the guest's
wire."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from types import TracebackType
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

__all__ = ["Tools"]

CALL_ID = "ambidex/call"
"""Request metadata: a repeated id is answered with the stored result."""
AGAIN = "ambidex/again"
"""Request metadata: the result of that id is wanted, and nothing is to be carried out."""
UNKNOWN_CALL = "unknown_call"
"""The guest's answer to that, where it has no such result, for example because its server is a new
one."""
SLACK = 10.0
"""Seconds that the client's own bound is above that of the connection under it, which says more."""
PAGES = 10
"""Parts in which a guest may list its tools."""

LOST = (MCPError, RuntimeError, httpx2.TransportError, httpx2.HTTPStatusError, OSError)
"""What the client raises when the connection breaks; a tool's own error is a result and raises
nothing."""

T = TypeVar("T")


class Tools:
    """The `/mcp` door. Opens a connection when first used, and a new one after it broke."""

    def __init__(self, url: str, token: str, timeout: float, portal: BlockingPortal) -> None:
        self._url = url
        self._token = token
        self._timeout = timeout
        self._portal = portal
        self._open: tuple[Client[Any], AbstractContextManager[object]] | None = None
        self._door: VettedTransport | None = None

    def __enter__(self) -> Tools:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._drop()

    def listed(self, within: float | None = None) -> tuple[ToolSpec, ...]:
        """The tools, asked of the guest, once more where the connection is lost. `within` is how
        many seconds each answer may take, if that is less than usual."""
        try:
            return self._list(within)
        except MalformedError:
            raise
        except GuestError:
            return self._list(within)

    def call(self, call: ToolCall, back: float, within: float | None = None) -> ToolResult:
        """The result of the call. After a lost connection its id is asked for again, for `back`
        seconds; an answer that arrived and cannot be read is an error of the tool."""
        meta: dict[str, Any] = {CALL_ID: call.id}
        end = time.monotonic() + back
        while True:
            asked = dict(meta)
            try:
                client = self._client(within)
                # From here on the guest may have acted; before, it cannot have.
                meta[AGAIN] = True
                asked_for = partial(
                    client.call_tool_mcp, call.name, dict(call.arguments), meta=asked
                )
                answer = result(call, self._answer(asked_for, f"the answer to {call.name}"))
                if answer.error == UNKNOWN_CALL and AGAIN in asked:
                    raise GuestError(f"the guest no longer knows what came of {call.name}")
                return answer
            except LOST as error:
                refused = self._refused()
                self._drop()
                if AGAIN in meta and isinstance(refused, TooLargeError | MalformedError):
                    return unreadable(call, refused)
                if time.monotonic() > end:
                    why = refused or error
                    raise GuestError(f"the guest was lost during {call.name}: {why}") from error
            except MalformedError as error:
                self._drop()
                if AGAIN not in meta:
                    raise
                return unreadable(call, error)
            time.sleep(0.1)  # between looks for a server that is being restarted

    def _list(self, within: float | None) -> tuple[ToolSpec, ...]:
        try:
            ask = partial(self._client(within).list_tools, PAGES)
            return tuple(spec(tool) for tool in self._answer(ask, "the list of tools"))
        except LOST as error:
            why = self._refused() or error
            self._drop()
            raise GuestError(f"the guest does not list its tools: {why}") from error

    def _answer(self, ask: Callable[[], Awaitable[T]], what: str) -> T:
        with _formed(what):
            return wait(self._portal, ask)

    def _client(self, within: float | None) -> Client[Any]:
        bound = self._timeout if within is None else min(within, self._timeout)
        if self._open is None:
            door = self._door = VettedTransport(bounded_transport(self._url, self._bound(bound)))
            transport = StreamableHttpTransport(
                self._url,
                auth=self._token,
                httpx_client_factory=partial(_client_over, door),
            )
            client = Client(transport, timeout=self._timeout + SLACK, cache=False)
            session = self._portal.wrap_async_context_manager(client)
            with _formed("the greeting of the tools' door"):
                session.__enter__()
            self._open = (client, session)
        assert self._door is not None
        self._door.bounded.bound = self._bound(bound)
        return self._open[0]

    def _bound(self, within: float) -> Bound:
        return Bound(LARGEST["call"], within)

    def _refused(self) -> GuestError | None:
        return self._door.refused if self._door else None

    def _drop(self) -> None:
        if self._open is not None:
            _, session = self._open
            self._open = None
            with suppress(*LOST):  # it is given up because it is broken
                session.__exit__(None, None, None)


@contextmanager
def _formed(what: str) -> Iterator[None]:
    """Around the client alone, which raises what pydantic does for JSON that is no MCP."""
    try:
        yield
    except ValidationError as error:
        count = error.error_count()
        raise MalformedError(f"{what} is not in the form of MCP: {count} wrong fields") from None


def _client_over(
    door: VettedTransport,
    headers: dict[str, str] | None = None,
    timeout: httpx2.Timeout | None = None,
    auth: httpx2.Auth | None = None,
    follow_redirects: bool = False,
) -> httpx2.AsyncClient:
    """The HTTP client of the MCP client: it reads through our door, and goes where it was told."""
    return httpx2.AsyncClient(
        headers=headers, timeout=timeout, auth=auth, transport=door, trust_env=False
    )
