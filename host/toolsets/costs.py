"""Tokens that a model pays for a toolset: all of it in each request, or the gateway and its
answers."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from ambidex.host import ToolCall, ToolResult
from ambidex.host.models.tokens import count_tokens, specification_tokens
from ambidex.host.records.gateway_options import GatewayOptions
from ambidex.host.toolsets.gateway import Gateway
from ambidex.host.toolsets.gateway_tools import SPECS
from ambidex.host.toolsets.toolset import Toolset
from ambidex.host.toolsets.toolset_tools import spec_of

__all__ = ["Costs", "costs_of"]

QUERIES = 100
"""Searches over which an answer's tokens are taken."""


@dataclass(frozen=True)
class Costs:
    """Tokens of each way to offer a toolset."""

    everything: int
    """The specifications of all tools: in every request, if all are offered."""
    gateways: dict[str, int]
    """By form, the gateway's two tools: in every request."""
    answers: dict[str, tuple[int, int]]
    """By form, median and maximum of one search's answer: once for each search."""
    queries: int
    """Searches that were made for that."""


def costs_of(toolset: Toolset, top: int) -> Costs:
    """Count the tokens. The searches are the first sentences of descriptions of tools at equal
    distances in the toolset, each answered with `top` tools."""
    everything = sum(specification_tokens(spec_of(tool)) for tool in toolset)
    chosen = range(0, len(toolset), max(1, len(toolset) // QUERIES))[:QUERIES]
    queries = [toolset[number].description.split(". ")[0] for number in chosen]
    answers = {}
    for form in ("find", "route"):
        options = GatewayOptions(toolsets=(str(toolset.path),), form=form, top=top)
        gateway = Gateway(options, (toolset,))
        name = SPECS[form][0].name
        texts = [
            gateway.answer(ToolCall("", name, {"query": query}), _nowhere)[0].text
            for query in queries
        ]
        counts = [count_tokens(text) for text in texts]
        answers[form] = (round(median(counts)), max(counts))
    forms = {form: sum(map(specification_tokens, specs)) for form, specs in SPECS.items()}
    return Costs(everything, forms, answers, len(queries))


def _nowhere(call: ToolCall) -> ToolResult:
    raise AssertionError("a search executes nothing")
