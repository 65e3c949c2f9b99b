"""Questions about windows, processes and files, for setup and collection."""

from __future__ import annotations

import base64
import contextlib
import os
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Optional

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.commands import run
from ambidex.mcp_tools.office import connection
from ambidex.mcp_tools.waiting import wait_for

__all__ = [
    "activate",
    "clock",
    "close",
    "desktop",
    "get",
    "lacking",
    "listing",
    "shown_as",
    "wait_until_gone",
    "wait_until_saved",
    "wait_until_written",
    "wallpaper",
    "windows",
]

WRITES = os.O_WRONLY | os.O_RDWR
QUIET = 0.3
"""Seconds for which a file must be unchanged."""
DEEPEST, MOST = 20, 20_000
"""Maximum depth and number of entries of a listing."""


def windows() -> list[dict[str, Any]]:
    """All windows of the window manager, in its order, with both parts of their class."""
    from Xlib import error

    from ambidex.mcp_tools.display import x11

    display = x11.display()
    result = []
    for number in x11.property_of(display.screen().root, "_NET_CLIENT_LIST") or ():
        window = display.create_resource_object("window", number)
        try:
            names = window.get_wm_class() or ("", "")
            shape = window.get_geometry()
            title = x11.title_of(window)
        except (error.BadWindow, error.BadDrawable):
            continue  # it was closed meanwhile
        result.append(
            {
                "id": int(number),
                "title": title,
                "class": f"{names[0]}.{names[1]}",
                "names": list(names),
                "width": shape.width,
                "height": shape.height,
            }
        )
    return result


def _find_window(name: str, strict: bool, by_class: bool) -> Optional[dict[str, Any]]:
    """The first window whose title or class contains `name`, ignoring case; with `strict`, whose
    title or class is `name`.
    """
    key = "class" if by_class else "title"
    for window in windows():
        if window[key] == name if strict else name.lower() in window[key].lower():
            return window
    return None


def activate(name: str, strict: bool, by_class: bool, within: float) -> Optional[str]:
    """Bring a window to the front and return its title; None if none appears within that many
    seconds.
    """
    from ambidex.mcp_tools.display import x11

    window = wait_for(lambda: _find_window(name, strict, by_class), within)
    if window is None:
        return None
    x11.activate(x11.display(), window["id"])

    def is_in_front() -> bool:
        front = x11.active(x11.display())
        return front is not None and front.id == window["id"]

    wait_for(is_in_front, 5, 0.05)
    return str(window["title"])


def shown_as(names: list[str], within: float) -> Optional[str]:
    """Bring the first window whose title contains one of these names to the front and return its
    title; None if none appears within that many seconds.
    """

    def find() -> Optional[str]:
        titles = [window["title"] for window in windows()]
        return next((title for title in titles if any(name in title for name in names)), None)

    title = wait_for(find, within)
    return activate(title, True, False, 1) if title else None


def close(name: str, strict: bool, by_class: bool) -> Optional[str]:
    """Ask a window to close and return its title; None if no window matches."""
    from Xlib import X
    from Xlib.protocol import event

    from ambidex.mcp_tools.display import x11

    match = _find_window(name, strict, by_class)
    if match is None:
        return None
    display = x11.display()
    request = event.ClientMessage(
        window=display.create_resource_object("window", match["id"]),
        client_type=display.get_atom("_NET_CLOSE_WINDOW"),
        data=(32, [X.CurrentTime, 2, 0, 0, 0]),
    )
    mask = X.SubstructureRedirectMask | X.SubstructureNotifyMask
    display.screen().root.send_event(request, event_mask=mask)
    display.sync()
    wait_for(lambda: all(window["id"] != match["id"] for window in windows()), 5, 0.05)
    return str(match["title"])


def wait_until_gone(name: str, within: float) -> bool:
    """Wait until no process has `name` in its name; whether that happened within the time."""
    return bool(wait_for(lambda: not _running(name), within))


def _running(name: str) -> bool:
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            status = (folder / "stat").read_text()
            command, _, rest = status.partition("(")[2].rpartition(") ")
            if name in command and rest[0] not in "ZX":
                return True
    return False


def wait_until_written(paths: list[str], within: float) -> bool:
    """Wait until no process has these files open for writing and none has changed recently; whether
    that happened within that many seconds.

    A missing file counts as written. LibreOffice keeps its documents open for writing, with a lock
    file, so only their changes are considered.
    """
    files = [Path(os.path.expanduser(path)) for path in paths]
    before: dict[Path, Any] = {}

    def is_quiet() -> bool:
        nonlocal before
        now = {file: _stamp(file) for file in files}
        unchanged, before = now == before, now
        others = {str(file.resolve()) for file in files if not _is_in_office(file)}
        return unchanged and not _is_open_for_writing(others)

    return bool(wait_for(is_quiet, within, QUIET))


def wait_until_saved(paths: list[str], within: float) -> bool:
    """Wait until LibreOffice has no unsaved changes of these files; whether that happened within
    that many seconds.
    """
    files = [Path(os.path.expanduser(path)).resolve() for path in paths]
    addresses = {file.as_uri() for file in files if _is_in_office(file)}
    if not addresses or not connection.processes():
        return True
    return bool(wait_for(lambda: not _has_unsaved(addresses), within))


def _has_unsaved(addresses: set[str]) -> bool:
    components = connection.desktop().Components.createEnumeration()
    while components.hasMoreElements():
        model = components.nextElement()
        if getattr(model, "URL", "") in addresses and model.isModified():
            return True
    return False


def _is_in_office(file: Path) -> bool:
    """Whether LibreOffice has it open."""
    return file.with_name(f".~lock.{file.name}#").exists()


def _stamp(file: Path) -> Optional[tuple[int, int]]:
    try:
        about = file.stat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size


def _is_open_for_writing(paths: set[str]) -> bool:
    for link in _descriptors():
        with contextlib.suppress(OSError, ValueError, IndexError):
            if os.readlink(link) in paths:
                info = Path(str(link).replace("/fd/", "/fdinfo/")).read_text()
                flags = int(info.partition("flags:")[2].split()[0], 8)
                if flags & WRITES:
                    return True
    return False


def _descriptors() -> Iterator[Path]:
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            yield from (folder / "fd").iterdir()


def lacking(programs: list[str]) -> list[str]:
    """The programs that cannot be started here."""
    return [program for program in programs if shutil.which(os.path.expanduser(program)) is None]


def listing(path: str) -> Optional[dict[str, Any]]:
    """A folder and its content, recursively: `type`, `name` and, for folders, `children`. None if
    there is no such folder.
    """
    remaining = MOST

    def describe(folder: Path, level: int) -> dict[str, Any]:
        nonlocal remaining
        children = []
        for child in sorted(folder.iterdir()) if level < DEEPEST else ():
            remaining -= 1
            if remaining < 0:
                raise ToolError(f"{path} has more than {MOST} entries.", code="too_much")
            if child.is_dir() and not child.is_symlink():
                children.append(describe(child, level + 1))
                continue
            kind = "directory" if child.is_dir() else "file"
            empty: dict[str, Any] = {"children": []} if kind == "directory" else {}
            children.append({"type": kind, "name": child.name, **empty})
        return {"type": "directory", "name": folder.name, "children": children}

    top = Path(os.path.expanduser(path))
    return describe(top, 0) if top.is_dir() else None


def desktop() -> dict[str, Optional[str]]:
    """The contents of the desktop's .desktop files, by file name; None for an unreadable one."""
    contents: dict[str, Optional[str]] = {}
    for path in sorted((Path.home() / "Desktop").glob("*.desktop")):
        try:
            contents[path.name] = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            contents[path.name] = None
    return contents


def wallpaper() -> Optional[str]:
    """The path of the wallpaper in the session's settings; None if it is not a file."""
    command = ["gsettings", "get", "org.gnome.desktop.background", "picture-uri"]
    uri = run(command, 10).output.strip().strip("'")
    path = urllib.request.url2pathname(uri.partition("file://")[2]) if "file://" in uri else uri
    return path if path and Path(path).is_file() else None


def get(url: str, password: str = "") -> Optional[str]:
    """The answer of a server on this machine, in base64; None if it does not answer."""
    request = urllib.request.Request(url)
    if password:
        login = base64.b64encode(f":{password}".encode()).decode()
        request.add_header("Authorization", f"Basic {login}")
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(request, timeout=10) as answer:
            return base64.b64encode(answer.read()).decode()
    except (urllib.error.URLError, OSError):
        return None


def clock() -> str:
    """The guest's local time, ISO 8601 with its offset."""
    return datetime.now().astimezone().isoformat()
