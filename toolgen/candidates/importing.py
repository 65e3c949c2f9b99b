"""Imports candidates from the tools of an MCP server or the operations of an OpenAPI file. Only
names, descriptions and schemas are taken; the code is written and tested like any other
candidate's."""

from __future__ import annotations

import asyncio
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ambidex.host.errors import UsageError
from ambidex.host.toolsets import CatalogueTool
from ambidex.host.toolsets.archives import SourceFile
from ambidex.host.toolsets.importers import openapi
from ambidex.host.toolsets.naming import slug
from ambidex.host.toolsets.sources import OpenApiSource

__all__ = ["ImportedTool", "from_openapi", "from_server"]

ANSWERS_WITHIN = 60.0


@dataclass(frozen=True)
class ImportedTool:
    """The declaration of a tool that exists elsewhere."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON schema."""


def from_server(server: str) -> list[ImportedTool]:
    """The tools that a server lists; none is called. `server` is an address, or a command that
    starts the user's own server on this computer. `UsageError` if it does not answer."""
    return asyncio.run(_list_tools(server))


async def _list_tools(server: str) -> list[ImportedTool]:
    from fastmcp import Client  # heavy, and only needed here
    from fastmcp.client.transports import StdioTransport

    if server.startswith(("http://", "https://")):
        client: Client[Any] = Client(server)
    else:
        program, *arguments = shlex.split(server)
        client = Client(StdioTransport(program, arguments, keep_alive=False))
    try:
        async with asyncio.timeout(ANSWERS_WITHIN), client:
            tools = await client.list_tools()
    except (OSError, TimeoutError, RuntimeError) as error:
        raise UsageError(
            f"the MCP server {server!r} did not list its tools: {error or type(error).__name__}",
            hint="Give an http address, or a command that starts a server on stdin and stdout.",
        ) from None
    declarations = [
        tool.model_dump(mode="json", by_alias=True, include={"name", "description", "input_schema"})
        for tool in tools
    ]
    return [
        ImportedTool(tool["name"], tool.get("description") or "", tool.get("inputSchema") or {})
        for tool in declarations
    ]


def from_openapi(file: Path) -> list[ImportedTool]:
    """The operations of an OpenAPI file, JSON or YAML. `UsageError` if it is not one, or lacks a
    part that an operation needs."""
    try:
        content = SourceFile(file.name, str(file), file.read_bytes())
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from None
    source = OpenApiSource(kind="openapi", path=str(file))
    tools = [one for one in openapi.from_openapi(content, source) if isinstance(one, CatalogueTool)]
    for tool in tools:
        if not tool.executable:
            raise UsageError(f"{file}: {tool.name}: {tool.cause}")
    return [
        ImportedTool(
            tool.name.removeprefix(f"{slug(tool.server)}_"), tool.description, tool.input_schema
        )
        for tool in tools
    ]
