"""Compare the MCP servers of a toolset with those that an image has: which start without a network,
and whether their tools are still what the toolset says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ambidex.host.client.guest import Guest
from ambidex.host.toolsets import CatalogueTool, Server
from ambidex.host.toolsets.guests import Guests
from ambidex.host.toolsets.importers.mcp import mcp_tool
from ambidex.host.toolsets.locking import Drift, drifts, locked
from ambidex.host.toolsets.toolset import Toolset
from ambidex.host.untrusted import MalformedError
from ambidex.host.untrusted.parsing import json_value

__all__ = ["Checked", "ListedTool", "NotStartedError", "check_servers", "list_in_guest"]

LISTING = "ambidex.mcp_tools.service.listing"
LIBRARIES = {"PYTHONPATH": "/opt:/opt/ambidex/site", "PYTHONDONTWRITEBYTECODE": "1"}
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


@dataclass(frozen=True)
class Checked:
    """What a check found of one server."""

    server: str
    status: Status
    cause: str
    """Why it does not start, or is not installed; empty if it started."""
    catalogued: int
    """Number of its tools in the toolset."""
    same: int = 0
    """How many of them it lists, by name."""
    drifts: tuple[Drift, ...] = ()
    """How what it lists differs from the toolset."""


def check_servers(toolset: Toolset, guests: Guests, list_tools: ListTools) -> Iterator[Checked]:
    """Check the MCP servers of a toolset, one after another, in the order of their names."""
    tools: dict[str, list[CatalogueTool]] = {name: [] for name in sorted(toolset.servers)}
    for tool in toolset:
        tools[tool.server].append(tool)
    for name, catalogued in tools.items():
        server = toolset.servers[name]
        if server.command or server.url:
            yield _checked(server, catalogued, guests, list_tools)


def _checked(
    server: Server, tools: Sequence[CatalogueTool], guests: Guests, list_tools: ListTools
) -> Checked:
    if why := guests.missing(server):
        return Checked(server.name, "not installed", why, len(tools))
    try:
        listed = list_tools(guests.told(server))
    except NotStartedError as error:
        return Checked(server.name, "does not start", str(error), len(tools))
    now = [
        mcp_tool(server.name, tool.name, tool.description or "", tool.schema_) for tool in listed
    ]
    same = {tool.name for tool in tools} & {tool.name for tool in now}
    found = drifts(locked(tools), locked(now))
    return Checked(server.name, "started", "", len(tools), len(same), tuple(found))


def list_in_guest(guest: Guest) -> ListTools:
    """Lists the tools of servers that are started in a guest, as the desktop user."""

    def list_tools(server: Mapping[str, Any]) -> Sequence[ListedTool]:
        result = guest.run(
            ["/usr/bin/python3", "-m", LISTING],
            input=json.dumps(server),
            env=LIBRARIES,
            timeout=STARTS_WITHIN,
        )
        if result.returncode != 0:
            words = result.stderr.strip()[-CAUSE:]
            raise NotStartedError(words or f"exit status {result.returncode}")
        try:
            listed = json_value(result.stdout, "its list of tools")
            return TypeAdapter(tuple[ListedTool, ...]).validate_python(listed)
        except (MalformedError, ValidationError) as error:
            raise NotStartedError(f"its list of tools is not one: {error}"[:CAUSE]) from None

    return list_tools
