"""What stands in the accessibility tree of the desktop."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, NotRequired

from cssselect import SelectorError
from lxml import etree
from lxml.cssselect import CSSSelector
from pydantic import AfterValidator
from rapidfuzz import fuzz
from typing_extensions import TypedDict

from evaluators import Score
from evaluators.osworld import Value
from evaluators.osworld.answers import said, tree
from evaluators.osworld.registry import metric

NAMESPACES = {
    prefix: f"https://accessibility.ubuntu.example.org/ns/{name}"
    for prefix, name in {
        "st": "state",
        "attr": "attributes",
        "cp": "component",
        "doc": "document",
        "docattr": "document/attributes",
        "txt": "text",
        "val": "value",
        "act": "action",
    }.items()
}
LARGEST = 32 * 1024 * 1024


class Element(TypedDict):
    """An element that must be there: by an XPath or, if there is none, by CSS selectors, any of
    which will do; with a text, exactly or as near as it comes."""

    xpath: NotRequired[str]
    selectors: NotRequired[list[str]]
    text: NotRequired[str]
    exact: NotRequired[bool]


def _findable(element: Element) -> Element:
    """The element itself; `ValueError` where no tree could hold it."""
    try:
        found = _search(element)(etree.Element("desktop-frame"))
    except (etree.XPathError, SelectorError, RecursionError) as error:
        raise ValueError(f"it selects nothing that could be: {error}") from None
    if not isinstance(found, list):
        raise ValueError("it selects no elements, it is a value")
    return element


Elements = list[Annotated[Element, AfterValidator(_findable)]]


@metric()
def check_accessibility_tree(result: Value, expected: Elements) -> Score:
    """Every element of the rules is in the tree; a fraction where a text is only nearly right.

    Prefixes are st, attr, cp, doc, docattr, txt, val and act. The score is the product over the
    rules of 1, or with `text` of how near (0…1) the text of the best element comes to it.
    """
    root = tree(said(result, LARGEST), "the accessibility tree")
    score = 1.0
    for rule in expected:
        found: list[Any] = _search(rule)(root)
        if not found:
            return Score(0.0, f"nothing in the tree is {_shown(rule)}")
        if "text" in rule:
            score *= max(_near(rule, each) for each in found)
    return Score(score, f"all {len(expected)} elements are in the tree")


@metric()
def check_left_panel(result: Value) -> Score:
    """Impress shows its panel of slides: a document frame "Slides View" is in the tree."""
    root = tree(said(result, LARGEST), "the accessibility tree")
    found = any(each.get("name") == "Slides View" for each in root.iter("document-frame"))
    return Score(float(found), f"the panel of slides is {'' if found else 'not '}there")


def _search(rule: Element) -> etree.XPath:
    if "xpath" in rule:
        return _xpath(rule["xpath"])
    if rule.get("selectors"):
        return _selector(", ".join(rule["selectors"]))
    raise ValueError("an xpath, or selectors")


@cache
def _xpath(path: str) -> etree.XPath:
    return etree.XPath(path, namespaces=NAMESPACES)


@cache
def _selector(selector: str) -> etree.XPath:
    return CSSSelector(selector, namespaces=NAMESPACES)


def _near(rule: Element, element: Any) -> float:
    text = getattr(element, "text", None) or ""
    if rule.get("exact", True):
        return float(text == rule["text"])
    return float(fuzz.ratio(rule["text"], text) / 100)


def _shown(rule: Element) -> str:
    return rule.get("xpath") or ", ".join(rule.get("selectors", []))
