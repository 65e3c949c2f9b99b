"""What OSWorld-MCP calls its tools, so that a call written for it finds ours.

aliases.json has each of its 158 tools under our name: the `names` it goes by (in the released
server, in the list that the paper's scores were counted with, in the paper's table), and the
parameters it takes. Such a call is good here as it is: our tools take all of these, and require no
others.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal

from pydantic import TypeAdapter

from ambidex.mcp_tools import Tool

__all__ = ["Origin", "Reference", "about", "names", "references", "resolve", "source"]

Origin = Literal["reference", "mounted", "ours"]


@dataclass(frozen=True)
class Reference:
    """A tool as OSWorld-MCP has it."""

    names: tuple[str, ...]
    parameters: dict[str, str]
    """JSON type by name."""
    required: tuple[str, ...]


@functools.cache
def references() -> dict[str, Reference]:
    """All of them, by our name."""
    text = resources.files("ambidex.mcp_tools").joinpath("aliases.json").read_bytes()
    return TypeAdapter(dict[str, Reference]).validate_json(text)


@functools.cache
def _ours() -> dict[str, str]:
    return {name: ours for ours, tool in references().items() for name in tool.names}


def resolve(name: str) -> str:
    """Our name of a tool that the reference calls so; any other name as it is."""
    return _ours().get(name, name)


def names(tool: str) -> tuple[str, ...]:
    """What else that tool of ours is called."""
    known = references().get(tool)
    return tuple(name for name in known.names if name != tool) if known else ()


def source(tool: Tool) -> Origin:
    """Where a tool comes from: forwarded to a stock server, done by us as the reference has it, or
    of our own making.
    """
    if tool.mounted:
        return "mounted"
    return "reference" if tool.name in references() else "ours"


def about(tool: Tool) -> dict[str, Any]:
    """What is told of a tool beside what every MCP server tells."""
    return {
        "app": tool.app,
        "source": source(tool),
        "mounted": tool.mounted,
        "aliases": list(names(tool.name)),
    }
