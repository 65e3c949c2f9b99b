"""The rank of the right tool for each request, and recall computed from the ranks."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from ambidex.host.errors import UsageError
from ambidex.host.models.search import ranked
from ambidex.tasks import ToolSpec

__all__ = ["HELD_OUT", "REQUESTS", "Rank", "Recall", "rank_requests", "read_requests", "recall"]

REQUESTS = Path(__file__).with_name("requests.toml")
HELD_OUT = Path(__file__).with_name("held_out.toml")


@dataclass(frozen=True)
class Rank:
    """Where the ranking put the right tool for one request: 1 is best."""

    request: str
    tool: str
    app: str
    rank: int
    first: str
    """The tool that was ranked first."""


@dataclass(frozen=True)
class Recall:
    """Shares of requests whose tool is among the first 1, 5 and 20, and the mean of 1 / rank."""

    requests: int
    at_1: float
    at_5: float
    at_20: float
    mean_reciprocal_rank: float


def read_requests(path: Path, tools: Mapping[str, ToolSpec]) -> dict[str, list[str]]:
    """Requests by the name of their tool; `UsageError` names tools that do not exist."""
    requests = TypeAdapter(dict[str, list[str]]).validate_python(tomllib.loads(path.read_text()))
    if unknown := sorted(requests.keys() - tools.keys()):
        raise UsageError(f"{path}: no such tools: {', '.join(unknown)}")
    return requests


def rank_requests(
    requests: Mapping[str, Sequence[str]], tools: Mapping[str, ToolSpec], embedder: str = ""
) -> list[Rank]:
    """Rank all tools for each request, as `exposure = retrieved` ranks them."""
    pairs = [(name, request) for name, texts in requests.items() for request in texts]
    rankings = ranked(list(tools.values()), [request for _, request in pairs], embedder)
    return [
        Rank(request, name, tools[name].app, ranking.index(name) + 1, ranking[0])
        for (name, request), ranking in zip(pairs, rankings, strict=True)
    ]


def recall(ranks: Sequence[Rank]) -> Recall:
    """Compute recall and mean reciprocal rank of a set of ranks."""
    count = len(ranks)
    at_1, at_5, at_20 = (sum(rank.rank <= top for rank in ranks) / count for top in (1, 5, 20))
    return Recall(count, at_1, at_5, at_20, sum(1 / rank.rank for rank in ranks) / count)
