"""`python -m bench toolset-retrieval`: how well and how fast searches of a toolset find tools."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from ambidex.host import ToolCall, ToolResult
from ambidex.host.records.gateway_options import GatewayOptions
from ambidex.host.toolsets import McpExecution
from ambidex.host.toolsets.gateway import Gateway
from ambidex.host.toolsets.toolset import Toolset

__all__ = ["toolset_retrieval"]

TOPS = (1, 5, 20)


@dataclass(frozen=True)
class Query:
    """A search, and the tools that it should find: (server, name on the server)."""

    text: str
    expected: tuple[frozenset[tuple[str, str]], ...]
    """One item for each tool; a tool that several servers have may be found on any of them."""


def toolset_retrieval(data: Path, *toolsets: Path) -> None:
    """Print recall on LiveMCPBench's queries and the time of `find_tools`, for toolsets together.

    Parameters
    ----------
    data
        A directory with LiveMCPBench's retrieval_gold.json and
        route_queries_claude-sonnet-4.json.
    toolsets
        Compiled toolsets. LiveMCPBench's own must be among them.
    """
    began = time.perf_counter()
    opened = tuple(Toolset.open(path) for path in toolsets)
    options = GatewayOptions(toolsets=tuple(map(str, toolsets)))
    gateway = Gateway(options, opened)
    loaded = time.perf_counter() - began
    gold, routes = list(read_gold(data)), list(read_routes(data))
    count = sum(map(len, opened))
    table = Table("queries", "number", *(f"@{top} %" for top in TOPS), title=f"{count} tools, BM25")
    for name, queries in (("task text", gold), ("agents' route queries", routes)):
        shares = (f"{100 * share:.1f}" for share in recall(gateway, queries))
        table.add_row(name, str(len(queries)), *shares)
    console = Console(width=120)
    console.print(table)
    taken = sorted(_milliseconds(gateway, [*gold, *routes]))
    p50, p95 = np.percentile(taken, [50, 95])
    console.print(
        f"opened in {1000 * loaded:.0f} ms; find_tools p50 {p50:.1f} ms, p95 {p95:.1f} ms"
    )


def read_gold(data: Path) -> Iterator[Query]:
    """The tasks, with the tools that their annotators used."""
    for task in json.loads((data / "retrieval_gold.json").read_text()):
        tools = [tool for tool in task["gold_tools"] if tool["servers"]]
        expected = tuple(
            frozenset((server, tool["tool"]) for server in tool["servers"]) for tool in tools
        )
        if expected:
            yield Query(task["question"], expected)


def read_routes(data: Path) -> Iterator[Query]:
    """The searches of a released run that were followed by an execution, with what was executed."""
    routes = json.loads((data / "route_queries_claude-sonnet-4.json").read_text())
    for route in routes:
        executed: list[Any] = route["executed_before_next_route"]
        text = f"{route['server_query'] or ''} {route['tool_query'] or ''}".strip()
        if executed and text:
            tools = dict.fromkeys((server, name) for server, name in executed)
            yield Query(text, tuple(frozenset([tool]) for tool in tools))


def recall(gateway: Gateway, queries: Sequence[Query]) -> list[float]:
    """For each of TOPS the share of the expected tools that are found, as mean over queries."""
    shares = []
    for query in queries:
        found = [
            (tool.server, tool.execution.tool if isinstance(tool.execution, McpExecution) else "")
            for tool in gateway.search(query.text, TOPS[-1])
        ]
        shares.append(
            [np.mean([bool(set(found[:top]) & tools) for tools in query.expected]) for top in TOPS]
        )
    return [float(share) for share in np.mean(shares, axis=0)]


def _milliseconds(gateway: Gateway, queries: Sequence[Query]) -> Iterator[float]:
    for query in queries:
        began = time.perf_counter()
        gateway.answer(ToolCall("", "find_tools", {"query": query.text}), _nowhere)
        yield 1000 * (time.perf_counter() - began)


def _nowhere(call: ToolCall) -> ToolResult:
    raise AssertionError("a search executes nothing")
