"""How similar a draft is to the existing tools: by name, by description, and by behaviour as far as
its text shows."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ambidex.tasks import ToolSpec
from ambidex.toolgen import Finding
from ambidex.toolgen.gate.tools_text import DeclaredTool

__all__ = ["Similarity", "duplicate", "nearest", "similar_tools", "similarities"]

SIMILAR = 0.8
SAME_WORDS = 0.95
"""Similarity from which two descriptions count as the same."""
SAME_DEED = 0.99
"""Similarity from which the behaviour of two functions counts as the same."""
MIN_BEHAVIOUR = 3
"""Minimum size of a behaviour that can be compared."""
NAMED = 3
"""How many of the nearest tools are reported."""


@dataclass(frozen=True)
class Similarity:
    """How similar an existing tool is to a draft, from 0 to 1."""

    name: str
    words: float
    """By name or by description, whichever is higher."""
    deed: float
    """By behaviour: the size of the intersection divided by that of the union."""
    description: str

    @property
    def highest(self) -> float:
        """The higher of the two."""
        return max(self.words, self.deed)


def similarities(
    name: str, description: str, behaviour: frozenset[str], existing: Sequence[DeclaredTool]
) -> list[Similarity]:
    """Compare a draft with every existing tool; the most similar first."""
    result = []
    for tool in existing:
        docstring = ast.get_docstring(tool.node) or ""
        words = max(_ratio(name, tool.name), _ratio(description, docstring))
        deed = _overlap(behaviour, tool.behaviour)
        result.append(Similarity(tool.name, words, deed, docstring))
    return sorted(result, key=lambda similarity: -similarity.highest)


def duplicate(
    name: str,
    description: str,
    arguments: Sequence[str],
    behaviour: frozenset[str],
    existing: Sequence[DeclaredTool],
) -> Iterator[Finding]:
    """Refuse the draft for each existing tool that it duplicates, and report the nearest other
    tools."""
    compared = similarities(name, description, behaviour, existing)
    arguments_of = {tool.name: tool.arguments for tool in existing}
    duplicated = set()

    def same_app(other: str) -> bool:
        # Tools of two apps may do the same with documents of their own.
        return other.partition("_")[0] == name.partition("_")[0]

    def same_description(other: Similarity) -> bool:
        # `words` is at least the ratio of the descriptions, which is slow to compute.
        return other.words >= SAME_WORDS and _ratio(description, other.description) >= SAME_WORDS

    def same_behaviour(other: Similarity) -> bool:
        return other.deed >= SAME_DEED and set(arguments) <= set(arguments_of[other.name])

    for other in compared:
        text = f"{name} duplicates {other.name}"
        if other.name == name:
            yield Finding(0, "duplicate", f"a tool {name} exists already")
        elif same_app(other.name) and same_description(other):
            yield Finding(0, "duplicate", f"{text}: {other.words:.0%} the same description")
        elif same_app(other.name) and same_behaviour(other):
            yield Finding(0, "duplicate", f"{text}: {other.deed:.0%} the same behaviour")
        elif same_app(other.name) and behaviour == {other.name.partition("_")[2]}:
            yield Finding(0, "duplicate", f"{text}: it only calls it")
        else:
            continue
        duplicated.add(other.name)
    for other in [other for other in compared if other.name not in duplicated][:NAMED]:
        text = f"{other.name}: {other.words:.0%} by its words, {other.deed:.0%} by its behaviour"
        yield Finding(0, "nearest", text, refused=False)


def similar_tools(
    app: str, tool: ast.FunctionDef, catalogue: Sequence[ToolSpec]
) -> Iterator[Finding]:
    """Report tools whose name or description is similar, for the reviewer."""
    name = f"{app}_{tool.name}"
    for spec, ratio in nearest(name, ast.get_docstring(tool) or "", catalogue):
        text = f"{name} is {ratio:.0%} like {spec.name}: {spec.description.splitlines()[0]}"
        yield Finding(tool.lineno, "like another", text, refused=False)


def nearest(
    name: str, description: str, catalogue: Sequence[ToolSpec]
) -> list[tuple[ToolSpec, float]]:
    """Tools with another name whose name or description is similar, with the ratio; the most
    similar first."""
    scored = [
        (spec, max(_ratio(name, spec.name), _ratio(description, spec.description)))
        for spec in catalogue
        if spec.name != name
    ]
    similar = [(spec, ratio) for spec, ratio in scored if ratio >= SIMILAR]
    return sorted(similar, key=lambda pair: -pair[1])


def _ratio(one: str, other: str) -> float:
    return _ratio_of(*sorted((one, other)))


# The next draft of a candidate, or the next look at its card, has mostly the same description.
@lru_cache(maxsize=10_000)
def _ratio_of(first: str, second: str) -> float:
    return difflib.SequenceMatcher(None, first, second).ratio()


def _overlap(ours: frozenset[str], theirs: frozenset[str]) -> float:
    if min(len(ours), len(theirs)) < MIN_BEHAVIOUR:
        return 0.0
    return len(ours & theirs) / len(ours | theirs)
