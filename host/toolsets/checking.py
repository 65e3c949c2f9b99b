"""Compare the MCP servers of a toolset with those that an image has: which start without a network,
and whether their tools are still what the toolset says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ambidex.host.client.guest import Guest
from ambidex.host.toolsets import CatalogueTool, McpExecution, Server
from ambidex.host.toolsets.guests import Guests
from ambidex.host.toolsets.toolset import Toolset

__all__ = ["Checked", "ListedTool", "NotStartedError", "check_toolset", "list_in_guest"]

LISTING = "ambidex.mcp_tools.service.listing"
STARTS_WITHIN = 200.0
CAUSE = 300
"""Characters of a server's last words."""


class ListedTool(BaseModel):
    """A tool as a server lists it now."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    name: str
    description: str | None = None
    schema_: dict[str, Any] = Field(default_factory=dict, alias="inputSchema")


class NotStartedError(Exception):
    """A server does not start; the message is the cause."""


ListTools = Callable[[Mapping[str, Any]], Sequence[ListedTool]]
"""From what a guest is told of a server to the tools that it lists. `NotStartedError` if it does
not start."""
Status = Literal["started", "not installed", "does not start"]


class Change(NamedTuple):
    """How a tool differs from what the toolset says."""

    tool: str
    description: bool
    schema: bool


@dataclass(frozen=True)
class Checked:
    """What a check found of one server. Tools are named as on the server."""

    server: str
    status: Status
    cause: str
    """Why it does not start, or is not installed; empty if it started."""
    catalogued: int
    """Number of its tools in the toolset."""
    same: tuple[str, ...] = ()
    """Those that it lists, by name."""
    gone: tuple[str, ...] = ()
    """Those that it no longer lists."""
    new: tuple[str, ...] = ()
    """Tools that it lists and the toolset does not have."""
    changed: tuple[Change, ...] = ()
    """Those of `same` with another description or schema."""


def check_toolset(toolset: Toolset, guests: Guests, list_tools: ListTools) -> Iterator[Checked]:
    """Check the MCP servers of a toolset, one after another, in the order of their names."""
    tools: dict[str, dict[str, CatalogueTool]] = {name: {} for name in sorted(toolset.servers)}
    for tool in toolset:
        if isinstance(tool.execution, McpExecution):
            tools[tool.server][tool.execution.tool] = tool
    for name, catalogued in tools.items():
        server = toolset.servers[name]
        if server.command or server.url:
            yield _checked(server, catalogued, guests, list_tools)


def _checked(
    server: Server, tools: Mapping[str, CatalogueTool], guests: Guests, list_tools: ListTools
) -> Checked:
    if why := guests.missing(server):
        return Checked(server.name, "not installed", why, len(tools))
    try:
        listed = {tool.name: tool for tool in list_tools(guests.told(server))}
    except NotStartedError as error:
        return Checked(server.name, "does not start", str(error), len(tools))
    same = sorted(tools.keys() & listed.keys())
    changes = [
        Change(
            name,
            (listed[name].description or "") != tools[name].description,
            listed[name].schema_ != tools[name].input_schema,
        )
        for name in same
    ]
    return Checked(
        server.name,
        "started",
        "",
        len(tools),
        tuple(same),
        tuple(sorted(tools.keys() - listed.keys())),
        tuple(sorted(listed.keys() - tools.keys())),
        tuple(change for change in changes if change.description or change.schema),
    )


def list_in_guest(guest: Guest) -> ListTools:
    """Lists the tools of servers that are started in a guest, as the desktop user."""

    def list_tools(server: Mapping[str, Any]) -> Sequence[ListedTool]:
        result = guest.run(
            ["/usr/bin/python3", "-m", LISTING],
            input=json.dumps(server),
            timeout=STARTS_WITHIN,
        )
        if result.returncode != 0:
            words = result.stderr.strip()[-CAUSE:]
            raise NotStartedError(words or f"exit status {result.returncode}")
        try:
            return TypeAdapter(tuple[ListedTool, ...]).validate_json(result.stdout)
        except ValidationError as error:
            raise NotStartedError(f"its list of tools is not one: {error}"[:CAUSE]) from None

    return list_tools
