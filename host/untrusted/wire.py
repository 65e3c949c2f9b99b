"""HTTP to a guest. A request has one deadline, from its first byte to the last byte of the answer;
a trickle of data does not extend it. The body is counted as it arrives and is never decompressed.
"""

from __future__ import annotations

import ssl
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import anyio
import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal

from ambidex.host.untrusted import (
    LARGEST,
    Bound,
    LostError,
    MalformedError,
    TooLargeError,
    TooSlowError,
)
from ambidex.vm.closing import Closing

__all__ = ["KEEP_ALIVE", "Answer", "BoundedTransport", "Wire", "bounded_transport", "wait"]

KEEP_ALIVE = 2.0
"""Seconds after which an idle connection is not reused. The guest closes it after 5; a call sent
just then would be lost, without knowing whether it arrived."""
BOUND = "ambidex.bound"
"""The request extension that carries a request's `Bound`."""
KEPT = (
    *("ambidex-frame", "ambidex-file", "ambidex-truncated", "ambidex-verification"),
    "content-type",
)
"""The headers of an answer that are kept."""

T = TypeVar("T")


@dataclass(frozen=True)
class Answer:
    """An answer within its bound, not parsed yet."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class BoundedTransport(httpx2.AsyncBaseTransport):
    """Reads each answer completely, within the bound of its request, before passing it on."""

    def __init__(
        self, inner: httpx2.AsyncBaseTransport, bound: Bound, kept: tuple[str, ...] = KEPT
    ) -> None:
        self._inner = inner
        self._kept = kept
        self.bound = bound
        """The bound of requests that carry none."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The complete answer. Raises `TooSlowError`, `TooLargeError`, `MalformedError`, and
        network errors."""
        bound: Bound = request.extensions.get(BOUND, self.bound)
        what = f"the answer to {request.method} {request.url.path}"
        # A compressed answer could be larger than it looks.
        request.headers["Accept-Encoding"] = "identity"
        try:
            with anyio.fail_after(max(0.0, bound.within)):
                return await self._read(request, bound, what)
        except TimeoutError:
            raise TooSlowError(f"{what} was not complete after {bound.within:.3g} s") from None

    async def _read(self, request: httpx2.Request, bound: Bound, what: str) -> httpx2.Response:
        answer = await self._inner.handle_async_request(request)
        try:
            encoding = answer.headers.get("content-encoding", "identity")
            if encoding.lower() != "identity":
                raise MalformedError(f"{what} has the unrequested encoding {encoding[:40]!r}")
            largest = bound.largest
            if answer.status_code >= 400:
                largest = min(largest, LARGEST["error"])
            body = bytearray()
            assert isinstance(answer.stream, httpx2.AsyncByteStream)
            async for chunk in answer.stream:
                body += chunk
                if len(body) > largest:
                    raise TooLargeError(f"{what} has more than {largest} bytes")
        finally:
            await answer.aclose()
        kept = {name: answer.headers[name] for name in self._kept if name in answer.headers}
        return httpx2.Response(
            answer.status_code, headers=kept, content=bytes(body), request=request
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


def bounded_transport(url: str, bound: Bound) -> BoundedTransport:
    """A transport that connects to the guest directly, ignoring proxies in the environment."""
    limits = httpx2.Limits(keepalive_expiry=KEEP_ALIVE)
    plain = httpx2.AsyncHTTPTransport(verify=_trust(url), trust_env=False, limits=limits)
    return BoundedTransport(plain, bound)


def _trust(url: str) -> ssl.SSLContext | bool:
    """TLS verification for `url`: the system's certificates for https. Plain http gets an empty
    context, because loading the certificates takes longer than a call."""
    return url.lower().startswith("https:") or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class Wire(Closing):
    """The harness endpoint of one guest, from synchronous code. A context manager; its connections
    live in an event loop in a thread of their own, which is reached through `portal`."""

    def __init__(self, endpoint: str, token: str) -> None:
        self._exit = ExitStack()
        self.portal = self._exit.enter_context(start_blocking_portal())
        client = httpx2.AsyncClient(
            base_url=endpoint,
            headers={"Authorization": f"Bearer {token}"},
            timeout=None,  # each request has its own bound
            transport=bounded_transport(endpoint, Bound(0, 0.0)),
            trust_env=False,
        )
        context = self.portal.wrap_async_context_manager(client)
        self._client = self._exit.enter_context(context)

    def close(self) -> None:
        """Close the connections."""
        self._exit.close()

    def ask(self, method: str, path: str, bound: Bound, **content: Any) -> Answer:
        """Send a request once and return its answer. `content` is `params`, `json` or `content`, as
        for httpx. `LostError` if there is no connection or it breaks."""
        send = partial(self._client.request, method, path, extensions={BOUND: bound}, **content)
        try:
            answer = wait(self.portal, send)
        except httpx2.HTTPError as error:
            raise LostError(
                f"the guest did not answer {method} {path}: {type(error).__name__} {error}".strip()
            ) from error
        return Answer(answer.status_code, answer.headers, answer.content)


def wait(portal: BlockingPortal, ask: Callable[[], Awaitable[T]]) -> T:
    """Run `ask` in the portal's thread and return its result. It is cancelled if the wait is
    interrupted, so that closing the portal does not wait for it."""
    future = portal.start_task_soon(ask)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise
