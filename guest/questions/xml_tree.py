"""The accessibility tree as XML, in the form that OSWorld's tasks expect.

Each node is an element named by its role, with states, position and text.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Optional, TypeVar
from xml.etree import ElementTree

from ambidex.guest.desktop.accessibility import library
from ambidex.mcp_tools import ToolError

__all__ = ["address", "terminal", "xml"]

T = TypeVar("T")
SPACE = "https://accessibility.ubuntu.example.org/ns/"
PREFIXES = {
    "st": "state", "attr": "attributes", "cp": "component", "doc": "document",
    "docattr": "document/attributes", "txt": "text", "val": "value", "act": "action",
}  # fmt: skip
DEEPEST, WIDEST = 50, 1024
TEXT = 200_000
"""Maximum characters of one node."""
NAME = re.compile(r"[^\w.-]+")
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
PLACEHOLDERS = str.maketrans("", "", "\ufffc\ufffd")
BROWSERS = ("Google Chrome", "Chromium")
BAR = "Address and search bar"


def xml(within: float, nodes: int = 200_000) -> str:
    """The complete tree; `ToolError` if it exceeds that many seconds or nodes."""
    walk = _Walk(time.monotonic() + within, nodes)
    for prefix, name in PREFIXES.items():
        ElementTree.register_namespace(prefix, SPACE + name)
    top = ElementTree.Element("desktop-frame")
    for application in walk.children(_desktop()):
        top.append(walk.element(application, 1))
    return ElementTree.tostring(top, encoding="unicode")


def terminal() -> Optional[str]:
    """The text of the terminal that has the keyboard focus; None if there is none."""
    walk = _Walk(time.monotonic() + 20, 5000)
    states = library().StateType
    for application in walk.children(_desktop()):
        if walk.name(application) != "gnome-terminal-server":
            continue
        for frame in walk.children(application):
            if states.ACTIVE not in walk.states(frame):
                continue
            terminals = [
                node
                for node in walk.find(frame, lambda node: walk.role(node) == "terminal")
                if states.FOCUSED in walk.states(node)
            ]
            if len(terminals) == 1:
                return walk.text(terminals[0]).rstrip()
    return None


def address() -> Optional[str]:
    """The text of the browser's address bar; None if it is empty or there is none."""
    walk = _Walk(time.monotonic() + 20, 5000)

    def is_bar(node: Any) -> bool:
        return walk.role(node) == "entry" and walk.name(node) == BAR

    for application in walk.children(_desktop()):
        if walk.name(application) in BROWSERS:
            bars = list(walk.find(application, is_bar))
            texts = [walk.text(bar) for bar in bars]
            if texts and texts[-1]:
                return texts[0]
    return None


def _desktop() -> Any:
    return library().get_desktop(0)


class _Walk:
    """A walk through a tree that may change meanwhile; a node that is gone has no children."""

    def __init__(self, end: float, nodes: int) -> None:
        self._end = end
        self._remaining = nodes

    def safely(self, query: Callable[[], T], default: T) -> T:
        """The result of a query, or `default` if the application does not answer."""
        from gi.repository import GLib

        try:
            return query()
        except GLib.GError:
            return default

    def children(self, node: Any) -> Iterator[Any]:
        """The children of a node; `ToolError` if a bound is exceeded."""
        for number in range(min(self.safely(node.get_child_count, 0), WIDEST)):
            self._remaining -= 1
            if self._remaining < 0 or time.monotonic() > self._end:
                message = "The accessibility tree is too large or too slow."
                raise ToolError(message, code="too_much")
            child = self.safely(partial(node.get_child_at_index, number), None)
            if child is not None:
                yield child

    def find(self, node: Any, matches: Callable[[Any], bool]) -> Iterator[Any]:
        """The descendants that match, without those in web pages, which are large."""
        for child in self.children(node):
            if matches(child):
                yield child
            elif self.role(child) != "document web":
                yield from self.find(child, matches)

    def role(self, node: Any) -> str:
        """The node's role, by AT-SPI's name."""
        return self.safely(node.get_role_name, "").strip()

    def name(self, node: Any) -> str:
        """The node's name."""
        return self.safely(node.get_name, "") or ""

    def states(self, node: Any) -> list[Any]:
        """The node's states."""
        return list(self.safely(lambda: node.get_state_set().get_states(), []))

    def text(self, node: Any) -> str:
        """The node's text, without placeholders of embedded objects."""
        text_iface = self.safely(node.get_text_iface, None)
        if text_iface is None:
            return ""
        length = min(self.safely(text_iface.get_character_count, 0), TEXT)
        text = self.safely(lambda: text_iface.get_text(0, length), "") if length > 0 else ""
        return NOT_XML.sub("", (text or "").translate(PLACEHOLDERS))

    def element(self, node: Any, depth: int) -> ElementTree.Element:
        """The element of a node, with its descendants."""
        states = self.states(node)
        role = NAME.sub("-", self.role(node) or "unknown").strip("-") or "unknown"
        element = ElementTree.Element(role, self._attributes(node, states))
        element.text = self.text(node) or None
        if depth < DEEPEST:
            kinds = library().StateType
            is_sheet = role == "table" and kinds.MANAGES_DESCENDANTS in states
            for child in self.children(node):
                # A sheet has a million cells: only the visible ones are included.
                if not is_sheet or kinds.SHOWING in self.states(child):
                    element.append(self.element(child, depth + 1))
        return element

    def _attributes(self, node: Any, states: list[Any]) -> dict[str, str]:
        kinds = library().StateType
        result = {"name": self.name(node)}
        for state in states:
            result[f"{{{SPACE}state}}{state.value_nick.replace('-', '_')}"] = "true"
        attributes: dict[str, str] = self.safely(node.get_attributes, {}) or {}
        for key, value in attributes.items():
            if key:
                result[f"{{{SPACE}attributes}}{NAME.sub('-', key)}"] = value
        if kinds.VISIBLE in states and kinds.SHOWING in states:
            component = self.safely(node.get_component_iface, None)
            screen = library().CoordType.SCREEN
            extents = (
                self.safely(lambda: component.get_extents(screen), None) if component else None
            )
            if extents:
                result[f"{{{SPACE}component}}screencoord"] = str((extents.x, extents.y))
                result[f"{{{SPACE}component}}size"] = str((extents.width, extents.height))
        if self.safely(node.get_image_iface, None):
            result["image"] = "true"
        if self.safely(node.get_selection_iface, None):
            result["selection"] = "true"
        self._add_value(node, result)
        self._add_actions(node, result)
        return {key: NOT_XML.sub("", value) for key, value in result.items()}

    def _add_value(self, node: Any, result: dict[str, str]) -> None:
        value_iface = self.safely(node.get_value_iface, None)
        if value_iface:
            queries = {
                "value": value_iface.get_current_value,
                "min": value_iface.get_minimum_value,
                "max": value_iface.get_maximum_value,
                "step": value_iface.get_minimum_increment,
            }
            for key, query in queries.items():
                result[f"{{{SPACE}value}}{key}"] = str(self.safely(query, 0.0))

    def _add_actions(self, node: Any, result: dict[str, str]) -> None:
        action_iface = self.safely(node.get_action_iface, None)
        for number in range(self.safely(action_iface.get_n_actions, 0) if action_iface else 0):
            with contextlib.suppress(AttributeError):
                name = self.safely(partial(action_iface.get_action_name, number), "") or ""
                about = self.safely(partial(action_iface.get_action_description, number), "")
                keys = self.safely(partial(action_iface.get_key_binding, number), "")
                key = NAME.sub("-", name)
                if key:
                    result[f"{{{SPACE}action}}{key}_desc"] = about or ""
                    result[f"{{{SPACE}action}}{key}_kb"] = keys or ""
