"""`python -m bench desktop-retrieval`: the guest's own tools among thousands of others."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import get_args

import numpy as np
from rich.console import Console
from rich.table import Table

from ambidex.host import ToolCall, ToolResult
from ambidex.host.models.tokens import tokens_by_app
from ambidex.host.records.gateway_options import GatewayForm, GatewayOptions, RetrieverKind
from ambidex.host.toolsets import CatalogueTool
from ambidex.host.toolsets.gateway import Gateway
from ambidex.host.toolsets.gateway_tools import SPECS
from ambidex.host.toolsets.importers.desktop import from_desktop
from ambidex.host.toolsets.retrieval import Query
from ambidex.host.toolsets.toolset import Toolset, ToolsetWriter
from ambidex.tasks import ToolSpec, is_gui
from ambidex.tasks.catalogue import read_catalogue
from bench.retrieval.ranks import REQUESTS, read_requests

__all__ = ["desktop_retrieval", "desktop_toolset"]

TOPS = (1, 5, 20)


def desktop_retrieval(*others: Path, retrievers: tuple[RetrieverKind, ...] = ("bm25",)) -> None:
    """Print how well a gateway finds the guest's own tools among others, and the tokens of each
    exposure in the condition hybrid.

    Parameters
    ----------
    others
        Toolsets whose tools are added to the guest's own.
    retrievers
        The retrievers to compare.
    """
    catalogue = read_catalogue()
    own = {name: tool for name, tool in catalogue.items() if not is_gui(tool.app)}
    requests = [
        (name, text)
        for name, texts in read_requests(REQUESTS, catalogue).items()
        if name in own
        for text in texts
    ]
    with tempfile.TemporaryDirectory() as scratch:
        desktop = desktop_toolset(Path(scratch) / "desktop.toolset", catalogue.values())
        opened = (desktop, *map(Toolset.open, others))
        found = Table("tools", "retriever", *(f"@{top} %" for top in TOPS))
        found.title = f"recall of the guest's own tools, {len(requests)} requests in users' words"
        for toolsets in dict.fromkeys([(desktop,), opened]):
            for kind in retrievers:
                gateway = _gateway(toolsets, "find", kind)
                shares = (f"{100 * share:.1f}" for share in _recall(gateway, requests))
                found.add_row(f"{sum(map(len, toolsets)):,}", kind, *shares)
        console = Console(width=120)
        console.print(found)
        console.print(_tokens(catalogue, opened, [text for _, text in requests]))


def desktop_toolset(path: Path, tools: Iterable[ToolSpec]) -> Toolset:
    """Write the guest's own tools as a toolset."""
    writer = ToolsetWriter()
    for item in from_desktop(tools):
        if isinstance(item, CatalogueTool):
            writer.add(item)
        else:
            writer.add_server(item)
    return writer.write(path)


def _gateway(
    toolsets: tuple[Toolset, ...], form: GatewayForm, kind: RetrieverKind = "bm25"
) -> Gateway:
    paths = tuple(str(toolset.path) for toolset in toolsets)
    return Gateway(GatewayOptions(form=form, toolsets=paths, retriever=kind), toolsets)


def _recall(gateway: Gateway, requests: list[tuple[str, str]]) -> list[float]:
    found = []
    for name, text in requests:
        names = [tool.name for tool in gateway.search(Query(text), TOPS[-1])]
        found.append([name in names[:top] for top in TOPS])
    return [float(share) for share in np.mean(found, axis=0)]


def _tokens(
    catalogue: dict[str, ToolSpec], toolsets: tuple[Toolset, ...], queries: list[str]
) -> Table:
    """The tokens of each exposure, without mouse and keyboard."""
    gui = [tool for tool in catalogue.values() if is_gui(tool.app)]
    mouse = sum(tokens_by_app(gui).values())
    own = sum(tokens_by_app(catalogue.values()).values()) - mouse
    everything = sum(tokens_by_app(_specs(toolsets)).values())
    number = sum(map(len, toolsets))
    table = Table("exposure", "tools in each request", "tokens", "tokens of a search's answer")
    table.title = "condition hybrid: what a model reads"
    table.add_row("mouse and keyboard alone", str(len(gui)), f"{mouse:,}", "")
    table.add_row("and the guest's own tools", f"{len(catalogue):,}", f"{mouse + own:,}", "")
    table.add_row("and all others", f"{len(gui) + number:,}", f"{mouse + everything:,}", "")
    for form in get_args(GatewayForm):
        gateway = _gateway(toolsets, form)
        tokens = sum(tokens_by_app(SPECS[form]).values())
        answers = [sum(tokens_by_app([_text(gateway, query)]).values()) for query in queries[::8]]
        table.add_row(
            f"and a gateway, form {form}",
            str(len(gui) + len(SPECS[form])),
            f"{mouse + tokens:,}",
            f"median {median(answers):,.0f}, at most {max(answers):,}",
        )
    return table


def _specs(toolsets: tuple[Toolset, ...]) -> Iterator[ToolSpec]:
    for tool in (tool for toolset in toolsets for tool in toolset):
        yield ToolSpec(
            tool.name, tool.server, tool.description, dict(tool.input_schema), reads_only=False
        )


def _text(gateway: Gateway, query: str) -> ToolSpec:
    """The answer to a search, as the description of a tool, whose tokens are counted."""
    name = SPECS[gateway.options.form][0].name
    result, _ = gateway.answer(ToolCall("", name, {"query": query}), _nowhere)
    return ToolSpec("", "", result.text, {}, reads_only=False)


def _nowhere(call: ToolCall) -> ToolResult:
    raise AssertionError("a search executes nothing")
