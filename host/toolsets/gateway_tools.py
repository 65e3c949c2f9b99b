"""The tools that each form of a gateway offers, as the papers describe them."""

from __future__ import annotations

from typing import Any

from ambidex.host import GATEWAY, ToolSpec
from ambidex.tasks.livemcpbench import EXECUTE, ROUTE

__all__ = ["SEARCHES", "SPECS"]


def _tool(name: str, description: str, properties: dict[str, Any], *, reads_only: bool) -> ToolSpec:
    required = [key for key in properties if key not in OPTIONAL]
    schema = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    return ToolSpec(name, GATEWAY, description, schema, reads_only)


OPTIONAL = ("num_tools", "arguments", "params")
TEXT = {"type": "string"}
ARGUMENTS = {"type": "object", "description": "The tool's arguments, as its schema has them."}
QUERY = """<tool_assistant>
server: the platform or kind of service
tool: the operation, and what it works on
</tool_assistant>"""

SPECS: dict[str, tuple[ToolSpec, ...]] = {
    "find": (
        _tool(
            "find_tools",
            "Search thousands of tools. Returns the full specification of the tools that match"
            " best: name, description and parameters. Search again in other words if none fits.",
            {
                "query": TEXT | {"description": "What the tool should do."},
                "num_tools": {"type": "integer", "minimum": 1, "maximum": 100},
            },
            reads_only=True,
        ),
        _tool(
            "call_tool",
            "Execute a tool that find_tools returned, and return its result.",
            {"name": TEXT | {"description": "The tool's name."}, "arguments": ARGUMENTS},
            reads_only=False,
        ),
    ),
    "route": (
        _tool(
            ROUTE,
            "Find the servers and tools for a step of the task. Returns YAML with server_name,"
            " tool_name, description and input_schema of the tools that match best.",
            {"query": TEXT | {"description": QUERY}},
            reads_only=True,
        ),
        _tool(
            EXECUTE,
            "Execute a tool that route returned, and return its result.",
            {"server_name": TEXT, "tool_name": TEXT, "params": ARGUMENTS},
            reads_only=False,
        ),
    ),
}
SEARCHES = tuple(tools[0].name for tools in SPECS.values())
"""The tools that search, one of each form."""
