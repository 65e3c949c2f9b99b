"""The tools besides the guest's own that a suite's tasks call: those of a toolset."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from ambidex.evaluators.strict import key_path, problems_of
from ambidex.tasks import Problem, TaskError, ToolSpec

__all__ = ["TOOLS", "SuiteTool", "read_tools", "write_tools"]

TOOLS = "tools.json"
"""The file in a suite's directory, as `ambidex toolset compile --tools` writes it. A suite whose
tools are those of several toolsets has files `tools-NAME.json`, too."""


class SuiteTool(BaseModel):
    """A tool that tasks may call."""

    model_config = ConfigDict(extra="forbid")

    name: str
    app: str
    """The server that has it."""
    description: str
    parameters: dict[str, Any]
    """JSON schema of the arguments."""


def read_tools(folder: Path) -> Mapping[str, ToolSpec]:
    """The tools by name; none without a file. `TaskError` if one is malformed."""
    paths = [*folder.glob(TOOLS), *sorted(folder.glob("tools-*.json"))]
    return {tool.name: tool for path in paths for tool in _read(path)}


def _read(path: Path) -> Iterator[ToolSpec]:
    try:
        tools = TypeAdapter(list[SuiteTool]).validate_json(path.read_bytes())
    except ValidationError as error:
        found = (Problem(path, key_path(place), text) for place, text in problems_of(error))
        raise TaskError(tuple(found)) from None
    return (ToolSpec(**dict(tool), reads_only=False) for tool in tools)


def write_tools(path: Path, tools: Iterable[ToolSpec]) -> None:
    """Write the file of a suite's directory."""
    known = [
        SuiteTool(**{name: getattr(tool, name) for name in SuiteTool.model_fields})
        for tool in tools
    ]
    path.write_bytes(TypeAdapter(list[SuiteTool]).dump_json(known, indent=1) + b"\n")
