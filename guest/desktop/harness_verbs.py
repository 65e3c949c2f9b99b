"""What the host may ask of the desktop: the verbs of the worker `harness`, run as the desktop
user.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Optional

from ambidex.guest import HarnessError
from ambidex.guest.desktop import accessibility
from ambidex.guest.wire import Answer
from ambidex.mcp_tools.display import x11
from ambidex.mcp_tools.waiting import wait_for

__all__ = ["verbs"]

OUTPUT = 4 << 20
"""Bytes of each output stream that are kept."""
FLOOD = 64 << 20
"""Bytes of one after which a command is ended: they are held in memory."""
LOOKED_AFTER = 0.5
"""Seconds between looks at how much a command has written."""

Verb = Callable[[dict[str, Any], bytes], Answer]


def verbs() -> dict[str, Verb]:
    """Every verb by name; opens the display."""
    from ambidex.guest.desktop.frames import Screen

    screen = Screen()
    desk = x11.display()
    registry = accessibility.Registry()
    looking = threading.Lock()

    def windows() -> list[x11.Window]:
        with looking:
            return x11.windows(desk)

    def look(given: dict[str, Any], body: bytes) -> Answer:
        frame = screen.frame(**given)
        head = {name: value for name, value in vars(frame).items() if name != "body"}
        if frame.rect:
            head["rect"] = list(vars(frame.rect).values())
        return Answer(head, frame.body)

    def wait_window(given: dict[str, Any], body: bytes) -> Answer:
        return Answer(vars(wait_for_window(windows, given["title"], given["timeout"])))

    def check(given: dict[str, Any], body: bytes) -> Answer:
        with looking:
            return Answer({"checks": checks(desk, registry), "screen": x11.size(desk)})

    def renew(given: dict[str, Any], body: bytes) -> Answer:
        screen.renew()
        return check(given, body)

    def accessible(given: dict[str, Any], body: bytes) -> Answer:
        return Answer(accessibility.tree(**given))

    return {
        "screenshot": look,
        "renew": renew,
        "wait_window": wait_window,
        "check": check,
        "accessible": accessible,
        "run": run,
        "write": write_file,
    }


GIVEN_UP = "gnome-session-failed"
"""The application whose window says that something has gone wrong with the session."""


def wait_for_window(
    windows: Callable[[], list[x11.Window]], title: str, within: float
) -> x11.Window:
    """The first window whose title contains `title`, in any case; 408 with the titles seen
    instead.
    """

    def seen() -> Optional[x11.Window]:
        return next((each for each in windows() if title.lower() in each.title.lower()), None)

    found = wait_for(seen, within)
    if found is None:
        titles = ", ".join(repr(each.title) for each in windows()) or "no window at all"
        message = f"No window with {title!r} in its title after {within:g} s; there was {titles}."
        raise HarnessError(message, code="no_window", status=408)
    return found


def checks(desk: Any, registry: accessibility.Registry) -> dict[str, dict[str, Any]]:
    """Whether each part of the session answers, and what it said."""
    manager = x11.window_manager(desk)
    vendor = str(desk.display.info.vendor)
    found = {
        "display": {"ok": True, "seen": f"{os.environ['DISPLAY']}, {vendor}"},
        "window manager": {"ok": bool(manager), "seen": manager or "none has announced itself"},
        "desktop": whole(x11.apps(desk)),
    }
    return {**found, **session_bus(), "accessibility": accessibility_bus(registry)}


def whole(apps: list[str]) -> dict[str, Any]:
    """Whether the session has not given up: it says that a part of it failed, and offers nothing
    but to log out.
    """
    given_up = GIVEN_UP in map(str.lower, apps)
    return {"ok": not given_up, "seen": f"{GIVEN_UP} has a window" if given_up else "whole"}


def session_bus() -> dict[str, dict[str, Any]]:
    """Whether the session bus answers, whether the session has started all that it starts, and
    whether the screen is locked: a locked one hides it all.
    """
    from gi.repository import Gio, GLib

    def told(name: str, path: str, method: str) -> Any:
        """What the owner of a name answers; None where nobody has it."""
        quick = (None, None, Gio.DBusCallFlags.NO_AUTO_START, 2000, None)
        try:
            return bus.call_sync(name, path, name, method, *quick).unpack()[0]
        except GLib.GError as error:
            absent = (Gio.DBusError.SERVICE_UNKNOWN, Gio.DBusError.NAME_HAS_NO_OWNER)
            if any(error.matches(Gio.DBusError.quark(), code) for code in absent):
                return None
            raise

    try:
        bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
        running = told("org.gnome.SessionManager", "/org/gnome/SessionManager", "IsSessionRunning")
        locked = told("org.gnome.ScreenSaver", "/org/gnome/ScreenSaver", "GetActive")
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


def place(given: dict[str, Any]) -> Path:
    """The path of a request; `~` is the desktop user's home."""
    path = Path(given["path"]).expanduser()
    if not path.is_absolute():
        message = f"{given['path']!r} is not absolute and does not begin with ~."
        raise HarnessError(message, code="bad_path")
    if path.is_dir():
        raise HarnessError(f"{path} is a directory.", code="directory")
    return path


def write_file(given: dict[str, Any], body: bytes) -> Answer:
    """Write a file, making its folders."""
    path = place(given)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    except OSError as error:
        raise HarnessError(f"{path}: {error.strerror}.", code="unwritable") from error
    return Answer({"path": str(path), "size": len(body)})


def run(given: dict[str, Any], body: bytes) -> Answer:
    """Run a command in the session; its outputs, or its pid if it is to go on by itself."""
    argv = [os.path.expanduser(part) if part.startswith("~") else part for part in given["argv"]]
    options: dict[str, Any] = {
        "cwd": os.path.expanduser(given["cwd"] or "~"),
        "env": {**os.environ, **given["env"]},
        # Its own group: it must survive a restart of this worker, and be ended whole at its own
        # bound.
        "start_new_session": True,
        # Wholly the desktop user's, as what that user starts: this worker is so only in effect.
        "user": os.geteuid(),
    }
    quiet = subprocess.DEVNULL
    # Files, not pipes: a program that the command leaves behind would hold a pipe open for ever. In
    # memory: on a full disk a command that prints would seem to have nothing to say.
    with in_memory("input") as put, in_memory("output") as out, in_memory("errors") as err:
        put.write((given["input"] or "").encode())
        put.seek(0)
        streams = (quiet, quiet, quiet) if given["background"] else (put, out, err)
        try:
            process = subprocess.Popen(
                argv, stdin=streams[0], stdout=streams[1], stderr=streams[2], **options
            )
        except (OSError, ValueError) as error:
            raise HarnessError(f"{argv[0]}: {error}", code="not_started") from error
        if given["background"]:
            # Somebody has to wait for it, or it stays a zombie.
            threading.Thread(target=process.wait, daemon=True).start()
            return Answer({"pid": process.pid})
        timed_out = not waited(process, given["timeout"], (out, err))
        said, complained = kept(out), kept(err)
    return Answer(
        {
            "returncode": process.returncode,
            "stdout": said[:OUTPUT].decode(errors="replace"),
            "stderr": complained[:OUTPUT].decode(errors="replace"),
            "timed_out": timed_out,
            "truncated": max(len(said), len(complained)) > OUTPUT,
        }
    )


def in_memory(name: str) -> IO[bytes]:
    """A file that lies on no disk."""
    return open(os.memfd_create(name), "w+b", buffering=0)


def waited(process: subprocess.Popen[bytes], within: float, streams: tuple[IO[bytes], ...]) -> bool:
    """Whether the command ended within that time. It is killed otherwise, and when it has written
    far more than is passed on.
    """
    end = time.monotonic() + within
    while True:
        left = end - time.monotonic()
        if left <= 0:
            break
        try:
            process.wait(min(left, LOOKED_AFTER))
            return True
        except subprocess.TimeoutExpired:
            if any(os.fstat(each.fileno()).st_size > FLOOD for each in streams):
                break
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return time.monotonic() < end


def kept(stream: IO[bytes]) -> bytes:
    """What a command wrote, up to one byte more than is passed on."""
    stream.seek(0)
    return stream.read(OUTPUT + 1)
