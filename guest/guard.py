"""Token authentication for every request, whether its route exists or not.

The machine's token opens everything. A second one, which exists only if the host has set it, opens
the tools alone: a program inside the guest may have it.
"""

from __future__ import annotations

import hmac
import json
import os
from pathlib import Path
from typing import Optional

from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["TOOLS", "Guard", "NoTokenError", "Token"]

TOOLS = "/mcp"
"""The path of the tools."""

REFUSED = json.dumps(
    {
        "error": {
            "code": "unauthorized",
            "message": "This endpoint requires the token of this machine.",
            "hint": "Send it as `Authorization: Bearer TOKEN`.",
        }
    }
).encode()


class NoTokenError(Exception):
    """No valid token was found at start, so the server does not run."""


class Token:
    """The current token. `renewed` is a file that stores a renewed one across restarts."""

    def __init__(self, value: str, renewed: Path | None = None) -> None:
        if len(value) < 16:
            raise NoTokenError("the token has fewer than 16 characters")
        self._value = value.encode()
        self._renewed = renewed
        self._tools: Optional[bytes] = None

    @staticmethod
    def read(file: Path | None, renewed: Path) -> Token:
        """Read the token from the first existing file: `renewed`, then `file`, or if that is None,
        systemd's credentials and /etc.
        """
        credentials = os.environ.get("CREDENTIALS_DIRECTORY")
        paths = [renewed, file] if file else [renewed]
        if not file and credentials:
            paths.append(Path(credentials) / "ambidex.token")
        if not file:
            paths.append(Path("/etc/ambidex/token"))
        for path in paths:
            if path is not None and path.is_file():
                return Token(path.read_text().strip(), renewed)
        tried = ", ".join(str(path) for path in paths)
        raise NoTokenError(f"no token in any of {tried}")

    def admits(self, header: bytes, path: str) -> bool:
        """Whether an Authorization header has a token for this path; compared in constant time."""
        scheme, _, value = header.partition(b" ")
        if scheme.lower() != b"bearer":
            return False
        admitted = [self._value]
        if path == TOOLS and self._tools is not None:
            admitted.append(self._tools)
        return any(hmac.compare_digest(value.strip(), token) for token in admitted)

    def set_tools(self, value: str) -> None:
        """Admit `value` to the tools until the token is renewed; `NoTokenError` if too short."""
        Token(value)
        self._tools = value.encode()

    def renew(self, value: str) -> None:
        """Admit only `value` from now on, even after a restart; `NoTokenError` if too short."""
        Token(value)
        if self._renewed is not None:
            new = self._renewed.with_suffix(".new")
            new.unlink(missing_ok=True)
            with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400), "w") as file:
                file.write(value)
            new.replace(self._renewed)
        self._value, self._tools = value.encode(), None


class Guard:
    """ASGI middleware that answers 401 to every request without the token."""

    def __init__(self, app: ASGIApp, token: Token) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on requests that have the token; refuse all others."""
        if scope["type"] == "lifespan" or self._admitted(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            headers = [
                (b"content-type", b"application/json"),
                (b"content-length", str(len(REFUSED)).encode()),
                (b"www-authenticate", b"Bearer"),
            ]
            await send({"type": "http.response.start", "status": 401, "headers": headers})
            await send({"type": "http.response.body", "body": REFUSED})
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _admitted(self, scope: Scope) -> bool:
        values = [value for name, value in scope["headers"] if name == b"authorization"]
        return len(values) == 1 and self._token.admits(values[0], scope["path"])
