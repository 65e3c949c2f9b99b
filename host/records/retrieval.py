"""What an agent searched for behind a gateway, and what it found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from ambidex.evaluators.strict import Strict
from ambidex.host.records.call_counts import Count
from ambidex.host.records.trajectory import calls_of

__all__ = ["Retrieval", "retrieval_of"]


class Retrieval(Strict):
    """The searches of one episode."""

    searches: Count
    """Searches that were answered."""
    words: Count
    """Words of all their queries together."""
    found: tuple[str, ...]
    """Names of the distinct tools in the answers, in order."""


def retrieval_of(folder: Path) -> Retrieval:
    """The searches of the episode that is recorded in a trial's directory."""
    searches = [call for call in calls_of(folder) if call["search"]]
    found = {name: None for call in searches for name in _names(call["output"])}
    words = sum(len(str(call["arguments"].get("query", "")).split()) for call in searches)
    return Retrieval(searches=len(searches), words=words, found=tuple(found))


def _names(answer: str) -> Iterator[str]:
    """The names of the tools in an answer, in the form of any gateway."""
    tools: Any
    try:
        tools = json.loads(answer) if answer.startswith("[") else yaml.safe_load(answer)
    except (ValueError, yaml.YAMLError):  # an answer that was cut
        return
    for tool in tools if isinstance(tools, list) else ():
        if isinstance(tool, dict) and (name := tool.get("name") or tool.get("tool_name")):
            yield str(name)
