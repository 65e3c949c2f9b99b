"""Warms up the door with requests of its own, so that forks answer their first one fast.

The first request of a kind builds schemas and, under emulation, translates code. Both remain in
memory, which a snapshot saves.
"""

from __future__ import annotations

import json
from typing import Any

from mcp_types.version import LATEST_PROTOCOL_VERSION
from starlette.types import ASGIApp, Message

__all__ = ["warm"]

ROUNDS = 2
REQUESTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("server/discover", {}),
    ("tools/list", {}),
    ("tools/call", {"name": "computer_cursor_position", "arguments": {}}),
    ("tools/call", {"name": "computer_window_list", "arguments": {}}),
)


async def warm(mcp: ASGIApp) -> list[int]:
    """Send each request as a client would, without authentication; the status of each answer."""
    return [
        await _send(mcp, number, method, params)
        for number, (method, params) in enumerate(REQUESTS * ROUNDS)
    ]


async def _send(mcp: ASGIApp, number: int, method: str, params: dict[str, Any]) -> int:
    version = LATEST_PROTOCOL_VERSION
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "warm", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params_with_meta = {**params, "_meta": meta}
    request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params_with_meta}
    body = json.dumps(request).encode()
    headers = {
        "host": "127.0.0.1",
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "content-length": str(len(body)),
        "mcp-protocol-version": version,
        "mcp-method": method,
    }
    if "name" in params:
        headers["mcp-name"] = params["name"]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/mcp",
        "raw_path": b"/mcp",
        "root_path": "",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 0),
        "server": ("127.0.0.1", 0),
    }
    unread = [body]
    status = 0

    async def receive() -> Message:
        if unread:
            return {"type": "http.request", "body": unread.pop(), "more_body": False}
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]

    await mcp(scope, receive, send)
    return status
