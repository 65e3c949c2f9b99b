"""OSWorld-MCP's names for its tools, so that calls written for it reach ours.

aliases.json lists its 158 tools under our names: the `names` each goes by (in the released server,
in the list used for the paper's scores, in the paper's table) and its parameters. Such a call is
valid here unchanged: our tools accept all of these parameters and require no others.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal

from pydantic import TypeAdapter

from ambidex.mcp_tools import Tool
from ambidex.mcp_tools.recorded import RecordedTool

__all__ = ["Origin", "ReferenceTool", "metadata", "names", "references", "resolve", "source"]

Origin = Literal["reference", "mounted", "stock", "ours"]


@dataclass(frozen=True)
class ReferenceTool:
    """A tool as OSWorld-MCP defines it."""

    names: tuple[str, ...]
    parameters: dict[str, str]
    """JSON type of each parameter."""
    required: tuple[str, ...]


@functools.cache
def references() -> dict[str, ReferenceTool]:
    """OSWorld-MCP's tools by our names for them."""
    text = resources.files("ambidex.mcp_tools").joinpath("aliases.json").read_bytes()
    return TypeAdapter(dict[str, ReferenceTool]).validate_json(text)


@functools.cache
def _names_to_ours() -> dict[str, str]:
    return {name: ours for ours, tool in references().items() for name in tool.names}


def resolve(name: str) -> str:
    """Translate one of OSWorld-MCP's names into ours; return any other name unchanged."""
    return _names_to_ours().get(name, name)


def names(tool: str) -> tuple[str, ...]:
    """OSWorld-MCP's other names for one of our tools."""
    reference = references().get(tool)
    return tuple(name for name in reference.names if name != tool) if reference else ()


def source(tool: Tool) -> Origin:
    """Origin of a tool: "mounted" (forwarded to a stock server that OSWorld-MCP has too), "stock"
    (all the tools of another server, as recorded), "reference" (ours, but OSWorld-MCP has it too)
    or "ours" (only here).
    """
    if isinstance(tool, RecordedTool):
        return "stock"
    if tool.mounted:
        return "mounted"
    return "reference" if tool.name in references() else "ours"


def metadata(tool: Tool) -> dict[str, Any]:
    """What we publish about a tool in addition to MCP's own fields."""
    return {
        "app": tool.app,
        "source": source(tool),
        "mounted": tool.mounted,
        "windows": list(tool.windows),
        "service": tool.service,
        "aliases": list(names(tool.name)),
    }
