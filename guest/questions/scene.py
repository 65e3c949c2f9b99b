"""What stands on the desktop and lies below it, for a host that sets a stage or collects: windows,
processes, files.
"""

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
"""Seconds for which a file must not have changed."""
DEEPEST, MOST = 20, 20_000
"""Levels and entries of a listing."""


def windows() -> list[dict[str, Any]]:
    """All windows that the window manager knows, in its order, with both names of their class."""
    from Xlib import error

    from ambidex.mcp_tools.display import x11

    display = x11.display()
    root = display.screen().root
    listed = root.get_full_property(display.get_atom("_NET_CLIENT_LIST"), 0)
    found = []
    for number in listed.value if listed else ():
        window = display.create_resource_object("window", number)
        try:
            names = window.get_wm_class() or ("", "")
            shape = window.get_geometry()
            title = _title(display, window)
        except (error.BadWindow, error.BadDrawable):
            continue  # closed while we looked
        found.append(
            {
                "id": int(number),
                "title": title,
                "class": f"{names[0]}.{names[1]}",
                "names": list(names),
                "width": shape.width,
                "height": shape.height,
            }
        )
    return found


def _title(display: Any, window: Any) -> str:
    for name in ("_NET_WM_NAME", "WM_NAME"):
        said = window.get_full_property(display.get_atom(name), 0)
        if said:
            value = said.value
            return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return ""


def _named(name: str, strict: bool, by_class: bool) -> Optional[dict[str, Any]]:
    """The first window of that name: a part of it in any case, or with `strict` all of it."""
    key = "class" if by_class else "title"
    for each in windows():
        if each[key] == name if strict else name.lower() in each[key].lower():
            return each
    return None


def activate(name: str, strict: bool, by_class: bool, within: float) -> Optional[str]:
    """The title of the window that was brought to the front; None where none has that name within
    so many seconds."""
    from ambidex.mcp_tools.display import x11

    found = wait_for(lambda: _named(name, strict, by_class), within)
    if found is None:
        return None
    x11.activate(x11.display(), found["id"])

    def in_front() -> bool:
        front = x11.active(x11.display())
        return front is not None and front.id == found["id"]

    wait_for(in_front, 5, 0.05)
    return str(found["title"])


def shown_as(names: list[str], within: float) -> Optional[str]:
    """The title of the first window with one of these names in it, brought to the front; None where
    there is none within so many seconds."""

    def found() -> Optional[str]:
        titles = [each["title"] for each in windows()]
        return next((title for title in titles if any(name in title for name in names)), None)

    title = wait_for(found, within)
    return activate(title, True, False, 1) if title else None


def close(name: str, strict: bool, by_class: bool) -> Optional[str]:
    """The title of the window that was asked to close; None where none has that name."""
    from Xlib import X
    from Xlib.protocol import event

    from ambidex.mcp_tools.display import x11

    found = _named(name, strict, by_class)
    if found is None:
        return None
    display = x11.display()
    asked = event.ClientMessage(
        window=display.create_resource_object("window", found["id"]),
        client_type=display.get_atom("_NET_CLOSE_WINDOW"),
        data=(32, [X.CurrentTime, 2, 0, 0, 0]),
    )
    mask = X.SubstructureRedirectMask | X.SubstructureNotifyMask
    display.screen().root.send_event(asked, event_mask=mask)
    display.sync()
    wait_for(lambda: all(each["id"] != found["id"] for each in windows()), 5, 0.05)
    return str(found["title"])


def wait_until_gone(name: str, within: float) -> bool:
    """Whether no process has that in its name, after so many seconds at most."""
    return bool(wait_for(lambda: not _running(name), within))


def _running(name: str) -> bool:
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            said = (folder / "stat").read_text()
            command, _, rest = said.partition("(")[2].rpartition(") ")
            if name in command and rest[0] not in "ZX":
                return True
    return False


def wait_until_written(paths: list[str], within: float) -> bool:
    """Whether nobody has those files open for writing and none has changed of late, after so many
    seconds at most. A file that is not there is not being written. An office has what it shows open
    for writing all the time, under a lock of its own: of that only the changes tell.
    """
    files = [Path(os.path.expanduser(path)) for path in paths]
    before: dict[Path, Any] = {}

    def quiet() -> bool:
        nonlocal before
        now = {file: _stamp(file) for file in files}
        same, before = now == before, now
        return same and not _written({str(file.resolve()) for file in files if not _shown(file)})

    return bool(wait_for(quiet, within, QUIET))


def wait_until_saved(paths: list[str], within: float) -> bool:
    """Whether no office shows one of those files with changes that it has not written, after so
    many seconds at most.
    """
    files = [Path(os.path.expanduser(path)).resolve() for path in paths]
    shown = {file.as_uri() for file in files if _shown(file)}
    if not shown or not connection.processes():
        return True
    return bool(wait_for(lambda: not _unsaved(shown), within))


def _unsaved(addresses: set[str]) -> bool:
    components = connection.desktop().Components.createEnumeration()
    while components.hasMoreElements():
        model = components.nextElement()
        if getattr(model, "URL", "") in addresses and model.isModified():
            return True
    return False


def _shown(file: Path) -> bool:
    """Whether an office shows it."""
    return file.with_name(f".~lock.{file.name}#").exists()


def _stamp(file: Path) -> Optional[tuple[int, int]]:
    try:
        seen = file.stat()
    except OSError:
        return None
    return seen.st_mtime_ns, seen.st_size


def _written(paths: set[str]) -> bool:
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
    """Those that cannot be started here."""
    return [each for each in programs if shutil.which(os.path.expanduser(each)) is None]


def listing(path: str) -> Optional[dict[str, Any]]:
    """A folder with all below it: `type`, `name` and, of a folder, `children`. None where there is
    none.
    """
    left = MOST

    def below(folder: Path, level: int) -> dict[str, Any]:
        nonlocal left
        children = []
        for each in sorted(folder.iterdir()) if level < DEEPEST else ():
            left -= 1
            if left < 0:
                raise ToolError(f"{path} holds more than {MOST} entries.", code="too_much")
            deeper = each.is_dir() and not each.is_symlink()
            kind = "directory" if each.is_dir() else "file"
            empty: dict[str, Any] = {"children": []} if kind == "directory" else {}
            children.append(
                below(each, level + 1) if deeper else {"type": kind, "name": each.name, **empty}
            )
        return {"type": "directory", "name": folder.name, "children": children}

    top = Path(os.path.expanduser(path))
    return below(top, 0) if top.is_dir() else None


def desktop() -> dict[str, Optional[str]]:
    """The starters on the desktop, by the names of their files, with their contents."""
    found: dict[str, Optional[str]] = {}
    for path in sorted((Path.home() / "Desktop").glob("*.desktop")):
        try:
            found[path.name] = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            found[path.name] = None
    return found


def wallpaper() -> Optional[str]:
    """The path of the picture behind the windows, as the session's settings have it."""
    asked = ["gsettings", "get", "org.gnome.desktop.background", "picture-uri"]
    said = run(asked, 10).output.strip().strip("'")
    path = urllib.request.url2pathname(said.partition("file://")[2]) if "file://" in said else said
    return path if path and Path(path).is_file() else None


def get(url: str, password: str = "") -> Optional[str]:
    """What a server of this machine answers, in Base64; None where nothing does."""
    asked = urllib.request.Request(url)
    if password:
        given = base64.b64encode(f":{password}".encode()).decode()
        asked.add_header("Authorization", f"Basic {given}")
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(asked, timeout=10) as said:
            return base64.b64encode(said.read()).decode()
    except (urllib.error.URLError, OSError):
        return None


def clock() -> str:
    """The local time here, ISO 8601 with its offset."""
    return datetime.now().astimezone().isoformat()
