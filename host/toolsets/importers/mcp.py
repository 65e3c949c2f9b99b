"""`mcpServers` configurations, and LiveMCPBench's `tools.json` with the tools of each server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from ambidex.evaluators.strict import explain
from ambidex.host.errors import UsageError
from ambidex.host.toolsets import CatalogueTool, McpExecution, Server
from ambidex.host.toolsets.archives import SourceFile
from ambidex.host.toolsets.importers import Imported
from ambidex.host.toolsets.naming import tool_name

__all__ = ["USUAL", "from_mcp", "mcp_tool"]

USUAL = ("*.json",)


class _Lenient(BaseModel):
    """A record of others: keys that are not used here are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)


class Launch(_Lenient):
    """How a server is started, or its address."""

    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    url: str = ""

    @model_validator(mode="after")
    def _is_complete(self) -> Launch:
        if bool(self.command) == bool(self.url):
            raise ValueError("give either command or url")
        return self


class Listed(_Lenient):
    """A tool as a server lists it."""

    name: str = Field(min_length=1)
    description: str | None = None
    schema_: dict[str, Any] = Field(default_factory=dict, alias="inputSchema")


class Listing(_Lenient):
    """The tools that a server listed."""

    tools: tuple[Listed, ...]


class Configuration(_Lenient):
    """A client's configuration of servers."""

    servers: dict[str, Launch] = Field(alias="mcpServers")


class Entry(_Lenient):
    """An entry of `tools.json` or `all_config.json`."""

    name: str
    description: str = ""
    category: str = ""
    config: Configuration
    tools: dict[str, Listing] = Field(default_factory=dict)


def from_mcp(file: SourceFile, server: str) -> Iterator[Imported]:
    """The servers of a file, with their tools if the file lists them. `server` is the template of
    servers' names. `UsageError` if it is neither kind of file."""
    try:
        content = TypeAdapter(Configuration | tuple[Entry, ...]).validate_json(file.content)
    except ValidationError as error:
        raise UsageError(f"{file.source}: {explain(error, most=3)}") from None
    if isinstance(content, Configuration):
        for key, launch in content.servers.items():
            yield _server(file, server.replace("{name}", key), launch)
        return
    for entry in content:
        if strangers := entry.tools.keys() - entry.config.servers.keys():
            raise UsageError(
                f"{file.source}: the entry {entry.name!r} lists tools of {min(strangers)!r},"
                " which it does not configure"
            )
        for key, launch in entry.config.servers.items():
            name = server.replace("{name}", key)
            yield _server(file, name, launch, entry)
            for tool in entry.tools[key].tools if key in entry.tools else ():
                yield mcp_tool(name, tool.name, tool.description or "", tool.schema_)


def mcp_tool(server: str, name: str, description: str, schema: dict[str, Any]) -> CatalogueTool:
    """A tool of an MCP server as a toolset has it; the same for a server that lists it itself."""
    return CatalogueTool(
        server=server,
        name=tool_name(server, name),
        description=description,
        input_schema=schema,
        execution=McpExecution(tool=name),
    )


def _server(file: SourceFile, name: str, launch: Launch, entry: Entry | None = None) -> Server:
    return Server(
        name=name,
        command=(launch.command, *launch.args) if launch.command else (),
        env=launch.env,
        url=launch.url,
        source=file.source,
        source_hash=file.hash,
        title=entry.name if entry else "",
        description=entry.description if entry else "",
        category=entry.category if entry else "",
    )
