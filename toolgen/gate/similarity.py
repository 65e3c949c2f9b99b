"""How like a draft is to the tools there are: by name, by what it says of itself, and by what it
does, as far as its text tells."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ambidex.tasks import ToolSpec
from ambidex.toolgen import Finding
from ambidex.toolgen.gate.tools_text import Declared

__all__ = ["Likeness", "duplicate", "like_another", "likenesses", "nearest"]

SIMILAR = 0.8
SAME_WORDS = 0.95
"""Of two descriptions, past which they are one."""
SAME_DEED = 0.99
"""Part of what two functions call, read and say that they share, past which they do the same."""
FEWEST = 3
"""Things that a function calls and sets: of fewer nothing can be told."""
NAMED = 3
"""Of the nearest that are named."""


@dataclass(frozen=True)
class Likeness:
    """One tool that is like the draft, in three ways from 0 to 1."""

    name: str
    words: float
    """Of name or description, whichever is more."""
    deed: float
    """Of what both call and set, by what either does."""
    description: str

    @property
    def most(self) -> float:
        """In whichever way it is most alike."""
        return max(self.words, self.deed)


def likenesses(
    name: str, description: str, touches: frozenset[str], house: Sequence[Declared]
) -> list[Likeness]:
    """Every tool of the house held against the draft, the most alike first."""
    found = []
    for each in house:
        said = ast.get_docstring(each.node) or ""
        words = max(_ratio(name, each.name), _ratio(description, said))
        found.append(Likeness(each.name, words, _shared(touches, each.touches), said))
    return sorted(found, key=lambda each: -each.most)


def duplicate(
    name: str,
    description: str,
    arguments: Sequence[str],
    touches: frozenset[str],
    house: Sequence[Declared],
) -> Iterator[Finding]:
    """A refusal for each tool that the draft repeats, and the nearest others by name."""
    every = likenesses(name, description, touches, house)
    takes = {each.name: each.arguments for each in house}
    repeated = set()

    def said_again(other: Likeness) -> bool:
        # Their likeness is at least that of the descriptions, which takes long to work out.
        return other.words >= SAME_WORDS and _ratio(description, other.description) >= SAME_WORDS

    def ours(other: str) -> bool:
        # Two apps may do the same to documents of their own.
        return other.partition("_")[0] == name.partition("_")[0]

    for each in every:
        said = f"{name} is {each.name} again"
        if each.name == name:
            yield Finding(0, "duplicate", f"there is a {name} already")
        elif ours(each.name) and said_again(each):
            yield Finding(0, "duplicate", f"{said}: {each.words:.0%} of its words")
        elif ours(each.name) and each.deed >= SAME_DEED and set(arguments) <= set(takes[each.name]):
            yield Finding(0, "duplicate", f"{said}: {each.deed:.0%} of what it does")
        elif ours(each.name) and touches == {each.name.partition("_")[2]}:
            yield Finding(0, "duplicate", f"{said}: it only passes on to it")
        else:
            continue
        repeated.add(each.name)
    for each in [near for near in every if near.name not in repeated][:NAMED]:
        text = f"{each.name}: {each.words:.0%} by its words, {each.deed:.0%} by what it does"
        yield Finding(0, "nearest", text, refused=False)


def like_another(
    app: str, tool: ast.FunctionDef, catalogue: Sequence[ToolSpec]
) -> Iterator[Finding]:
    """Tools whose name or description is much like this one's, for the reviewer."""
    name = f"{app}_{tool.name}"
    for spec, alike in nearest(name, ast.get_docstring(tool) or "", catalogue):
        text = f"{name} is {alike:.0%} like {spec.name}: {spec.description.splitlines()[0]}"
        yield Finding(tool.lineno, "like another", text, refused=False)


def nearest(
    name: str, description: str, catalogue: Sequence[ToolSpec]
) -> list[tuple[ToolSpec, float]]:
    """Tools whose name or description is much like this one's, the most alike first; the same name
    aside.
    """
    scored = [
        (spec, max(_ratio(name, spec.name), _ratio(description, spec.description)))
        for spec in catalogue
        if spec.name != name
    ]
    return sorted((each for each in scored if each[1] >= SIMILAR), key=lambda each: -each[1])


def _ratio(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()


def _shared(ours: frozenset[str], theirs: frozenset[str]) -> float:
    either = ours | theirs
    if min(len(ours), len(theirs)) < FEWEST:
        return 0.0
    return len(ours & theirs) / len(either)
