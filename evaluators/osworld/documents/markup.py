"""Metric that compares two web pages node by node."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from bs4 import BeautifulSoup
from bs4.element import PageElement, Tag

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.evidence import MIB
from ambidex.evaluators.osworld import given
from ambidex.evaluators.osworld.registry import metric
from ambidex.evaluators.values import shown, verdict

MOST_NODES = 100_000


@metric(
    repairs=(
        "Both pages must have equally many nodes: upstream stops at the end of the shorter one, so "
        "that elements without text may be missing, and an empty page equals any other.",
        "LibreOffice's `sdnum` attributes do not count unless `ignore_sdnum` is false: upstream "
        "compares them unless it is true.",
    )
)
def compare_htmls(
    result: Path, expected: Path, *, ignore_sdnum: bool | None = None, strict: bool
) -> Score:
    """Two pages have the same nodes in order, with the same names, texts and attributes
    (`ignore_sdnum`: except LibreOffice's `sdnum`)."""
    ignore = bool(ignore_sdnum) or (strict and ignore_sdnum is None)
    pages = [BeautifulSoup(given.text(file, 2 * MIB), "lxml") for file in (result, expected)]
    if strict and pages[0].text.strip() != pages[1].text.strip():
        return Score(0.0, "the texts of the pages differ")
    actual, target = (list(_nodes(page)) for page in pages)
    for one, other in zip_longest(actual, target) if strict else zip(actual, target, strict=False):
        left, right = (_content(side, ignore_sdnum=ignore) for side in (one, other))
        if left != right:
            return Score(0.0, f"the page has {shown(left)}, not {shown(right)}")
        if not strict and not _same_text(one, other):
            return Score(0.0, f"the texts in {shown(left)} differ")
    return verdict([], f"all {len(target)} nodes are equal")


def _same_text(one: PageElement | None, other: PageElement | None) -> bool:
    """Whether two tags have the same text, apart from surrounding blanks."""
    if not isinstance(one, Tag) or not isinstance(other, Tag):
        return True
    return one.text.strip() == other.text.strip()


def _nodes(page: BeautifulSoup) -> Iterator[PageElement]:
    for number, node in enumerate(page.descendants):
        if number > MOST_NODES:
            raise UnreadableError(f"a page has more than {MOST_NODES} nodes")
        yield node


def _content(node: PageElement | None, *, ignore_sdnum: bool) -> object:
    """The name and attributes of a tag, or a text."""
    if isinstance(node, Tag):
        attributes = {
            key: value for key, value in node.attrs.items() if not (ignore_sdnum and key == "sdnum")
        }
        return node.name, attributes
    return None if node is None else str(node)
