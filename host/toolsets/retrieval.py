"""Retrievers: how a gateway ranks the tools of its toolsets for a search.

    bm25      by words: see `index.py`
    embedder  by the cosine of the vectors of search and tool
    product   by the score of MCP-Zero and LiveMCPBench, from vectors of servers and tools
    fused     by the ranks of `bm25` and of `embedder`

Scores are rounded before they are compared, so that tools with equal texts tie on every processor;
ties are in the order of the toolsets and of their tools.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ambidex.host.models.embedders import Embedder, embedder_of, identity_of, unit_vectors
from ambidex.host.records.gateway_options import GatewayOptions
from ambidex.host.toolsets.index import ToolIndex
from ambidex.host.toolsets.toolset import Toolset
from ambidex.host.toolsets.vectors import Say, ToolVectors, open_vectors, silent

__all__ = ["Query", "Retriever", "fused_scores", "open_retriever", "product_scores", "query_of"]

TAG = re.compile(r"<tool_assistant>(.*?)</tool_assistant>", re.DOTALL)
PART = re.compile(r"^\s*(server|tool)\s*:(.*?)(?=^\s*(?:server|tool)\s*:|\Z)", re.M | re.S)
DIGITS = 6
"""To which scores are rounded."""
FUSION = 60
"""The constant of reciprocal rank fusion, as Cormack et al. chose it."""

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Query:
    """What an agent searches for."""

    tool: str
    server: str = ""
    """What it says about the server; empty if it does not tell them apart."""

    @property
    def text(self) -> str:
        """All its words."""
        return f"{self.server} {self.tool}".strip()


def query_of(text: str) -> Query:
    """Read the lines `server:` and `tool:` of the tag `tool_assistant`; a text without them is
    searched for as a whole."""
    tagged = TAG.search(text)
    words = tagged.group(1) if tagged else text
    parts = {name: found.strip() for name, found in PART.findall(words)}
    return Query(parts.get("tool", ""), parts.get("server", "")) if parts else Query(words.strip())


class Retriever(Protocol):
    """Ranks tools, numbered through all toolsets. Safe to use from any thread."""

    name: str
    """What rows call it: the kind, and the embedder if it has one."""

    def best(self, query: Query, top: int) -> list[tuple[float, int]]:
        """Score and number of the `top` best tools, best first."""
        ...


def open_retriever(
    options: GatewayOptions, toolsets: Sequence[Toolset], say: Say = silent
) -> Retriever:
    """The retriever that the options name. Its index or vectors are made first if there are none,
    and `say` is told how far the vectors are."""
    words = ByWords(toolsets) if options.retriever in ("bm25", "fused") else None
    if options.retriever == "bm25":
        assert words
        return words
    vectors = ByVectors(
        [open_vectors(toolset, options.embedder, say) for toolset in toolsets], options.embedder
    )
    match options.retriever:
        case "embedder":
            return vectors
        case "product":
            return ByProduct(vectors, options.servers)
        case "fused":
            assert words
            return Fused(words, vectors)


class ByWords:
    """Ranks by BM25. Tools that share no word with the query are left out."""

    name = "bm25"

    def __init__(self, toolsets: Sequence[Toolset]) -> None:
        self._index = ToolIndex.open(toolsets)

    def best(self, query: Query, top: int) -> list[tuple[float, int]]:
        """As `Retriever` says."""
        return best_of(self.scores(query), top, positive=True)

    def scores(self, query: Query) -> Scores:
        """The score of each tool; 0 for those that share no word with the query."""
        return self._index.scores(query.text)


class ByVectors:
    """Ranks by the cosine of the vectors of query and tool."""

    def __init__(self, toolsets: Sequence[ToolVectors], embedder: str) -> None:
        self.toolsets = toolsets
        self.embed: Embedder = embedder_of(embedder)
        self.identity = identity_of(embedder)
        self.name = f"embedder {self.identity}"

    def best(self, query: Query, top: int) -> list[tuple[float, int]]:
        """As `Retriever` says."""
        return best_of(self.scores(query), top)

    def scores(self, query: Query) -> Scores:
        """The cosine of each tool."""
        (vector,) = unit_vectors(self.embed, [query.text])
        return rounded([toolset.tools @ vector for toolset in self.toolsets])


class ByProduct:
    """Ranks by the product score, within the `servers` best servers (0: within all)."""

    def __init__(self, vectors: ByVectors, servers: int) -> None:
        self._vectors = vectors
        self._servers = servers
        self.name = f"product {vectors.identity}"

    def best(self, query: Query, top: int) -> list[tuple[float, int]]:
        """As `Retriever` says."""
        tool, server = query.tool or query.text, query.server or query.text
        texts = [tool] if tool == server else [tool, server]
        embedded = unit_vectors(self._vectors.embed, texts)
        of_tool, of_server = embedded[0], embedded[-1]
        tools = rounded([toolset.tools @ of_tool for toolset in self._vectors.toolsets])
        servers, owners, first = [], [], 0
        for toolset in self._vectors.toolsets:
            description, summary = (rows @ of_server for rows in toolset.servers)
            servers.append(np.maximum(description, summary))
            owners.append(toolset.owners + first)
            first += len(description)
        scores = product_scores(rounded(servers), tools, np.concatenate(owners), self._servers)
        return [scored for scored in best_of(scores, top) if scored[0] > -np.inf]


class Fused:
    """Ranks by reciprocal rank fusion of BM25 and vectors."""

    def __init__(self, words: ByWords, vectors: ByVectors) -> None:
        self._words, self._vectors = words, vectors
        self.name = f"fused {vectors.identity}"

    def best(self, query: Query, top: int) -> list[tuple[float, int]]:
        """As `Retriever` says."""
        words = self._words.scores(query)
        return best_of(
            fused_scores(words, words > 0) + fused_scores(self._vectors.scores(query)), top
        )


def product_scores(
    servers: Scores, tools: Scores, owners: NDArray[np.int64], most: int = 0
) -> Scores:
    """(s_server · s_tool) · max(s_server, s_tool) for each tool, as LiveMCPBench's paper has it.

    `servers` and `tools` are similarities, `owners` is the number of each tool's server. Tools
    outside the `most` best servers have the score -inf; 0: there are none.
    """
    of_server = servers[owners]
    scores = of_server * tools * np.maximum(of_server, tools)
    if most:
        chosen = np.zeros(len(servers), bool)
        chosen[np.argsort(-servers, kind="stable")[:most]] = True
        scores = np.where(chosen[owners], scores, -np.inf)
    return np.asarray(scores, np.float64)


def fused_scores(scores: Scores, ranked: NDArray[np.bool_] | None = None) -> Scores:
    """1 / (60 + rank) of each tool, 0 for those that are not `ranked`. Equal scores have one
    rank."""
    better = np.sort(-scores).searchsorted(-scores, side="left")
    shares = 1 / (FUSION + 1 + better)
    return np.asarray(shares if ranked is None else np.where(ranked, shares, 0.0), np.float64)


def rounded(parts: Sequence[NDArray[Any]]) -> Scores:
    """The parts in one array, rounded."""
    return np.asarray(np.round(np.concatenate(parts).astype(np.float64), DIGITS), np.float64)


def best_of(scores: Scores, top: int, *, positive: bool = False) -> list[tuple[float, int]]:
    """Score and number of the `top` highest scores, of those above 0 if `positive`."""
    least = np.partition(scores, -top)[-top] if top < len(scores) else -np.inf
    numbers = np.flatnonzero((scores >= least) & (scores > 0 if positive else True))
    order = numbers[np.argsort(-scores[numbers], kind="stable")[:top]]
    return [(float(scores[number]), int(number)) for number in order]
