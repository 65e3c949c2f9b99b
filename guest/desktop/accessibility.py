"""The accessibility tree of the desktop, as far as a bound on its depth, its nodes and the time
allows.
"""

from __future__ import annotations

import functools
import threading
import time
from collections import deque
from typing import Any

from ambidex.mcp_tools.waiting import wait_for

__all__ = ["Registry", "library", "tree"]

LOCK = threading.Lock()
"""The library below is not for several threads."""
WITHIN = 2000
"""Milliseconds for an answer of the registry."""


@functools.cache
def library() -> Any:
    """AT-SPI's own library, opened once."""
    import gi

    gi.require_version("Atspi", "2.0")
    from gi.repository import Atspi

    Atspi.init()
    # An application that hangs must not take the whole time of a request.
    Atspi.set_timeout(1000, 2000)
    return Atspi


class Registry:
    """The registry of those that take part, asked by itself: the library below would first hear
    out every application that is new, for a second and more while a large one is busy.
    """

    def __init__(self) -> None:
        self._bus: Any = None

    def applications(self) -> int:
        """How many applications take part; GLib's error says why there are none to ask."""
        from gi.repository import Gio, GLib

        if self._bus is None or self._bus.is_closed():
            self._bus = self._connected()
        asked = GLib.Variant("(ss)", ("org.a11y.atspi.Accessible", "ChildCount"))
        root = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
        get = ("org.freedesktop.DBus.Properties", "Get", asked)
        quick = (None, Gio.DBusCallFlags.NO_AUTO_START, WITHIN, None)
        count: int = self._bus.call_sync(*root, *get, *quick).unpack()[0]
        return count

    def _connected(self) -> Any:
        from gi.repository import Gio

        bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
        quick = (None, None, Gio.DBusCallFlags.NONE, WITHIN, None)
        place = ("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress")
        [address] = bus.call_sync(*place, *quick).unpack()
        kind = Gio.DBusConnectionFlags
        flags = kind.AUTHENTICATION_CLIENT | kind.MESSAGE_BUS_CONNECTION
        return Gio.DBusConnection.new_for_address_sync(address, flags, None, None)


def tree(depth: int, nodes: int, seconds: float) -> dict[str, Any]:
    """What is shown, breadth first: {"tree", "nodes", "truncated"}.

    A node has role and name and, where they say something, states, rect [x, y, width, height], text
    and children.
    """
    with LOCK:
        return _Walk(library(), depth, nodes, time.monotonic() + seconds).walk()


class _Walk:
    def __init__(self, library: Any, depth: int, nodes: int, end: float) -> None:
        self._library = library
        self._depth = depth
        self._left = nodes
        self._end = end
        self._count = 0
        self._truncated = False

    def walk(self) -> dict[str, Any]:
        top: dict[str, Any] = {"role": "desktop", "children": []}
        desktop = self._library.get_desktop(0)

        def counted() -> bool:
            # It says -1 while it hears out an application that is new.
            return bool(self._safely(desktop.get_child_count, -1) >= 0)

        if not wait_for(counted, self._end - time.monotonic()):
            self._truncated = True
        waiting = deque([(desktop, top, 0)])
        while waiting:
            parent, node, level = waiting.popleft()
            for child in self._children(parent):
                if self._left <= 0 or time.monotonic() > self._end:
                    self._truncated = True
                    return self._result(top)
                described = self._describe(child, level)
                if described is None:
                    continue
                self._left -= 1
                self._count += 1
                node.setdefault("children", []).append(described)
                if level + 1 < self._depth:
                    waiting.append((child, described, level + 1))
                elif self._safely(child.get_child_count, 0):
                    self._truncated = True
        return self._result(top)

    def _result(self, top: dict[str, Any]) -> dict[str, Any]:
        return {"tree": top, "nodes": self._count, "truncated": self._truncated}

    def _safely(self, ask: Any, otherwise: Any) -> Any:
        """What an application answers, or `otherwise` if it has gone or does not answer: a tree is
        a moving thing.
        """
        from gi.repository import GLib

        try:
            return ask()
        except GLib.GError:
            return otherwise

    def _children(self, parent: Any) -> Any:
        for number in range(min(self._safely(parent.get_child_count, 0), self._left + 1)):
            child = self._safely(lambda number=number: parent.get_child_at_index(number), None)
            if child is not None:
                yield child

    def _describe(self, node: Any, level: int) -> dict[str, Any] | None:
        states = self._safely(lambda: node.get_state_set().get_states(), [])
        kinds = self._library.StateType
        if level > 0 and kinds.SHOWING not in states:
            return None
        found: dict[str, Any] = {
            "role": self._safely(node.get_role_name, "unknown"),
            "name": self._safely(node.get_name, "") or "",
        }
        telling = (kinds.FOCUSED, kinds.SELECTED, kinds.CHECKED, kinds.EXPANDED, kinds.ACTIVE)
        said = [state.value_nick for state in telling if state in states]
        if said:
            found["states"] = said
        if level > 0:
            self._add_details(node, found)
        return found

    def _add_details(self, node: Any, found: dict[str, Any]) -> None:
        part = self._safely(node.get_component_iface, None)
        if part:
            screen = self._library.CoordType.SCREEN
            shape = self._safely(lambda: part.get_extents(screen), None)
            if shape:
                found["rect"] = [shape.x, shape.y, shape.width, shape.height]
        text = self._safely(node.get_text_iface, None)
        if text:
            length = min(self._safely(text.get_character_count, 0), 500)
            content = self._safely(lambda: text.get_text(0, length), "") if length > 0 else ""
            if content and content != found["name"]:
                found["text"] = content
