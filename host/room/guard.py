"""Access control for pages such as the control room's: it admits requests with a valid cookie or
code (`host.room.sign_in`), and only those addressed to this server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ambidex.host.room.sign_in import SignIn

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
"""Added to every response, unless it has a header of that name."""


@dataclass(frozen=True)
class Guarded:
    """Middleware that exchanges a valid code in the address for a cookie, and then requires it."""

    app: ASGIApp
    sign_in: SignIn
    ours: Callable[[str], bool]
    """Whether a `Host` header names this server (`authorities`)."""
    cookie: str
    """Name of the cookie."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request; see the ASGI specification."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        await self._answer(scope)(scope, receive, _with_headers(send))

    def _answer(self, scope: Scope) -> ASGIApp:
        connection = HTTPConnection(scope)
        page = scope["type"] == "http"
        if not self._meant_for_us(connection):
            return (
                _refused(421, "open this page at the address that was printed") if page else _closed
            )
        name = self.sign_in.user(connection.cookies.get(self.cookie, ""))
        code = connection.query_params.get("code") if page else None
        if code is not None and scope["method"] == "GET" and scope["path"] == "/":
            # The redirect removes the code from the address. A browser that has a cookie may
            # load the address again.
            redirect = RedirectResponse("/", 303)
            if (cookie := self.sign_in.redeem(code)) is not None:
                redirect.set_cookie(self.cookie, cookie, httponly=True, samesite="strict")
                return redirect
            if name is not None:
                return redirect
            self.sign_in.replace_expired(code)
        if name is None:
            reason = "open the address that was printed; each works once, for some minutes"
            return _refused(401, reason) if page else _closed
        scope[WHO] = name
        return self.app

    def _meant_for_us(self, connection: HTTPConnection) -> bool:
        """Whether the request names this server and does not come from another site's page.
        Clients other than browsers send no `Origin`."""
        hosts = connection.headers.getlist("host")
        if len(hosts) != 1 or not self.ours(hosts[0]):
            return False
        origins = connection.headers.getlist("origin")
        return not origins or (
            len(origins) == 1 and origins[0] in (f"http://{hosts[0]}", f"https://{hosts[0]}")
        )


def who(connection: HTTPConnection) -> str:
    """The name of the person who sends the request."""
    return str(connection.scope[WHO])


async def _closed(scope: Scope, receive: Receive, send: Send) -> None:
    """Refuse a web socket."""
    await send({"type": "websocket.close", "code": 1008, "reason": "access denied"})


def _refused(status: int, reason: str) -> Response:
    return Response(f"{status}: {reason}.\n", status, media_type="text/plain")


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Any) -> None:
        if message["type"] == "http.response.start":
            own = [*message.get("headers", ())]
            names = {name.lower() for name, _ in own}
            headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            added = [header for header in headers if header[0] not in names]
            message = {**message, "headers": [*own, *added]}
        await send(message)

    return send_with_headers
