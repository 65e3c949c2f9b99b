"""The tools of toolsets, which a guest executes.

An execution becomes one call in the guest: of its generic tool `service_call`, or of the guest's
own tool of that name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import jsonschema
from referencing import Registry
from referencing.exceptions import Unresolvable

from ambidex.host import GATEWAY, GUI, ToolCall, ToolResult, ToolSpec
from ambidex.host.errors import UsageError
from ambidex.host.records.config import Condition, Exposure
from ambidex.host.records.trajectory import ExecutedTool
from ambidex.host.toolsets import CatalogueTool, DesktopExecution
from ambidex.host.toolsets.guests import ANY_IMAGE, Guests
from ambidex.host.toolsets.toolset import Toolset
from ambidex.tasks import BROWSER

__all__ = [
    "SERVICE_CALL",
    "RefusedCallError",
    "Send",
    "ToolsetTools",
    "check_arguments",
    "open_tools",
    "spec_of",
    "toolsets_of",
]

SERVICE_CALL = "service_call"
"""The guest's tool that executes a tool of a toolset, given the record of how."""
RESERVED = {GUI, BROWSER, GATEWAY}

OFFLINE: Registry[Any] = Registry()
"""A schema's references to other documents are not fetched."""

WRONG_SCHEMA = (
    jsonschema.exceptions.SchemaError,
    jsonschema.exceptions.UnknownType,
    Unresolvable,
    re.error,
    TypeError,
)

Send = Callable[[ToolCall], ToolResult]
"""Carries out a call in the guest."""


class RefusedCallError(Exception):
    """A call is refused; `code` is the error's code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class ToolsetTools:
    """The tools of toolsets by name."""

    def __init__(self, toolsets: tuple[Toolset, ...], guests: Guests = ANY_IMAGE) -> None:
        self.toolsets = toolsets
        self.starts = list(accumulate(map(len, toolsets), initial=0))[:-1]
        """The number of each toolset's first tool, counted over all toolsets."""
        self._guests = guests
        self._places: dict[str, tuple[Toolset, int]] = {}
        for toolset in toolsets:
            if clash := toolset.servers.keys() & RESERVED:
                raise UsageError(
                    f"{toolset.path}: a server may not be named {', '.join(sorted(clash))}",
                    hint="Calls of that name are counted as the GUI's or the gateway's.",
                )
            names = toolset.names()
            self.refuse_names(names)
            self._places |= {name: (toolset, number) for number, name in enumerate(names)}
        if not self._places:
            paths = ", ".join(str(toolset.path) for toolset in toolsets)
            raise UsageError(f"there are no tools in {paths}")

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def __getitem__(self, name: str) -> CatalogueTool:
        """The tool of that name; `RefusedCallError` if there is none."""
        if name not in self._places:
            raise RefusedCallError("unknown_tool", f"There is no tool {name!r}. Search first.")
        toolset, number = self._places[name]
        return toolset[number]

    def specs(self) -> dict[str, ToolSpec]:
        """All tools that can be executed, as a model is offered them."""
        found = (toolset[number] for toolset, number in self._places.values())
        here = self._guests.services
        return {
            tool.name: replace(spec_of(tool), service=tool.server if tool.server in here else "")
            for tool in found
            if tool.executable
        }

    def refuse_names(self, others: Iterable[str]) -> None:
        """`UsageError` if one of these tools has the same name as one of the toolsets'."""
        if clash := self._places.keys() & others:
            raise UsageError(
                f"two tools are named {min(clash)}",
                hint="Rename the servers of the toolset: `server` in its sources.",
            )

    def check_executions(self) -> None:
        """`UsageError` if a toolset offers a tool as executable that the guests cannot execute."""
        for toolset in self.toolsets:
            for tool in toolset:
                if not tool.executable:
                    continue
                if why := self._guests.refusal(tool, toolset.servers[tool.server]):
                    raise UsageError(
                        f"{toolset.path}: guests cannot execute {tool.name} of {tool.server}:"
                        f" {why}",
                        hint="Set `executable` and `cause` in its source and compile it again, or"
                        " use an image that can.",
                    )

    def answers(self, name: str) -> bool:
        """Whether calls of that name are for one of these tools."""
        return name in self._places

    def answer(self, call: ToolCall, send: Send) -> tuple[ToolResult, ExecutedTool | None]:
        """Execute a call of a tool by its own name. See `execute` for errors."""
        try:
            return self.execute(call, self[call.name], call.arguments, send), None
        except RefusedCallError as error:
            return ToolResult(call.id, str(error), error.code), None

    def execute(
        self, call: ToolCall, tool: CatalogueTool, arguments: Mapping[str, Any], send: Send
    ) -> ToolResult:
        """Execute a tool for an agent's call, whose id the guest's has. `RefusedCallError` with
        `unavailable_tool` or `bad_arguments`; `send` reports the errors of execution."""
        if not tool.executable:
            raise RefusedCallError("unavailable_tool", f"{tool.name} is unavailable: {tool.cause}")
        check_arguments(tool.input_schema, arguments, tool.name)
        if isinstance(tool.execution, DesktopExecution):
            return send(ToolCall(call.id, tool.execution.tool, arguments))
        toolset, _ = self._places[tool.name]
        told = {
            "server": self._guests.told(toolset.servers[tool.server]),
            "tool": tool.name,
            "arguments": dict(arguments),
            "execution": tool.execution.model_dump(mode="json"),
        }
        return send(ToolCall(call.id, SERVICE_CALL, told))


def toolsets_of(exposure: Exposure) -> tuple[Toolset, ...]:
    """The toolsets of an exposure. `UsageError` if one cannot be read."""
    paths = exposure.gateway.toolsets if exposure.gateway else exposure.toolsets
    return tuple(Toolset.open(Path(path)) for path in paths)


def open_tools(exposure: Exposure, condition: Condition, image: str) -> ToolsetTools | None:
    """The tools of toolsets that are offered along with those of a guest of an image. None if there
    are none, or the condition has no tools. `UsageError` if a toolset cannot be read, or two tools
    have one name."""
    if not exposure.toolsets or condition == "gui":
        return None
    return ToolsetTools(toolsets_of(exposure), Guests.of(image))


def check_arguments(schema: Mapping[str, Any], arguments: object, name: str) -> None:
    """`RefusedCallError` says what is wrong with the arguments of a tool. Without a usable schema
    its service decides."""
    validator = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
    try:
        validator.check_schema(schema)
        problem = jsonschema.exceptions.best_match(
            validator(schema, registry=OFFLINE).iter_errors(arguments)
        )
    except WRONG_SCHEMA:
        return
    if problem is not None:
        where = ".".join(map(str, problem.absolute_path))
        raise RefusedCallError(
            "bad_arguments", f"{name}: {f'{where}: ' if where else ''}{problem.message[:500]}"
        )


def spec_of(tool: CatalogueTool) -> ToolSpec:
    """The tool as a model is offered it."""
    return ToolSpec(
        tool.name, tool.server, tool.description, dict(tool.input_schema), reads_only=False
    )
