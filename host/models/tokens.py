"""What it costs a model to be told of the tools."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable

from ambidex.tasks import ToolSpec

__all__ = ["COUNTED_AS", "tokens_by_app"]

COUNTED_AS = "o3"
"""The model whose tokens are counted: its vocabulary comes with litellm, so no network is asked."""


def tokens_by_app(tools: Iterable[ToolSpec]) -> dict[str, int]:
    """Tokens of names, descriptions and schemas as a function-calling request carries them, by
    app.
    """
    # litellm otherwise fetches its price list from the network when imported.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    found: Counter[str] = Counter()
    for tool in tools:
        said = {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
        }
        text = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
        found[tool.app] += litellm.token_counter(model=COUNTED_AS, text=text)
    return dict(found)
