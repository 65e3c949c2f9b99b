"""The token: nothing behind this middleware is reached without it, known route or not."""

from __future__ import annotations

import hmac
import json
import os
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["Guard", "NoTokenError", "Token"]

REFUSED = json.dumps(
    {
        "error": {
            "code": "unauthorized",
            "message": "This endpoint wants the token of this machine.",
            "hint": "Send it as `Authorization: Bearer TOKEN`.",
        }
    }
).encode()


class NoTokenError(Exception):
    """No token could be read at start; without one the door stays closed."""


class Token:
    """The current token. `renewed`, where given, is a file that keeps a renewed one over a restart
    of the door.
    """

    def __init__(self, value: str, renewed: Path | None = None) -> None:
        if len(value) < 16:
            raise NoTokenError("the token has fewer than 16 characters")
        self._value = value.encode()
        self._renewed = renewed

    @staticmethod
    def read(given: Path | None, renewed: Path) -> Token:
        """The token from the first place that has one: renewed, given, systemd's credentials,
        /etc.
        """
        credentials = os.environ.get("CREDENTIALS_DIRECTORY")
        places = [renewed, given] if given else [renewed]
        if not given and credentials:
            places.append(Path(credentials) / "ambidex.token")
        if not given:
            places.append(Path("/etc/ambidex/token"))
        for place in places:
            if place is not None and place.is_file():
                return Token(place.read_text().strip(), renewed)
        tried = ", ".join(str(place) for place in places)
        raise NoTokenError(f"no token in any of {tried}")

    def admits(self, header: bytes) -> bool:
        """Whether an Authorization header carries the token; takes the same time for every wrong
        one.
        """
        scheme, _, value = header.partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(value.strip(), self._value)

    def renew(self, value: str) -> None:
        """From now on only `value` is admitted, after a restart too. `NoTokenError` if it is too
        short.
        """
        Token(value)
        if self._renewed is not None:
            new = self._renewed.with_suffix(".new")
            new.unlink(missing_ok=True)
            with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400), "w") as file:
                file.write(value)
            new.replace(self._renewed)
        self._value = value.encode()


class Guard:
    """ASGI middleware around the whole application: 401 for every request without the token."""

    def __init__(self, app: ASGIApp, token: Token) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what carries the token; answer the rest."""
        if scope["type"] == "lifespan" or self._admitted(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            kind = (b"content-type", b"application/json")
            length = (b"content-length", str(len(REFUSED)).encode())
            asks = (b"www-authenticate", b"Bearer")
            await send(
                {"type": "http.response.start", "status": 401, "headers": [kind, length, asks]}
            )
            await send({"type": "http.response.body", "body": REFUSED})
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _admitted(self, scope: Scope) -> bool:
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        return len(given) == 1 and self._token.admits(given[0])
