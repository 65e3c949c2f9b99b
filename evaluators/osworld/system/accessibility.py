"""Metrics on the accessibility tree of the desktop."""

from __future__ import annotations

import re
from functools import cache
from typing import Annotated, Any, Literal, NotRequired

from cssselect import SelectorError
from lxml import etree
from lxml.cssselect import CSSSelector
from pydantic import AfterValidator
from rapidfuzz import fuzz
from typing_extensions import TypedDict

from ambidex.evaluators import Score
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.answers import text_of, tree
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric

PARTS = {
    "st": "state",
    "attr": "attributes",
    "cp": "component",
    "doc": "document",
    "docattr": "document/attributes",
    "txt": "text",
    "val": "value",
    "act": "action",
    "class": "class",
    "role": "role",
}
LACKING = {
    "ubuntu": {"class", "role"},
    "windows": {"role"},
    "macos": {"docattr", "class"},
}
"""Prefixes missing from the tree of each system."""
System = Literal["ubuntu", "windows", "macos"]
DECLARED = re.compile(r"\s*<\?xml[^>]*\sencoding\s*=")
LARGEST = 32 * 1024 * 1024


class Element(TypedDict):
    """An element that must exist, given by an XPath or else by alternative CSS selectors, with an
    optional text that must match exactly or approximately."""

    xpath: NotRequired[str]
    selectors: NotRequired[list[str]]
    text: NotRequired[str | None]
    exact: NotRequired[Any]


def _check_selector(element: Element) -> Element:
    """Return the element; `ValueError` if its selector can match no tree."""
    try:
        matches = _search(element, _system_of(element))(etree.Element("desktop-frame"))
    except (etree.XPathError, SelectorError, RecursionError) as error:
        raise ValueError(f"the selector is invalid: {error}") from None
    if not isinstance(matches, list | str):
        raise ValueError("the XPath yields a value instead of elements")
    return element


Elements = list[Annotated[Element, AfterValidator(_check_selector)]]


@metric(
    repairs=(
        "An element without text has the empty text: upstream considers no text equal to null "
        "only.",
        "`exact` defaults to true, as upstream documents it: upstream ends in an exception if "
        "`exact` is missing.",
        "A tree that declares its encoding is accepted: upstream ends in an exception at it.",
    )
)
def check_accessibility_tree(
    result: Value, expected: Elements, *, osname: System = "ubuntu", strict: bool
) -> Score:
    """Every element of the rules is in the tree; texts may match partly.

    Prefixes are st, attr, cp, doc, docattr, txt, val and act. The score is the product over all
    rules of 1 or, for a rule with `text`, of the similarity (0…1) of the best matching element.
    """
    text = text_of(result, LARGEST)
    if not strict and DECLARED.match(text):
        raise UpstreamRaisesError("the tree declares an encoding")
    root = tree(text, "the accessibility tree")
    score = 1.0
    for rule in expected:
        elements = _find(rule, osname, root)
        if not elements:
            return Score(0.0, f"no element of the tree matches {_shown(rule)}")
        if "text" in rule:
            score *= max(_similarity(rule, element, strict=strict) for element in elements)
    return Score(score, f"all {len(expected)} elements are in the tree")


@metric()
def check_left_panel(result: Value) -> Score:
    """Impress shows its slide panel: the tree has a document frame "Slides View"."""
    root = tree(text_of(result, LARGEST), "the accessibility tree")
    visible = any(frame.get("name") == "Slides View" for frame in root.iter("document-frame"))
    return Score(float(visible), f"the slide panel is {'visible' if visible else 'hidden'}")


def _find(rule: Element, system: System, root: etree._Element) -> Any:
    try:
        return _search(rule, system)(root)
    except etree.XPathError as error:
        raise UpstreamRaisesError(f"{_shown(rule)} cannot be evaluated: {error}") from error


def _search(rule: Element, system: System) -> etree.XPath:
    if "xpath" in rule:
        return _xpath(rule["xpath"], system)
    if rule.get("selectors"):
        return _selector(", ".join(rule["selectors"]), system)
    raise ValueError("needs `xpath` or `selectors`")


def _system_of(rule: Element) -> System:
    """A system whose prefixes fit the rule, since the option that names it is not known at load."""
    path = rule.get("xpath") or ", ".join(rule.get("selectors", []))
    if re.search(r"\bclass[:|]", path):
        return "windows"
    return "macos" if re.search(r"\brole[:|]", path) else "ubuntu"


def _namespaces(system: System) -> dict[str, str]:
    return {
        prefix: f"https://accessibility.{system}.example.org/ns/{name}"
        for prefix, name in PARTS.items()
        if prefix not in LACKING[system]
    }


@cache
def _xpath(path: str, system: System) -> etree.XPath:
    return etree.XPath(path, namespaces=_namespaces(system))


@cache
def _selector(selector: str, system: System) -> etree.XPath:
    return CSSSelector(selector, namespaces=_namespaces(system))


def _similarity(rule: Element, element: Any, *, strict: bool) -> float:
    target = rule["text"]
    if strict:
        text = getattr(element, "text", None) or ""
        exact = rule.get("exact", True)
    else:
        if isinstance(element, str) or "exact" not in rule:
            raise UpstreamRaisesError("a rule with `text` must select elements and set `exact`")
        text, exact = element.text or None, rule["exact"]
    if exact:
        return float(text == target)
    if target is None or text is None:
        return 0.0
    return float(fuzz.ratio(target, text) / 100)


def _shown(rule: Element) -> str:
    return rule.get("xpath") or ", ".join(rule.get("selectors", []))
