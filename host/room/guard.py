"""What stands before all doors of pages such as the control room's: it lets in who has entered
(`host.room.entrance`), and only requests that were meant for this server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ambidex.host.room.entrance import Entrance

__all__ = ["Guarded", "who"]

WHO = "ambidex.who"

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@dataclass(frozen=True)
class Guarded:
    """Lets in who shows a code that works, once in the address, and from then on a cookie."""

    app: ASGIApp
    entrance: Entrance
    ours: Callable[[str], bool]
    """Whether a `Host` is one of this server's (`authorities`)."""
    cookie: str
    """Its name."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        await self._answer(scope)(scope, receive, _with_headers(send))

    def _answer(self, scope: Scope) -> ASGIApp:
        asked = HTTPConnection(scope)
        page = scope["type"] == "http"
        if not self._meant_for_us(asked):
            return (
                _refused(421, "ask for this page at the address that was printed")
                if page
                else _closed
            )
        name = self.entrance.whose(asked.cookies.get(self.cookie, ""))
        code = asked.query_params.get("code") if page else None
        if code is not None and scope["method"] == "GET" and scope["path"] == "/":
            # The code does not stay in the address; whoever is in already may load it again.
            entered = RedirectResponse("/", 303)
            if (cookie := self.entrance.admitted(code)) is not None:
                entered.set_cookie(self.cookie, cookie, httponly=True, samesite="strict")
                return entered
            if name is not None:
                return entered
            self.entrance.came_too_late(code)
        if name is None:
            said = "this page wants the address that was printed; each works once, for some minutes"
            return _refused(401, said) if page else _closed
        scope[WHO] = name
        return self.app

    def _meant_for_us(self, asked: HTTPConnection) -> bool:
        """Whether it names this server, and comes from no page of another one. What is not a
        browser's says nothing of pages."""
        hosts = asked.headers.getlist("host")
        if len(hosts) != 1 or not self.ours(hosts[0]):
            return False
        origins = asked.headers.getlist("origin")
        return not origins or (
            len(origins) == 1 and origins[0] in (f"http://{hosts[0]}", f"https://{hosts[0]}")
        )


def who(asked: HTTPConnection) -> str:
    """The name of the person that asks."""
    return str(asked.scope[WHO])


async def _closed(scope: Scope, receive: Receive, send: Send) -> None:
    """Refuses a web socket."""
    await send({"type": "websocket.close", "code": 1008, "reason": "not let in"})


def _refused(status: int, said: str) -> Response:
    return Response(f"{status}: {said}.\n", status, media_type="text/plain")


def _with_headers(send: Send) -> Send:
    async def sent(message: Any) -> None:
        if message["type"] == "http.response.start":
            said = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", ()), *said]}
        await send(message)

    return sent
