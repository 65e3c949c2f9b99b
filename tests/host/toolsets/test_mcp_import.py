"""Servers and tools are imported from `mcpServers` configurations and from LiveMCPBench's files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ambidex.host.errors import UsageError
from ambidex.host.toolsets import McpExecution
from tests.support.livemcpbench import LIVEMCPBENCH, needs_livemcpbench
from tests.support.tables import every_case
from tests.support.toolsets import compiled


def entry(**tools: list[dict[str, object]]) -> dict[str, object]:
    launch = {"command": "npx", "args": ["-y", "x@1"], "env": {"A": "b"}, "name": "ignored"}
    return {
        "name": "Maps",
        "category": "Location",
        "config": {"mcpServers": {"osm": launch}},
        "tools": {name: {"server_name": name, "tools": listed} for name, listed in tools.items()},
    }


def test_a_catalogue_gives_servers_and_tools(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"q": {"type": "string"}}}
    listed: list[dict[str, object]] = [
        {"name": "find place", "description": None, "inputSchema": schema, "annotations": None},
        {"name": "route"},
    ]
    (tmp_path / "tools.json").write_text(json.dumps([entry(osm=listed)]))
    text = """
        [[source]]
        kind = "mcp"
        path = "tools.json"
        server = "live-{name}"
        executable = ["*_route"]
        cause = "no map"
    """
    toolset = compiled(tmp_path, text)
    server = toolset.servers["live-osm"]
    assert (server.command, server.env) == (("npx", "-y", "x@1"), {"A": "b"})
    assert (server.title, server.category, server.source) == ("Maps", "Location", "tools.json")
    find, route = toolset
    assert find.execution == McpExecution(tool="find place")
    assert (find.input_schema, find.executable, find.cause) == (schema, False, "no map")
    assert (route.name, route.executable) == ("live-osm_route", True)


def test_a_configuration_gives_servers_without_tools(tmp_path: Path) -> None:
    servers = {"web": {"url": "https://mcp.example.org"}, "git": {"command": "uvx"}}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
    toolset = compiled(tmp_path, '[[source]]\nkind = "mcp"\npath = "mcp.json"')
    assert len(toolset) == 0
    assert toolset.servers["web"].url == "https://mcp.example.org"
    assert toolset.servers["git"].command == ("uvx",)


def test_the_guests_own_tools_are_a_source(tmp_path: Path) -> None:
    toolset = compiled(tmp_path, '[[source]]\nkind = "desktop"\nonly = ["calc_*"]')
    assert {tool.server for tool in toolset} == {"calc"}
    assert all(tool.executable for tool in toolset)
    assert not toolset.servers.keys() & {"computer", "browser"}


@every_case(
    "text, message",
    [
        ("", "required, but missing"),
        ('[[source]]\nkind = "mcp"', "give either package or path"),
        ('[[source]]\nkind = "mcp"\npath = "none.json"', "no such file or directory"),
        ('[[source]]\nkind = "mcp"\npath = "sources.toml"', "Invalid JSON"),
        ('[[source]]\nkind = "mcp"\npackage = "npm:x@1"', "not in the asset store"),
        ('[[source]]\nkind = "mcp"\npackage = "x"', "should match pattern"),
        ('[[source]]\nkind = "desktop"\nonly = ["x"]', "selects no tool"),
        ("source = 1 x", "not TOML"),
    ],
)
def test_what_is_wrong_with_sources_is_said(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        compiled(tmp_path, text)


@needs_livemcpbench
def test_livemcpbenchs_configurations_name_the_servers_of_its_catalogue(tmp_path: Path) -> None:
    configured, listed = (
        compiled(tmp_path, f'[[source]]\nkind = "mcp"\npath = "{LIVEMCPBENCH / name}"').servers
        for name in ("all_config.json", "tools.json")
    )
    assert configured.keys() == listed.keys()
