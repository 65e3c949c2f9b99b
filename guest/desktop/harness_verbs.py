"""The operations of the worker `harness` on a desktop, which the desktop user executes.

Those that need no desktop are in `guest.commands`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, Optional

from ambidex.guest import HarnessError, commands
from ambidex.guest.commands import Operation
from ambidex.guest.desktop import accessibility
from ambidex.guest.wire import WorkerReply
from ambidex.mcp_tools.display import x11
from ambidex.mcp_tools.waiting import wait_for

__all__ = ["operations"]


def operations() -> dict[str, Operation]:
    """All operations by name; opens the display."""
    from ambidex.guest.desktop.frames import Screen

    screen = Screen()
    display = x11.display()
    registry = accessibility.Registry()
    lock = threading.Lock()

    def windows() -> list[x11.Window]:
        with lock:
            return x11.windows(display)

    def screenshot(given: dict[str, Any], body: bytes) -> WorkerReply:
        frame = screen.frame(**given)
        head = {name: value for name, value in vars(frame).items() if name != "body"}
        if frame.rect:
            head["rect"] = list(vars(frame.rect).values())
        return WorkerReply(head, frame.body)

    def wait_window(given: dict[str, Any], body: bytes) -> WorkerReply:
        return WorkerReply(vars(wait_for_window(windows, given["title"], given["timeout"])))

    def check(given: dict[str, Any], body: bytes) -> WorkerReply:
        with lock:
            return WorkerReply({"checks": checks(display, registry), "screen": x11.size(display)})

    def renew(given: dict[str, Any], body: bytes) -> WorkerReply:
        screen.renew()
        return check(given, body)

    def accessible(given: dict[str, Any], body: bytes) -> WorkerReply:
        return WorkerReply(accessibility.tree(**given))

    return {
        "screenshot": screenshot,
        "renew": renew,
        "wait_window": wait_window,
        "check": check,
        "accessible": accessible,
        **commands.operations(),
    }


SESSION_FAILED = "gnome-session-failed"
"""The application whose window reports that the session has failed."""


def wait_for_window(
    windows: Callable[[], list[x11.Window]], title: str, within: float
) -> x11.Window:
    """Wait for a window whose title contains `title`, ignoring case; 408 with the existing titles
    if none appears.
    """

    def find() -> Optional[x11.Window]:
        return next((window for window in windows() if title.lower() in window.title.lower()), None)

    window = wait_for(find, within)
    if window is None:
        titles = ", ".join(repr(other.title) for other in windows()) or "none"
        message = f"No window with {title!r} in its title after {within:g} s. Windows: {titles}."
        raise HarnessError(message, code="no_window", status=408)
    return window


def checks(display: Any, registry: accessibility.Registry) -> dict[str, dict[str, Any]]:
    """The state of each part of the session."""
    manager = x11.window_manager(display)
    vendor = str(display.display.info.vendor)
    results = {
        "display": {"ok": True, "seen": f"{os.environ['DISPLAY']}, {vendor}"},
        "window manager": {"ok": bool(manager), "seen": manager or "none has announced itself"},
        "desktop": check_desktop(x11.apps(display)),
    }
    return {**results, **session_bus(), "accessibility": accessibility_bus(registry)}


def check_desktop(apps: list[str]) -> dict[str, Any]:
    """Whether the session has not failed; a failed one shows a window that only offers a logout."""
    failed = SESSION_FAILED in map(str.lower, apps)
    return {"ok": not failed, "seen": f"{SESSION_FAILED} has a window" if failed else "whole"}


def session_bus() -> dict[str, dict[str, Any]]:
    """Whether the session bus answers, whether the session has finished starting, and whether the
    screen is locked.
    """
    from gi.repository import Gio, GLib

    def call(name: str, path: str, method: str) -> Any:
        """Call a method of the owner of a bus name; None if the name has no owner."""
        options = (None, None, Gio.DBusCallFlags.NO_AUTO_START, 2000, None)
        try:
            return bus.call_sync(name, path, name, method, *options).unpack()[0]
        except GLib.GError as error:
            absent = (Gio.DBusError.SERVICE_UNKNOWN, Gio.DBusError.NAME_HAS_NO_OWNER)
            if any(error.matches(Gio.DBusError.quark(), code) for code in absent):
                return None
            raise

    try:
        bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
        running = call("org.gnome.SessionManager", "/org/gnome/SessionManager", "IsSessionRunning")
        locked = call("org.gnome.ScreenSaver", "/org/gnome/ScreenSaver", "GetActive")
    except GLib.GError as error:
        return {"session bus": {"ok": False, "seen": str(error)}}
    started = running is None or running
    seen = "no screen saver" if locked is None else "locked" if locked else "unlocked"
    return {
        "session bus": {"ok": True, "seen": os.environ["DBUS_SESSION_BUS_ADDRESS"]},
        "session": {"ok": started, "seen": "running" if started else "still starting programs"},
        "screen": {"ok": not locked, "seen": seen},
    }


def accessibility_bus(registry: accessibility.Registry) -> dict[str, Any]:
    """Whether the accessibility registry answers."""
    from gi.repository import GLib

    try:
        count = registry.applications()
    except GLib.GError as error:
        return {"ok": False, "seen": str(error)}
    return {"ok": count > 0, "seen": f"{count} applications"}
