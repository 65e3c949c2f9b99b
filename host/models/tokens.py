"""Count the tokens that tool definitions take in a request."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

from ambidex.host.models.libraries import libraries
from ambidex.tasks import ToolSpec

__all__ = ["COUNTED_AS", "count_tokens", "specification_tokens", "tokens_by_app"]

COUNTED_AS = "o3"
"""The model whose tokenizer is used: its vocabulary comes with litellm, so no network is needed."""


def tokens_by_app(tools: Iterable[ToolSpec]) -> dict[str, int]:
    """By app, the tokens of names, descriptions and schemas in a function-calling request."""
    tokens: Counter[str] = Counter()
    for tool in tools:
        tokens[tool.app] += specification_tokens(tool)
    return dict(tokens)


def specification_tokens(tool: ToolSpec) -> int:
    """The tokens of a tool's name, description and schema in a function-calling request."""
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return count_tokens(json.dumps(function, ensure_ascii=False, separators=(",", ":")))


def count_tokens(text: str) -> int:
    """The tokens of a text."""
    litellm, _ = libraries()
    count: int = litellm.token_counter(model=COUNTED_AS, text=text)
    return count
