"""The accessibility tree as XML in the form that OSWorld's tasks are written for: an element per
node, named by its role, with states, place and text.
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
"""Characters of one node."""
NAME = re.compile(r"[^\w.-]+")
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
PLACEHOLDERS = str.maketrans("", "", "\ufffc\ufffd")
BROWSERS = ("Google Chrome", "Chromium")
BAR = "Address and search bar"


def xml(within: float, nodes: int = 200_000) -> str:
    """The whole tree; `ToolError` where it is not done within so many seconds or nodes."""
    walk = _Walk(time.monotonic() + within, nodes)
    for prefix, name in PREFIXES.items():
        ElementTree.register_namespace(prefix, SPACE + name)
    top = ElementTree.Element("desktop-frame")
    for application in walk.children(_desktop()):
        top.append(walk.element(application, 1))
    return ElementTree.tostring(top, encoding="unicode")


def terminal() -> Optional[str]:
    """The text of the terminal that has the keyboard; None where none has it."""
    walk = _Walk(time.monotonic() + 20, 5000)
    states = library().StateType
    for application in walk.children(_desktop()):
        if walk.name(application) != "gnome-terminal-server":
            continue
        for frame in walk.children(application):
            if states.ACTIVE not in walk.states(frame):
                continue
            found = [
                node
                for node in walk.below(frame, lambda node: walk.role(node) == "terminal")
                if states.FOCUSED in walk.states(node)
            ]
            if len(found) == 1:
                return walk.text(found[0]).rstrip()
    return None


def address() -> Optional[str]:
    """What stands in the address bar of the browser; None where there is none, or nothing in it."""
    walk = _Walk(time.monotonic() + 20, 5000)

    def is_bar(node: Any) -> bool:
        return walk.role(node) == "entry" and walk.name(node) == BAR

    for application in walk.children(_desktop()):
        if walk.name(application) in BROWSERS:
            bars = list(walk.below(application, is_bar))
            texts = [walk.text(bar) for bar in bars]
            if texts and texts[-1]:
                return texts[0]
    return None


def _desktop() -> Any:
    return library().get_desktop(0)


class _Walk:
    """A walk through a tree that others change meanwhile: what has gone has nothing below it."""

    def __init__(self, end: float, nodes: int) -> None:
        self._end = end
        self._left = nodes

    def safely(self, ask: Callable[[], T], otherwise: T) -> T:
        """What an application answers, or `otherwise`."""
        from gi.repository import GLib

        try:
            return ask()
        except GLib.GError:
            return otherwise

    def children(self, node: Any) -> Iterator[Any]:
        """Those of a node, as far as the bounds go."""
        for number in range(min(self.safely(node.get_child_count, 0), WIDEST)):
            self._left -= 1
            if self._left < 0 or time.monotonic() > self._end:
                message = "The accessibility tree is too large or too slow."
                raise ToolError(message, code="too_much")
            child = self.safely(partial(node.get_child_at_index, number), None)
            if child is not None:
                yield child

    def below(self, node: Any, wanted: Callable[[Any], bool]) -> Iterator[Any]:
        """Those that are wanted, pages left out: they are large, and no part of a window."""
        for child in self.children(node):
            if wanted(child):
                yield child
            elif self.role(child) != "document web":
                yield from self.below(child, wanted)

    def role(self, node: Any) -> str:
        """Its role, in AT-SPI's words."""
        return self.safely(node.get_role_name, "").strip()

    def name(self, node: Any) -> str:
        """Its name."""
        return self.safely(node.get_name, "") or ""

    def states(self, node: Any) -> list[Any]:
        """Its states."""
        return list(self.safely(lambda: node.get_state_set().get_states(), []))

    def text(self, node: Any) -> str:
        """Its text, without what stands for things that are no text."""
        part = self.safely(node.get_text_iface, None)
        if part is None:
            return ""
        length = min(self.safely(part.get_character_count, 0), TEXT)
        said = self.safely(lambda: part.get_text(0, length), "") if length > 0 else ""
        return NOT_XML.sub("", (said or "").translate(PLACEHOLDERS))

    def element(self, node: Any, depth: int) -> ElementTree.Element:
        """A node with all below it."""
        states = self.states(node)
        role = NAME.sub("-", self.role(node) or "unknown").strip("-") or "unknown"
        found = ElementTree.Element(role, self._attributes(node, states))
        found.text = self.text(node) or None
        if depth < DEEPEST:
            kinds = library().StateType
            sheet = role == "table" and kinds.MANAGES_DESCENDANTS in states
            for child in self.children(node):
                # Of a sheet with its million cells only what is shown.
                if not sheet or kinds.SHOWING in self.states(child):
                    found.append(self.element(child, depth + 1))
        return found

    def _attributes(self, node: Any, states: list[Any]) -> dict[str, str]:
        kinds = library().StateType
        said = {"name": self.name(node)}
        said |= {f"{{{SPACE}state}}{each.value_nick.replace('-', '_')}": "true" for each in states}
        known: dict[str, str] = self.safely(node.get_attributes, {}) or {}
        for key, value in known.items():
            if key:
                said[f"{{{SPACE}attributes}}{NAME.sub('-', key)}"] = value
        if kinds.VISIBLE in states and kinds.SHOWING in states:
            part = self.safely(node.get_component_iface, None)
            screen = library().CoordType.SCREEN
            shape = self.safely(lambda: part.get_extents(screen), None) if part else None
            if shape:
                said[f"{{{SPACE}component}}screencoord"] = str((shape.x, shape.y))
                said[f"{{{SPACE}component}}size"] = str((shape.width, shape.height))
        if self.safely(node.get_image_iface, None):
            said["image"] = "true"
        if self.safely(node.get_selection_iface, None):
            said["selection"] = "true"
        self._add_value(node, said)
        self._add_actions(node, said)
        return {key: NOT_XML.sub("", value) for key, value in said.items()}

    def _add_value(self, node: Any, said: dict[str, str]) -> None:
        part = self.safely(node.get_value_iface, None)
        if part:
            asked = {
                "value": part.get_current_value,
                "min": part.get_minimum_value,
                "max": part.get_maximum_value,
                "step": part.get_minimum_increment,
            }
            for key, ask in asked.items():
                said[f"{{{SPACE}value}}{key}"] = str(self.safely(ask, 0.0))

    def _add_actions(self, node: Any, said: dict[str, str]) -> None:
        part = self.safely(node.get_action_iface, None)
        for number in range(self.safely(part.get_n_actions, 0) if part else 0):
            with contextlib.suppress(AttributeError):
                name = self.safely(partial(part.get_action_name, number), "") or ""
                about = self.safely(partial(part.get_action_description, number), "")
                keys = self.safely(partial(part.get_key_binding, number), "")
                key = NAME.sub("-", name)
                if key:
                    said[f"{{{SPACE}action}}{key}_desc"] = about or ""
                    said[f"{{{SPACE}action}}{key}_kb"] = keys or ""
