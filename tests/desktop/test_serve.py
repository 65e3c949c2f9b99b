"""A real desktop as an MCP server, used by FastMCP's client with the configuration of `serve`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from fastmcp import Client
from mcp_types import ImageContent

from ambidex.host.integrations.mcp_server import Offer, served
from ambidex.host.integrations.served_desktop import Desktop
from ambidex.vm import Machine


def test_a_client_sees_the_desktop_changes_it_and_reverts_it(
    machine: Machine, tmp_path: Path
) -> None:
    async def use(config: dict[str, Any]) -> None:
        async with Client(config) as client:
            assert len(await client.list_tools()) > 200
            [picture] = (await client.call_tool("computer_screenshot", {})).content
            assert isinstance(picture, ImageContent)
            assert picture.data.startswith("iVBOR")
            where = {"path": "/home/user/made-over-mcp"}
            await client.call_tool("filesystem_create_directory", where)
            assert not (await info(client, where)).is_error
            await client.call_tool("machine_revert", {})
            assert (await info(client, where)).is_error

    async def info(client: Client[Any], where: dict[str, str]) -> Any:
        return await client.call_tool("filesystem_get_file_info", where, raise_on_error=False)

    with Desktop(machine, tmp_path) as desktop, served(desktop, Offer(revert=True)) as access:
        asyncio.run(use(access.client_config()))
