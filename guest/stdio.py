"""`python3 -m ambidex.guest.stdio TOKEN_FILE`: the guest's MCP server over standard input and
output, for clients inside the guest that cannot send a token. The file has the token for the tools.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.server.stdio import stdio_server

from ambidex.guest import DEFAULT_PORT
from ambidex.guest.guard import TOOLS

__all__ = ["relay"]

LONGEST = 600.0
"""Seconds for one answer."""


async def relay(url: str, token: str) -> None:
    """Pass messages on in both directions until standard input ends."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=LONGEST) as http,
        stdio_server() as (from_client, to_client),
        streamable_http_client(url, http_client=http) as (from_server, to_server, *_),
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(pass_on, from_server, to_client)
        await pass_on(from_client, to_server)
        tasks.cancel_scope.cancel()


async def pass_on(source: Any, target: Any) -> None:
    """Pass on each message; what is not one is left out."""
    async for message in source:
        if not isinstance(message, Exception):
            await target.send(message)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3 -m ambidex.guest.stdio TOKEN_FILE")
    try:
        secret = Path(sys.argv[1]).read_text().strip()
    except OSError as error:
        sys.exit(f"the token of the tools cannot be read: {error}")
    anyio.run(relay, f"http://127.0.0.1:{DEFAULT_PORT}{TOOLS}", secret)
