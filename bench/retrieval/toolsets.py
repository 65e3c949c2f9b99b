"""`python -m bench toolset-retrieval`: how well and how fast searches of a toolset find tools."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np
from rich.console import Console
from rich.table import Table

from ambidex.host import ToolCall, ToolResult
from ambidex.host.records.gateway_options import GatewayOptions, RetrieverKind
from ambidex.host.toolsets import McpExecution
from ambidex.host.toolsets.gateway import Gateway
from ambidex.host.toolsets.retrieval import Query
from ambidex.host.toolsets.toolset import Toolset

__all__ = ["toolset_retrieval"]

TOPS = (1, 5, 20)


@dataclass(frozen=True)
class Search:
    """A search, and the tools that it should find: (server, name on the server)."""

    words: Query
    expected: tuple[frozenset[tuple[str, str]], ...]
    """One item for each tool; a tool that several servers have may be found on any of them."""


def toolset_retrieval(data: Path, toolset: Path, *others: Path) -> None:
    """Print recall on LiveMCPBench's queries and the time of `find_tools`, for every retriever.

    Parameters
    ----------
    data
        A directory with LiveMCPBench's retrieval_gold.json and
        route_queries_claude-sonnet-4.json.
    toolset
        LiveMCPBench's tools, compiled.
    others
        Further toolsets: everything is repeated with them added to the first one.
    """
    gold, routes = list(read_gold(data)), list(read_routes(data))
    console = Console(width=120)
    title = f"recall in %: {len(gold)} task texts, {len(routes)} route queries of an agent"
    table = Table("tools", "retriever", title=title)
    recalls = [f"{name} @{top}" for name in ("task", "route") for top in TOPS]
    for column in (*recalls, "CPU ms", "p50 ms", "p95 ms", "open ms"):
        table.add_column(column, justify="right")
    for paths in dict.fromkeys([(toolset,), (toolset, *others)]):
        for kind in get_args(RetrieverKind):
            _gateway(paths, kind, console)  # makes what is stored next to the toolsets
            began = time.perf_counter()
            gateway = _gateway(paths, kind, console)
            opened = 1000 * (time.perf_counter() - began)
            count = sum(len(Toolset.open(path)) for path in paths)
            shares = [share for queries in (gold, routes) for share in recall(gateway, queries)]
            taken = np.array([_milliseconds(gateway, query) for query in (*gold, *routes)])
            cpu, wall = taken.T
            table.add_row(
                f"{count:,}",
                kind,
                *(f"{100 * share:.1f}" for share in shares),
                *(f"{value:.1f}" for value in (np.median(cpu), *np.percentile(wall, [50, 95]))),
                f"{opened:.0f}",
            )
        table.add_section()
    console.print(table)


def _gateway(paths: tuple[Path, ...], kind: RetrieverKind, console: Console) -> Gateway:
    options = GatewayOptions(form="find", toolsets=tuple(map(str, paths)), retriever=kind)
    return Gateway(options, tuple(map(Toolset.open, paths)), say=console.print)


def read_gold(data: Path) -> Iterator[Search]:
    """The tasks, with the tools that their annotators used."""
    for task in json.loads((data / "retrieval_gold.json").read_text()):
        tools = [tool for tool in task["gold_tools"] if tool["servers"]]
        expected = tuple(
            frozenset((server, tool["tool"]) for server in tool["servers"]) for tool in tools
        )
        if expected:
            yield Search(Query(task["question"]), expected)


def read_routes(data: Path) -> Iterator[Search]:
    """The searches of a released run that were followed by an execution, with what was executed."""
    routes = json.loads((data / "route_queries_claude-sonnet-4.json").read_text())
    for route in routes:
        executed: list[Any] = route["executed_before_next_route"]
        query = Query(route["tool_query"] or "", route["server_query"] or "")
        if executed and query.text:
            tools = dict.fromkeys((server, name) for server, name in executed)
            yield Search(query, tuple(frozenset([tool]) for tool in tools))


def recall(gateway: Gateway, queries: Sequence[Search]) -> list[float]:
    """For each of TOPS the share of the expected tools that are found, as mean over queries."""
    shares = []
    for query in queries:
        found = [
            (tool.server, tool.execution.tool if isinstance(tool.execution, McpExecution) else "")
            for tool in gateway.search(query.words, TOPS[-1])
        ]
        shares.append(
            [np.mean([bool(set(found[:top]) & tools) for tools in query.expected]) for top in TOPS]
        )
    return [float(share) for share in np.mean(shares, axis=0)]


def _milliseconds(gateway: Gateway, query: Search) -> tuple[float, float]:
    """Of the processor, and on the clock."""
    cpu, wall = time.process_time(), time.perf_counter()
    gateway.answer(ToolCall("", "find_tools", {"query": query.words.text}), _nowhere)
    return 1000 * (time.process_time() - cpu), 1000 * (time.perf_counter() - wall)


def _nowhere(call: ToolCall) -> ToolResult:
    raise AssertionError("a search executes nothing")
