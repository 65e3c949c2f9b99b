"""Who is let into pages such as the control room's: whoever shows a token of theirs."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["Guarded", "who"]

WHO = "ambidex.who"

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


@dataclass(frozen=True)
class Guarded:
    """Lets in who shows a token: once in the address, from then on in a cookie."""

    app: ASGIApp
    tokens: Mapping[str, str]
    """Of each person by name; one token for everybody is nobody's, under an empty name."""
    cookie: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        asked = HTTPConnection(scope)
        answer: ASGIApp = self.app
        shown = asked.query_params.get("token", "")
        if self._whose(shown) is not None and scope["type"] == "http":
            # The token does not stay in the address, which is shown, copied and remembered.
            entered = RedirectResponse("/", 303)
            entered.set_cookie(self.cookie, shown, httponly=True, samesite="strict")
            answer = entered
        elif (name := self._whose(asked.cookies.get(self.cookie, ""))) is None or not _same_origin(
            asked
        ):
            answer = Closed() if scope["type"] == "websocket" else _unknown()
        else:
            scope[WHO] = name
        await answer(scope, receive, _with_headers(send))

    def _whose(self, said: str) -> str | None:
        found = [
            name
            for name, token in self.tokens.items()
            if secrets.compare_digest(said.encode(), token.encode())
        ]
        return found[0] if found else None


def who(asked: HTTPConnection) -> str:
    """The name of the person that asks."""
    return str(asked.scope[WHO])


class Closed:
    """Refuses a web socket."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        await send({"type": "websocket.close", "code": 1008, "reason": "wrong token"})


def _unknown() -> Response:
    said = "401: this page wants the token that was printed with its address.\n"
    return Response(said, 401, media_type="text/plain")


def _same_origin(asked: HTTPConnection) -> bool:
    """Whether a request that a page made comes from a page of ours."""
    origin = asked.headers.get("origin")
    return origin is None or origin.partition("://")[2] == asked.headers.get("host")


def _with_headers(send: Send) -> Send:
    async def sent(message: Any) -> None:
        if message["type"] == "http.response.start":
            said = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", ()), *said]}
        await send(message)

    return sent
