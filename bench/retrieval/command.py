"""`python -m bench retrieval`: print the recall of the tools' descriptions as a search index."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from ambidex.host.cli.listing import token_table
from ambidex.host.models.tokens import tokens_by_app
from ambidex.tasks.catalogue import read_catalogue
from bench.retrieval.ranks import REQUESTS, Rank, rank_requests, read_requests, recall

__all__ = ["retrieval"]

WORST = 20


def retrieval(*, requests: Path = REQUESTS, embedder: str = "", out: Path | None = None) -> None:
    """Rank all tools for every request and print recall, the worst ranks and the tokens.

    Parameters
    ----------
    requests
        A TOML file: for each tool's name a list of requests that the tool should be found by.
    embedder
        `module:function` that turns texts into vectors, instead of BM25.
    out
        A JSONL file for the rank of every request.
    """
    tools = {name: tool for name, tool in read_catalogue().items() if tool.source != "stock"}
    ranks = rank_requests(read_requests(requests, tools), tools, embedder)
    if out:
        out.write_text("".join(f"{json.dumps(asdict(rank))}\n" for rank in ranks))
    console = Console(width=120)
    console.print(recall_table(ranks))
    console.print(worst_table(ranks))
    counts = Counter(tool.app for tool in tools.values())
    console.print(token_table(tokens_by_app(tools.values()), counts))


def recall_table(ranks: Sequence[Rank]) -> Table:
    """Recall by app, and over all requests."""
    table = Table("app", "requests", "recall@1 %", "@5 %", "@20 %", "MRR", title="recall")
    for app in [*dict.fromkeys(rank.app for rank in ranks), "all"]:
        result = recall([rank for rank in ranks if app in (rank.app, "all")])
        shares = (f"{100 * share:.1f}" for share in (result.at_1, result.at_5, result.at_20))
        style = "bold" if app == "all" else ""
        mean = f"{result.mean_reciprocal_rank:.3f}"
        table.add_row(app, str(result.requests), *shares, mean, style=style)
    return table


def worst_table(ranks: Sequence[Rank]) -> Table:
    """The requests whose tool is ranked last."""
    table = Table("rank", "tool", "request", "ranked first", title="the worst ranks")
    for rank in sorted(ranks, key=lambda rank: (-rank.rank, rank.tool))[:WORST]:
        table.add_row(str(rank.rank), rank.tool, rank.request, rank.first)
    return table
