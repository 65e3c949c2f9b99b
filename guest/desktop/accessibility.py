"""Reads the desktop's accessibility tree, within bounds on depth, number of nodes and time."""

from __future__ import annotations

import functools
import threading
import time
from collections import deque
from typing import Any

from ambidex.mcp_tools.waiting import wait_for

__all__ = ["Registry", "library", "tree"]

LOCK = threading.Lock()
"""AT-SPI's library is not thread-safe."""
WITHIN = 2000
"""Milliseconds for an answer of the registry."""


@functools.cache
def library() -> Any:
    """AT-SPI's library, initialised once."""
    import gi

    gi.require_version("Atspi", "2.0")
    from gi.repository import Atspi

    Atspi.init()
    # An application that hangs must not use up the time of a request.
    Atspi.set_timeout(1000, 2000)
    return Atspi


class Registry:
    """AT-SPI's registry of applications, queried directly over D-Bus.

    The library would first query every new application, which takes a second or more while a large
    one is busy.
    """

    def __init__(self) -> None:
        self._bus: Any = None

    def applications(self) -> int:
        """The number of registered applications; a GLib error if the registry does not answer."""
        from gi.repository import Gio, GLib

        if self._bus is None or self._bus.is_closed():
            self._bus = self._connect()
        arguments = GLib.Variant("(ss)", ("org.a11y.atspi.Accessible", "ChildCount"))
        root = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
        get = ("org.freedesktop.DBus.Properties", "Get", arguments)
        options = (None, Gio.DBusCallFlags.NO_AUTO_START, WITHIN, None)
        count: int = self._bus.call_sync(*root, *get, *options).unpack()[0]
        return count

    def _connect(self) -> Any:
        from gi.repository import Gio

        bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
        options = (None, None, Gio.DBusCallFlags.NONE, WITHIN, None)
        get_address = ("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress")
        [address] = bus.call_sync(*get_address, *options).unpack()
        kind = Gio.DBusConnectionFlags
        flags = kind.AUTHENTICATION_CLIENT | kind.MESSAGE_BUS_CONNECTION
        return Gio.DBusConnection.new_for_address_sync(address, flags, None, None)


def tree(depth: int, nodes: int, seconds: float) -> dict[str, Any]:
    """The visible nodes, breadth first: {"tree", "nodes", "truncated"}.

    A node has role and name and, if they are not empty, states, rect [x, y, width, height], text
    and children.
    """
    with LOCK:
        return _Walk(library(), depth, nodes, time.monotonic() + seconds).walk()


class _Walk:
    def __init__(self, library: Any, depth: int, nodes: int, end: float) -> None:
        self._library = library
        self._depth = depth
        self._remaining = nodes
        self._end = end
        self._count = 0
        self._truncated = False

    def walk(self) -> dict[str, Any]:
        top: dict[str, Any] = {"role": "desktop", "children": []}
        desktop = self._library.get_desktop(0)

        def is_counted() -> bool:
            # The count is -1 while the library queries a new application.
            return bool(self._safely(desktop.get_child_count, -1) >= 0)

        if not wait_for(is_counted, self._end - time.monotonic()):
            self._truncated = True
        waiting = deque([(desktop, top, 0)])
        while waiting:
            parent, node, level = waiting.popleft()
            for child in self._children(parent):
                if self._remaining <= 0 or time.monotonic() > self._end:
                    self._truncated = True
                    return self._result(top)
                description = self._describe(child, level)
                if description is None:
                    continue
                self._remaining -= 1
                self._count += 1
                node.setdefault("children", []).append(description)
                if level + 1 < self._depth:
                    waiting.append((child, description, level + 1))
                elif self._safely(child.get_child_count, 0):
                    self._truncated = True
        return self._result(top)

    def _result(self, top: dict[str, Any]) -> dict[str, Any]:
        return {"tree": top, "nodes": self._count, "truncated": self._truncated}

    def _safely(self, query: Any, default: Any) -> Any:
        """The result of a query, or `default` if the application has ended or does not answer."""
        from gi.repository import GLib

        try:
            return query()
        except GLib.GError:
            return default

    def _children(self, parent: Any) -> Any:
        for number in range(min(self._safely(parent.get_child_count, 0), self._remaining + 1)):
            child = self._safely(lambda number=number: parent.get_child_at_index(number), None)
            if child is not None:
                yield child

    def _describe(self, node: Any, level: int) -> dict[str, Any] | None:
        states = self._safely(lambda: node.get_state_set().get_states(), [])
        kinds = self._library.StateType
        if level > 0 and kinds.SHOWING not in states:
            return None
        description: dict[str, Any] = {
            "role": self._safely(node.get_role_name, "unknown"),
            "name": self._safely(node.get_name, "") or "",
        }
        reported = (kinds.FOCUSED, kinds.SELECTED, kinds.CHECKED, kinds.EXPANDED, kinds.ACTIVE)
        names = [state.value_nick for state in reported if state in states]
        if names:
            description["states"] = names
        if level > 0:
            self._add_details(node, description)
        return description

    def _add_details(self, node: Any, description: dict[str, Any]) -> None:
        component = self._safely(node.get_component_iface, None)
        if component:
            screen = self._library.CoordType.SCREEN
            extents = self._safely(lambda: component.get_extents(screen), None)
            if extents:
                description["rect"] = [extents.x, extents.y, extents.width, extents.height]
        text = self._safely(node.get_text_iface, None)
        if text:
            length = min(self._safely(text.get_character_count, 0), 500)
            content = self._safely(lambda: text.get_text(0, length), "") if length > 0 else ""
            if content and content != description["name"]:
                description["text"] = content
