"""A gateway: two tools through which an agent finds and executes the tools of toolsets.

Searches are answered here, from the index; tools are executed by the guest (`toolset_tools`).
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product

import yaml

from ambidex.host import Frame, ToolCall, ToolResult, ToolSpec
from ambidex.host.errors import UsageError
from ambidex.host.records.config import Condition, Exposure
from ambidex.host.records.gateway_options import GatewayOptions
from ambidex.host.records.trajectory import ExecutedTool
from ambidex.host.toolsets import CatalogueTool, McpExecution
from ambidex.host.toolsets.gateway_tools import SPECS
from ambidex.host.toolsets.guests import ANY_IMAGE, Guests
from ambidex.host.toolsets.naming import tool_name
from ambidex.host.toolsets.retrieval import Query, open_retriever, query_of
from ambidex.host.toolsets.toolset import Toolset
from ambidex.host.toolsets.toolset_tools import (
    RefusedCallError,
    Send,
    ToolsetTools,
    check_arguments,
    spec_of,
    toolsets_of,
)
from ambidex.host.toolsets.vectors import Say, silent

__all__ = ["Gateway", "open_gateway"]

Offer = Callable[[Frame | None], tuple[ToolSpec, ...]]


class Gateway:
    """The gateway of one episode. Its tools belong to the app `gateway`."""

    def __init__(
        self,
        options: GatewayOptions,
        toolsets: tuple[Toolset, ...],
        guests: Guests = ANY_IMAGE,
        say: Say = silent,
    ) -> None:
        self.options = options
        self.tools = ToolsetTools(toolsets, guests)
        self.own: dict[str, ToolSpec] = {tool.name: tool for tool in SPECS[options.form]}
        self.tools.refuse_names(self.own)
        self._found: dict[str, ToolSpec] = {}
        self._added: tuple[CatalogueTool, ...] = ()
        self.retriever = open_retriever(options, toolsets, say)

    def with_found(self, offer: Offer) -> Offer:
        """The offer with the tools found so far, if they may be called directly."""
        return lambda frame: (*offer(frame), *self._found.values())

    def add_to_next_answer(self, names: Iterable[str]) -> None:
        """Put these tools first in the answer to the next search, in place of its last ones. Names
        of tools that are not behind the gateway are ignored."""
        self._added = tuple(self.tools[name] for name in names if name in self.tools)

    def replaced(self, offer: Offer, names: Sequence[str], others: Mapping[str, ToolSpec]) -> Offer:
        """The offer with these tools instead of the gateway. `others` are tools of the guest that
        are not behind it; `UsageError` names a tool that is in neither."""
        behind = {name: spec_of(self.tools[name]) for name in names if name in self.tools}
        self._found |= behind
        everything = {**others, **behind}
        if unknown := [name for name in names if name not in everything]:
            raise UsageError(
                f"the useful tool {unknown[0]} is neither behind the gateway nor in the guest",
                hint="Name the toolsets that have it, or an image whose services do.",
            )
        given = {name: everything[name] for name in names}
        return lambda frame: (
            *(tool for tool in offer(frame) if not self.answers(tool.name)),
            *given.values(),
        )

    def restore(self, names: Iterable[str]) -> Mapping[str, ToolSpec]:
        """Take the tools of these names as found before, and return them by name. Other names are
        ignored."""
        known = (name for name in names if name in self.tools)
        self._found |= {name: spec_of(self.tools[name]) for name in known}
        return self._found

    def answers(self, name: str) -> bool:
        """Whether calls of that name are the gateway's to answer."""
        return name in self.own or name in self._found

    def answer(self, call: ToolCall, send: Send) -> tuple[ToolResult, ExecutedTool | None]:
        """Answer a call. Returns the result, and the tool that was executed for a call of
        `call_tool` or `execute-tool`.

        Calls refused here have the errors `unknown_server`, `unknown_tool`, `bad_arguments` or
        `unavailable_tool`; `send` reports the errors of execution.
        """
        try:
            if call.name in self._found:
                return self.tools.answer(call, send)
            check_arguments(self.own[call.name].parameters, call.arguments, call.name)
            match call.name:
                case "find_tools":
                    top = call.arguments.get("num_tools", self.options.top)
                    return self._find(call, call.arguments["query"], top), None
                case "route":
                    return self._route(call), None
                case "call_tool":
                    tool = self.tools[call.arguments["name"]]
                    arguments = call.arguments.get("arguments", {})
                case _:
                    tool = self._of_server(
                        call.arguments["server_name"], call.arguments["tool_name"]
                    )
                    arguments = call.arguments.get("params", {})
            result = self.tools.execute(call, tool, arguments, send)
            return result, ExecutedTool(tool.server, self._shown(tool), arguments)
        except RefusedCallError as error:
            return ToolResult(call.id, str(error), error.code), None

    def _searched(self, query: Query, top: int) -> list[CatalogueTool]:
        added, self._added = self._added, ()
        names = {tool.name for tool in added}
        others = [tool for tool in self.search(query, top) if tool.name not in names]
        return [*added, *others][: max(top, len(added))]

    def search(self, query: Query, top: int) -> Iterator[CatalogueTool]:
        """The tools that match best. Equal scores are in the order of toolsets and of tools."""
        for _, number in self.retriever.best(query, top):
            which = bisect_right(self.tools.starts, number) - 1
            yield self.tools.toolsets[which][number - self.tools.starts[which]]

    def _find(self, call: ToolCall, query: str, top: int) -> ToolResult:
        tools = self._searched(Query(query), top)
        if self.options.direct_calls:
            self._found |= {tool.name: spec_of(tool) for tool in tools if tool.executable}
        found = [
            {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
            | _availability(tool)
            for tool in tools
        ]
        text = json.dumps(found, ensure_ascii=False)
        return ToolResult(call.id, text if found else "No tool matches.")

    def _route(self, call: ToolCall) -> ToolResult:
        query = query_of(call.arguments["query"])
        found = [
            {
                "server_name": tool.server,
                "tool_name": self._shown(tool),
                "description": tool.description,
                "input_schema": tool.input_schema,
            }
            | _availability(tool)
            for tool in self._searched(query, self.options.top)
        ]
        return ToolResult(call.id, _yaml(found) if found else "No tool matches.")

    def _shown(self, tool: CatalogueTool) -> str:
        """The name that the agent knows: with `route`, which names the server as well, the tools
        of MCP servers have the names that their servers give them, as in LiveMCPBench."""
        if self.options.form == "route" and isinstance(tool.execution, McpExecution):
            return tool.execution.tool
        return tool.name

    def _of_server(self, server: str, name: str) -> CatalogueTool:
        known = [toolset for toolset in self.tools.toolsets if server in toolset.servers]
        if not known:
            raise RefusedCallError("unknown_server", f"There is no server {server!r}.")
        for toolset, named in product(known, (name, tool_name(server, name))):
            if (number := toolset.index_of(server, named)) is not None:
                return toolset[number]
        raise RefusedCallError("unknown_tool", f"The server {server!r} has no tool {name!r}.")


def open_gateway(
    exposure: Exposure, condition: Condition, image: str, say: Say = silent
) -> Gateway | None:
    """The gateway of an exposure, for one episode in a guest of an image. None if it has none, or
    the condition no tools. `UsageError` if a toolset cannot be read, two tools have one name, or
    the embedder is unknown. `say` is told how far vectors are that have to be computed first."""
    if exposure.gateway is None or condition == "gui":
        return None
    return Gateway(exposure.gateway, toolsets_of(exposure), Guests.of(image), say)


def _availability(tool: CatalogueTool) -> dict[str, str]:
    return {} if tool.executable else {"unavailable": tool.cause}


def _yaml(value: object) -> str:
    text: str = yaml.dump(value, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=10_000)
    return text


class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """The fast writer where libyaml is there; it writes no aliases."""

    def ignore_aliases(self, data: object) -> bool:
        """Repeated values are written in full: models read them better."""
        return True
