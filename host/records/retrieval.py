"""What an agent searched for behind a gateway, and what it found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ambidex.evaluators.strict import Strict
from ambidex.host.records.call_counts import Count
from ambidex.host.records.trajectory import calls_of
from ambidex.host.untrusted import MalformedError
from ambidex.host.untrusted.parsing import json_value

__all__ = ["Retrieval", "names_in", "retrieval_of"]

ROUTED = re.compile(r"^  tool_name: '?([^\s']+)'?$", re.MULTILINE)
"""A tool's name in an answer of `route`."""


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
    found = {name: None for call in searches for name in names_in(call["output"])}
    words = sum(len(str(call["arguments"].get("query", "")).split()) for call in searches)
    return Retrieval(searches=len(searches), words=words, found=tuple(found))


def names_in(answer: str) -> Iterator[str]:
    """The names of the tools in an answer: JSON from `find_tools`, YAML from `route`."""
    if not answer.startswith("["):
        yield from ROUTED.findall(answer)
        return
    with suppress(MalformedError):  # an answer that was cut
        for tool in json_value(answer, "the answer to a search"):
            if isinstance(tool, dict) and "name" in tool:
                yield str(tool["name"])
