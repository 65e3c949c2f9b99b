"""Count the tokens that tool definitions take in a request."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

from ambidex.host.models.libraries import libraries
from ambidex.tasks import ToolSpec

__all__ = ["COUNTED_AS", "tokens_by_app"]

COUNTED_AS = "o3"
"""The model whose tokenizer is used: its vocabulary comes with litellm, so no network is needed."""


def tokens_by_app(tools: Iterable[ToolSpec]) -> dict[str, int]:
    """By app, the tokens of names, descriptions and schemas in a function-calling request."""
    litellm, _ = libraries()
    tokens: Counter[str] = Counter()
    for tool in tools:
        function = {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
        }
        text = json.dumps(function, ensure_ascii=False, separators=(",", ":"))
        tokens[tool.app] += litellm.token_counter(model=COUNTED_AS, text=text)
    return dict(tokens)
