"""Calls written for OSWorld-MCP reach our tools and are valid there."""

from collections import Counter
from typing import Any

import pytest

from ambidex.mcp_tools import Tool, aliases, catalogue

TOOLS = catalogue.tools()
REFERENCES = aliases.references()
WHOLE = {("writer_set_color", "color")}
"""Parameters that need an integer (0xRRGGBB) where the reference's schema says number."""


def kinds(schema: dict[str, Any], defs: dict[str, Any]) -> set[str]:
    """JSON types that a schema allows; all of them if it names none."""
    if "$ref" in schema:
        return kinds(defs[schema["$ref"].rpartition("/")[2]], defs)
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return set().union(*(kinds(item, defs) for item in schema[union]))
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return {"string" if isinstance(value, str) else "number" for value in values}
    every = {"string", "number", "integer", "boolean", "array", "object"}
    named = {schema["type"]} if "type" in schema else every
    return named | ({"integer"} if "number" in named else set())


def test_all_tools_of_the_reference_are_covered() -> None:
    assert len(REFERENCES) == 158
    apps = Counter(name.partition("_")[0] for name in REFERENCES)
    assert apps == {
        "code": 20, "chrome": 12, "calc": 30, "writer": 15, "impress": 22, "os": 20, "vlc": 12,
        "filesystem": 14, "git": 13,
    }  # fmt: skip


def test_an_alias_belongs_to_one_tool() -> None:
    names = Counter(name for reference in REFERENCES.values() for name in reference.names)
    assert names.most_common(1)[0][1] == 1
    for ours, reference in REFERENCES.items():
        assert reference.names
        for name in reference.names:
            assert name == ours or name not in TOOLS, name
            assert aliases.resolve(name) == ours


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("osworld_mcp_code_ours.search_text", "code_search_text"),
        ("osworld_mcp_code2.search_text", "code_search_text"),
        ("osworld_mcp_libreoffice_impress.goto_slide", "impress_goto_slide"),
        ("osworld_mcp_libreoffice_impress.go_to_slide", "impress_goto_slide"),
        ("osworld_mcp_test.calculator_add", "os_calculator"),
        ("osworld_mcp_os.calculator", "os_calculator"),
        ("git_git_status", "git_status"),
        ("filesystem_read_file", "filesystem_read_file"),
        ("git_status", "git_status"),
        ("calc_save", "calc_save"),
        ("no_such_tool", "no_such_tool"),
        ("", ""),
    ],
)
def test_a_known_alias_is_resolved_and_other_names_are_unchanged(theirs: str, ours: str) -> None:
    assert aliases.resolve(theirs) == ours


@pytest.mark.parametrize("name", REFERENCES)
def test_the_tool_is_served(name: str) -> None:
    assert name in TOOLS


@pytest.mark.parametrize("tool", [TOOLS[name] for name in REFERENCES if name in TOOLS])
def test_a_call_written_for_the_reference_is_valid(tool: Tool) -> None:
    reference, schema = REFERENCES[tool.name], tool.parameters
    assert set(reference.required) <= reference.parameters.keys()
    assert reference.parameters.keys() <= set(tool.takes), "not every parameter is taken"
    required = set(schema.get("required", ()))
    assert required <= set(reference.required), "more is required than there"
    for name, kind in reference.parameters.items():
        taken = kinds(schema["properties"][name], schema.get("$defs", {}))
        if (tool.name, name) in WHOLE and "integer" in taken:
            continue
        assert kind in taken, f"{name} is of type {kind} there and one of {taken} here"


def test_a_tool_states_its_origin() -> None:
    answer = {item["name"]: item for item in catalogue.describe()}
    sources = {name: value["source"] for name, value in answer.items()}
    assert sources["git_status"] == sources["filesystem_edit_file"] == "mounted"
    assert sources["calc_save"] == sources["git_init"] == "reference"
    assert sources["computer_click"] == sources["files_find"] == "ours"
    assert answer["git_status"]["aliases"] == ["git_git_status"]
    assert answer["git_status"]["mounted"] == "mcp-server-git 2026.10.19"
    assert answer["computer_click"]["mounted"] == ""
