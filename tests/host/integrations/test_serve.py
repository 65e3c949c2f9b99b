"""A desktop as an MCP server, seen by the clients of the SDK and of FastMCP."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import pytest
from fastmcp import Client
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from ambidex.host.integrations.mcp_server import Offer, served
from ambidex.host.integrations.served_desktop import Access, Desktop
from tests.support.peer import PeerMachine

T = TypeVar("T")


@pytest.fixture
def desktop(tmp_path: Path) -> Iterator[Desktop]:
    with closing(PeerMachine()) as machine:
        machine.boot()
        with Desktop(machine, tmp_path) as desktop:
            yield desktop


def ask(access: Access, what: Callable[[Client[Any]], Awaitable[T]]) -> T:
    """What a FastMCP client that was configured with the written file gets."""

    async def connect() -> T:
        async with Client(access.client_config()) as client:
            return await what(client)

    return asyncio.run(connect())


def test_x(desktop: Desktop) -> None:
    with served(desktop, Offer(revert=True, forks=True)) as access:
        tools = ask(access, lambda c: c.list_tools())
        print([t.name for t in tools])
        r = ask(access, lambda c: c.call_tool("calc_set_cell_value", {"cell": "A1", "value": 3}))
        print(r)
        r = ask(access, lambda c: c.call_tool("machine_fork", {}))
        print(r)
        fork = Access(**r.structured_content)
        r = ask(fork, lambda c: c.call_tool("calc_get_cell_value", {"cell": "A1"}))
        print(r)
        r = ask(access, lambda c: c.call_tool("machine_snapshot", {"name": "x"}))
        print(r)
        r = ask(access, lambda c: c.call_tool("machine_revert", {"snapshot": "x"}))
        print(r)
        r = ask(access, lambda c: c.call_tool("computer_screenshot", {}))
        print(r)
    assert 0
