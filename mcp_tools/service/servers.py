"""The MCP servers that the worker has started: one for each command or address, kept until the
worker ends."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.mount import Mount

__all__ = ["Servers", "mount_of"]

ANSWERS_WITHIN = 60.0
"""Seconds for a call."""


class _Mounted:
    """A server, and the tools that its present process listed."""

    def __init__(self, name: str, mount: Mount) -> None:
        self._name = name
        self._mount = mount
        self._schemas: Optional[dict[str, Mapping[str, Any]]] = None

    def call(self, tool: str, arguments: Mapping[str, Any], within: float) -> Any:
        """Call a tool. Its name and arguments are checked against the server's own list."""
        if self._schemas is None or not self._mount.running or tool not in self._schemas:
            listed = self._mount.list_tools()
            self._schemas = {one["name"]: one["inputSchema"] for one in listed}
        if tool not in self._schemas:
            raise ToolError(
                f"The server {self._name} has no tool {tool!r}.",
                code="unknown_tool",
                hint=f"Tools: {', '.join(self._schemas)}.",
            )
        _check(tool, self._schemas[tool], arguments)
        return self._mount.send(tool, arguments, within)

    def close(self) -> None:
        self._mount.close()


class Servers:
    """MCP servers, started at their first call and again after they have exited."""

    def __init__(self) -> None:
        self._mounted: dict[object, _Mounted] = {}

    def call(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str],
        url: str,
        tool: str,
        arguments: Mapping[str, Any],
        within: float = ANSWERS_WITHIN,
    ) -> Any:
        """Call a tool of the server with that command, or at that address.

        `ToolError` has the code `unknown_server`, `not_installed`, `not_started`, `unknown_tool`,
        `bad_arguments`, `timeout` or `crashed`, or is the tool's own.
        """
        key = (name, *command, *sorted(environment.items()), url)
        if key not in self._mounted:
            self._mounted[key] = _Mounted(name, mount_of(name, command, environment, url))
        return self._mounted[key].call(tool, arguments, within)

    def close(self) -> None:
        """Stop all servers."""
        for mounted in self._mounted.values():
            mounted.close()
        self._mounted.clear()


def mount_of(name: str, command: Sequence[str], environment: Mapping[str, str], url: str) -> Mount:
    """A server, not started yet. `ToolError` if nothing says how to reach it."""
    if url:
        return Mount.at(f"server {name}", url)
    if not command:
        raise ToolError(
            f"The server {name} has neither a command nor an address.", code="unknown_server"
        )

    def argv() -> list[str]:
        if shutil.which(command[0]) is None:
            raise ToolError(
                f"The server {name} is not installed: {command[0]} is missing.",
                code="not_installed",
            )
        return list(command)

    # PYTHONPATH would give a server in Python our libraries.
    inherited = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return Mount(f"server {name}", argv, {**inherited, **environment})


def _check(tool: str, schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    import jsonschema
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    registry: Registry[Any] = Registry()  # fetches nothing
    validator = jsonschema.Draft202012Validator(schema, registry=registry)
    try:
        problem = jsonschema.exceptions.best_match(validator.iter_errors(arguments))
    except (Unresolvable, jsonschema.exceptions.UnknownType, TypeError, ValueError):
        return  # the schema itself is wrong: the server decides
    if problem is not None:
        where = ".".join(map(str, problem.absolute_path)) or "arguments"
        message = f"{tool}: {where}: {problem.message[:500]}."
        raise ToolError(message, code="bad_arguments")
