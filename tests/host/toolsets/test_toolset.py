"""A toolset's file: what is written is read back, lazily, and damage is reported."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.host.errors import UsageError
from ambidex.host.toolsets import (
    AwsExecution,
    CatalogueTool,
    DesktopExecution,
    HttpExecution,
    HttpParameter,
    McpExecution,
    Server,
)
from ambidex.host.toolsets.toolset import Toolset, ToolsetWriter

SERVERS = [Server(name="shop"), Server(name="cloud", title="Cloud"), Server(name="Empty one")]
PARAMETER = HttpParameter(argument="id", location="path", name="pet-id", style="label")
TOOLS = [
    CatalogueTool(
        server="shop",
        name="shop_get",
        description="Get a pet.\nBy its id.",
        input_schema={"type": "object", "properties": {"id": {"type": "integer"}}},
        execution=HttpExecution(method="GET", path="/pets/{id}", parameters=(PARAMETER,)),
    ),
    CatalogueTool(
        server="shop", name="shop_a", description="Ü", execution=McpExecution(tool="a b")
    ),
    CatalogueTool(
        server="cloud",
        name="s3_CreateBucket",
        execution=AwsExecution(service="s3", operation="CreateBucket"),
        executable=False,
        cause="moto does not have it",
    ),
    CatalogueTool(server="cloud", name="z", execution=DesktopExecution(tool="calc_open")),
]


def written(path: Path, tools: list[CatalogueTool]) -> Toolset:
    writer = ToolsetWriter()
    for server in SERVERS:
        writer.add_server(server)
    for tool in tools:
        writer.add(tool)
    return writer.write(path)


def test_tools_are_read_as_they_were_written(tmp_path: Path) -> None:
    toolset = written(tmp_path / "t.toolset", TOOLS)
    assert [*toolset] == sorted(TOOLS, key=lambda tool: (tool.server, tool.name))
    assert [*toolset.servers] == ["Empty one", "cloud", "shop"]
    assert toolset.servers["cloud"].title == "Cloud"
    assert [*toolset.texts()] == [(t.server, t.name, t.description) for t in toolset]


def test_a_tool_is_found_by_server_and_name_only(tmp_path: Path) -> None:
    toolset = written(tmp_path / "t.toolset", TOOLS)
    for number, tool in enumerate(toolset):
        assert toolset.index_of(tool.server, tool.name) == number
    for server, name in [
        ("shop", "z"),
        ("cloud", "zz"),
        ("cloud", "a"),
        ("Empty one", "z"),
        ("", "z"),
    ]:
        assert toolset.index_of(server, name) is None


@given(st.permutations(TOOLS))
def test_the_order_of_tools_changes_no_byte(
    tmp_path_factory: pytest.TempPathFactory, tools: list[CatalogueTool]
) -> None:
    folder = tmp_path_factory.mktemp("toolsets")
    first, second = written(folder / "1", TOOLS), written(folder / "2", tools)
    assert first.path.read_bytes() == second.path.read_bytes()


def test_every_change_of_a_tool_or_a_server_changes_the_hash(tmp_path: Path) -> None:
    tool = TOOLS[0]
    changes: list[dict[str, object]] = [
        {"name": "other"}, {"server": "cloud"}, {"description": ""}, {"input_schema": {}},
        {"executable": False}, {"execution": TOOLS[1].execution},
    ]  # fmt: skip
    changed = [written(tmp_path / "t", [tool.model_copy(update=one)]).hash for one in changes]
    assert len({*changed, written(tmp_path / "t", [tool]).hash}) == len(changes) + 1


def test_a_name_that_is_taken_is_refused_with_both_servers(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'shop' and 'cloud'"):
        written(tmp_path / "t", [*TOOLS, TOOLS[0].model_copy(update={"server": "cloud"})])


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "t.toolset", TOOLS).path
    content = path.read_bytes()
    for wrong in (b"", b"PK", content[:-1], content[:40], content + b"x"):
        path.write_bytes(wrong)
        with pytest.raises(UsageError, match=r"t\.toolset"):
            Toolset.open(path)
    with pytest.raises(UsageError, match="No such file"):
        Toolset.open(tmp_path / "none")


def test_a_changed_byte_is_found_when_the_file_is_verified(tmp_path: Path) -> None:
    toolset = written(tmp_path / "t.toolset", TOOLS)
    toolset.verify()
    content = bytearray(toolset.path.read_bytes())
    content[content.index(b"shop_get")] = ord("b")
    other = tmp_path / "other.toolset"
    other.write_bytes(content)
    with pytest.raises(UsageError, match="not have the content"):
        Toolset.open(other).verify()
