"""What stands in the accessibility tree of the desktop."""

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
from ambidex.evaluators.osworld.answers import said, tree
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
"""Prefixes that a system's tree does not have."""
System = Literal["ubuntu", "windows", "macos"]
DECLARED = re.compile(r"\s*<\?xml[^>]*\sencoding\s*=")
LARGEST = 32 * 1024 * 1024


class Element(TypedDict):
    """An element that must be there: by an XPath or, if there is none, by CSS selectors, any of
    which will do; with a text, exactly or as near as it comes."""

    xpath: NotRequired[str]
    selectors: NotRequired[list[str]]
    text: NotRequired[str | None]
    exact: NotRequired[Any]


def _findable(element: Element) -> Element:
    """The element itself; `ValueError` where no tree could hold it."""
    try:
        found = _search(element, _system_of(element))(etree.Element("desktop-frame"))
    except (etree.XPathError, SelectorError, RecursionError) as error:
        raise ValueError(f"it selects nothing that could be: {error}") from None
    if not isinstance(found, list | str):
        raise ValueError("it selects no elements, it is a value")
    return element


Elements = list[Annotated[Element, AfterValidator(_findable)]]


@metric(
    repairs=(
        "An element without text has the empty text: upstream holds it equal to null alone.",
        "`exact` is true where a rule does not say it, as upstream's description has it: upstream "
        "ends in an exception there.",
        "A tree that declares its encoding is read: upstream ends in an exception.",
    )
)
def check_accessibility_tree(
    result: Value, expected: Elements, *, osname: System = "ubuntu", strict: bool
) -> Score:
    """Every element of the rules is in the tree; a fraction where a text is only nearly right.

    Prefixes are st, attr, cp, doc, docattr, txt, val and act. The score is the product over the
    rules of 1, or with `text` of how near (0…1) the text of the best element comes to it.
    """
    text = said(result, LARGEST)
    if not strict and DECLARED.match(text):
        raise UpstreamRaisesError("the tree declares an encoding")
    root = tree(text, "the accessibility tree")
    score = 1.0
    for rule in expected:
        found = _found(rule, osname, root)
        if not found:
            return Score(0.0, f"nothing in the tree is {_shown(rule)}")
        if "text" in rule:
            score *= max(_near(rule, each, strict=strict) for each in found)
    return Score(score, f"all {len(expected)} elements are in the tree")


@metric()
def check_left_panel(result: Value) -> Score:
    """Impress shows its panel of slides: a document frame "Slides View" is in the tree."""
    root = tree(said(result, LARGEST), "the accessibility tree")
    found = any(element.get("name") == "Slides View" for element in root.iter("document-frame"))
    return Score(float(found), f"the panel of slides is {'' if found else 'not '}there")


def _found(rule: Element, system: System, root: etree._Element) -> Any:
    try:
        return _search(rule, system)(root)
    except etree.XPathError as error:
        raise UpstreamRaisesError(f"{_shown(rule)} cannot be sought: {error}") from error


def _search(rule: Element, system: System) -> etree.XPath:
    if "xpath" in rule:
        return _xpath(rule["xpath"], system)
    if rule.get("selectors"):
        return _selector(", ".join(rule["selectors"]), system)
    raise ValueError("an xpath, or selectors")


def _system_of(rule: Element) -> System:
    """A system whose prefixes fit the rule: the option that names it is not known at load."""
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


def _near(rule: Element, element: Any, *, strict: bool) -> float:
    target = rule["text"]
    if strict:
        text = getattr(element, "text", None) or ""
        exact = rule.get("exact", True)
    else:
        if isinstance(element, str) or "exact" not in rule:
            raise UpstreamRaisesError("a rule with `text` is about elements, and says `exact`")
        text, exact = element.text or None, rule["exact"]
    if exact:
        return float(text == target)
    if target is None or text is None:
        return 0.0
    return float(fuzz.ratio(target, text) / 100)


def _shown(rule: Element) -> str:
    return rule.get("xpath") or ", ".join(rule.get("selectors", []))
