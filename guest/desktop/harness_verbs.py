"""The operations of the worker `harness`, which the host requests and the desktop user executes."""

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
from ambidex.guest.wire import WorkerReply
from ambidex.mcp_tools.display import x11
from ambidex.mcp_tools.waiting import wait_for

__all__ = ["operations"]

OUTPUT = 4 << 20
"""Bytes of each output stream that are returned."""
FLOOD = 64 << 20
"""Bytes of output after which a command is killed, since output is held in memory."""
CHECK_EVERY = 0.5
"""Seconds between checks of how much a command has written."""

Operation = Callable[[dict[str, Any], bytes], WorkerReply]


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
        "run": run,
        "write": write_file,
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


def file_path(given: dict[str, Any]) -> Path:
    """The path of a request, with `~` as the desktop user's home; 400 if it cannot be a file."""
    path = Path(given["path"]).expanduser()
    if not path.is_absolute():
        message = f"{given['path']!r} is not absolute and does not begin with ~."
        raise HarnessError(message, code="bad_path")
    if path.is_dir():
        raise HarnessError(f"{path} is a directory.", code="directory")
    return path


def write_file(given: dict[str, Any], body: bytes) -> WorkerReply:
    """Write a file, and create its folders."""
    path = file_path(given)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    except OSError as error:
        raise HarnessError(f"{path}: {error.strerror}.", code="unwritable") from error
    return WorkerReply({"path": str(path), "size": len(body)})


def run(given: dict[str, Any], body: bytes) -> WorkerReply:
    """Run a command in the session; returns its status and output, or its pid with `background`."""
    argv = [os.path.expanduser(part) if part.startswith("~") else part for part in given["argv"]]
    options: dict[str, Any] = {
        "cwd": os.path.expanduser(given["cwd"] or "~"),
        "env": {**os.environ, **given["env"]},
        # A process group of its own, which survives a restart of this worker, and which can be
        # killed as a whole after a timeout.
        "start_new_session": True,
        # All user ids are the desktop user's, whereas this worker has only its effective id.
        "user": os.geteuid(),
    }
    null = subprocess.DEVNULL
    # Files, not pipes: a program that the command leaves running would hold a pipe open. In memory:
    # on a full disk, the command's output would be lost.
    with memory_file("input") as stdin, memory_file("output") as out, memory_file("errors") as err:
        stdin.write((given["input"] or "").encode())
        stdin.seek(0)
        streams = (null, null, null) if given["background"] else (stdin, out, err)
        try:
            process = subprocess.Popen(
                argv, stdin=streams[0], stdout=streams[1], stderr=streams[2], **options
            )
        except (OSError, ValueError) as error:
            raise HarnessError(f"{argv[0]}: {error}", code="not_started") from error
        if given["background"]:
            # Wait for it in a thread, or it would remain a zombie.
            threading.Thread(target=process.wait, daemon=True).start()
            return WorkerReply({"pid": process.pid})
        timed_out = not wait_or_kill(process, given["timeout"], (out, err))
        stdout, stderr = read_output(out), read_output(err)
    return WorkerReply(
        {
            "returncode": process.returncode,
            "stdout": stdout[:OUTPUT].decode(errors="replace"),
            "stderr": stderr[:OUTPUT].decode(errors="replace"),
            "timed_out": timed_out,
            "truncated": max(len(stdout), len(stderr)) > OUTPUT,
        }
    )


def memory_file(name: str) -> IO[bytes]:
    """A file in memory."""
    return open(os.memfd_create(name), "w+b", buffering=0)


def wait_or_kill(
    process: subprocess.Popen[bytes], within: float, streams: tuple[IO[bytes], ...]
) -> bool:
    """Wait for a command, and kill it after that time or if its output exceeds `FLOOD`.

    Returns whether it ended in time.
    """
    end = time.monotonic() + within
    while True:
        remaining = end - time.monotonic()
        if remaining <= 0:
            break
        try:
            process.wait(min(remaining, CHECK_EVERY))
            return True
        except subprocess.TimeoutExpired:
            if any(os.fstat(stream.fileno()).st_size > FLOOD for stream in streams):
                break
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return time.monotonic() < end


def read_output(stream: IO[bytes]) -> bytes:
    """A command's output, up to one byte more than is returned to the host."""
    stream.seek(0)
    return stream.read(OUTPUT + 1)
