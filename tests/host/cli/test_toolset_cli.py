"""`ambidex toolset`: from sources to a toolset, and what is asked of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands import ambidex

CONFIGURED = {"mcpServers": {"maps": {"command": "npx", "args": ["maps"]}}}


def write_sources(folder: Path, *tools: dict[str, object]) -> Path:
    entry = {"name": "Maps", "category": "Location", "config": CONFIGURED}
    listed = {"maps": {"server_name": "maps", "tools": tools}}
    (folder / "tools.json").write_text(json.dumps([entry | {"tools": listed}]))
    path = folder / "world.toml"
    path.write_text('[[source]]\nkind = "mcp"\npath = "tools.json"\n')
    return path


def listed_tool(name: str, description: str) -> dict[str, object]:
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    return {"name": name, "description": description, "inputSchema": schema}


def test_a_toolset_is_compiled_listed_searched_and_described(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = write_sources(
        tmp_path, listed_tool("find", "Find a place."), listed_tool("walk", "Plan a walk.")
    )
    assert ambidex("toolset", "compile", sources) == 0
    assert "2 tools of 1 servers, 0 executable" in capsys.readouterr().out
    made = tmp_path / "world.toolset"
    assert ambidex("toolset", "list", made, "--json") == 0
    [server] = json.loads(capsys.readouterr().out)
    assert (server["name"], server["category"], server["tools"]) == ("maps", "Location", 2)
    assert ambidex("toolset", "list", made, "--server", "maps") == 0
    assert "maps_walk" in capsys.readouterr().out
    assert ambidex("toolset", "search", made, "planning", "walks", "--json") == 0
    [first, *_] = json.loads(capsys.readouterr().out)
    assert first["name"] == "maps_walk"
    assert ambidex("toolset", "search", made, "zzz") == 1
    capsys.readouterr()
    assert ambidex("toolset", "describe", made, "maps_find", "maps") == 0
    tool, server = json.loads(capsys.readouterr().out)
    assert tool["execution"] == {"kind": "mcp", "tool": "find"}
    assert server["command"] == ["npx", "maps"]
    for words in (("describe", made, "gone"), ("list", made, "--server", "gone")):
        assert ambidex("toolset", *words) == 2
        assert "gone" in capsys.readouterr().err


def test_drift_of_sources_is_reported_against_a_lock(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = write_sources(tmp_path, listed_tool("find", "Find."), listed_tool("walk", "Walk."))
    ambidex("toolset", "compile", sources)
    made = tmp_path / "world.toolset"
    assert ambidex("toolset", "lock", made) == 0
    assert ambidex("toolset", "check", made) == ambidex("toolset", "check", sources) == 0
    write_sources(tmp_path, listed_tool("find", "Find a place."), listed_tool("run", "Run."))
    capsys.readouterr()
    assert ambidex("toolset", "check", sources) == 1
    printed = capsys.readouterr().out
    assert "maps: the description of maps_find has changed" in printed
    assert "maps: maps_walk was removed" in printed
    assert "2 tools, 2 locked: 1 added, 1 removed, 0 renamed" in printed


def test_the_tokens_of_each_exposure_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ambidex("toolset", "compile", write_sources(tmp_path, listed_tool("find", "Find a place.")))
    capsys.readouterr()
    assert ambidex("toolset", "describe", tmp_path / "world.toolset", "--tokens", "--json") == 0
    costs = json.loads(capsys.readouterr().out)
    assert costs["everything"] < costs["gateways"]["find"]  # one small tool
    assert costs["answers"]["find"][0] >= costs["everything"]


def test_a_package_that_was_not_downloaded_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = tmp_path / "aws.toml"
    sources.write_text('[[source]]\nkind = "aws"\npackage = "pypi:botocore@1.0.0"\n')
    assert ambidex("toolset", "compile", sources, "--store", tmp_path / "store") == 2
    assert "ambidex toolset import" in capsys.readouterr().err
