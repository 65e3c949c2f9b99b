"""Access to the X server: the connection, windows and screenshots.

Used by the tools of `computer` and by the guest's harness. Each process opens one connection and
keeps it, because a server accepts at most 256.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Optional

from Xlib import X, Xatom, error
from Xlib.display import Display
from Xlib.ext import res
from Xlib.protocol import event, rq

__all__ = [
    "Grabber",
    "Window",
    "activate",
    "active",
    "clients",
    "display",
    "focused",
    "open_display",
    "owner",
    "program_windows",
    "property_of",
    "size",
    "stacked",
    "title_of",
    "window_manager",
    "windows",
]


@functools.cache
def display() -> Display:
    """This process's connection to the session's display."""
    return open_display()


def open_display(name: Optional[str] = None) -> Display:
    """A new connection to a display, by default the session's.

    python-xlib registers RandR's errors under the numbers of core errors. It would mistake a
    BadValue for one of them and fail with an AttributeError, so the core errors are restored.
    """
    opened = Display(name)
    opened.display.error_classes.update(error.xerror_class)
    return opened


def size(opened: Display) -> tuple[int, int]:
    """Current width and height of the screen in pixels."""
    geometry = opened.screen().root.get_geometry()
    return geometry.width, geometry.height


@dataclass(frozen=True)
class Window:
    """A top-level window. Position and size in pixels of the screen, without the frame around
    it.
    """

    id: int
    title: str
    app: str
    x: int
    y: int
    width: int
    height: int
    active: bool
    minimized: bool


WHOLE = 1 << 20
"""A length in units of 4 bytes that no property here exceeds."""


def property_of(window: Any, name: str, kind: int = X.AnyPropertyType) -> Any:
    """The value of a window's property, None if it has none.

    It is read by one request: if it became shorter between two, the second would be an error.
    """
    reply = window.get_full_property(window.display.get_atom(name), kind, WHOLE)
    return reply.value if reply else None


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")


def title_of(window: Any) -> str:
    """The title of a window; empty if it has none."""
    return _text(property_of(window, "_NET_WM_NAME") or property_of(window, "WM_NAME"))


def window_manager(opened: Display) -> str:
    """Name of the running window manager; empty if there is none."""
    root = opened.screen().root
    owner = property_of(root, "_NET_SUPPORTING_WM_CHECK")
    if not owner:
        return ""
    try:
        return _text(property_of(opened.create_resource_object("window", owner[0]), "_NET_WM_NAME"))
    except error.BadWindow:  # the property outlived the window manager
        return ""


def active(opened: Display) -> Any:
    """The active top-level window as an Xlib object, or None."""
    property_ = property_of(opened.screen().root, "_NET_ACTIVE_WINDOW")
    return (
        opened.create_resource_object("window", property_[0])
        if property_ and property_[0]
        else None
    )


def focused(opened: Display) -> str:
    """Class of the active window in lower case; for a dialog, the class of its parent window.
    Empty if no window is active.
    """
    app, window = "", active(opened)
    for _ in range(5):  # nested dialogs; bounded in case of a cycle
        if window is None:
            break
        try:
            names = window.get_wm_class()
            window = window.get_wm_transient_for()
        except (error.BadWindow, error.BadDrawable):
            break  # closed meanwhile
        app = names[1].lower() if names else app
    return app


def owner(window: Any) -> int:
    """PID of the process that owns a window, as the window or else the server tells it; 0 if
    unknown or the window is gone."""
    try:
        pid = property_of(window, "_NET_WM_PID")
    except error.BadWindow:
        return 0
    return int(pid[0]) if pid else next(iter(_client_pids(window.display, window.id)), 0)


def clients(opened: Display) -> set[int]:
    """PIDs of all clients of the server on this computer."""
    return _client_pids(opened.display, X.NONE)


def _client_pids(connection: Any, client: int) -> set[int]:
    """PIDs of the client to which a resource belongs, of all clients for `X.NONE`; empty where the
    server does not tell."""
    try:
        reply = res.QueryClientIds(
            display=connection,
            opcode=connection.get_extension_major(res.extname),
            specs=[{"client": client, "mask": res.LocalClientPIDMask}],
        )
    except (KeyError, error.XError):
        return set()
    return {int(entry.value[0]) for entry in reply.ids if len(entry.value)}


def windows(opened: Display) -> list[Window]:
    """The windows of programs, without panels and the desktop, in the order they were opened."""
    root = opened.screen().root
    front = active(opened)
    return list(_describe(opened, root, front.id if front else 0))


def program_windows(opened: Display) -> list[Any]:
    """The same as Xlib objects."""
    return [opened.create_resource_object("window", window.id) for window in windows(opened)]


def apps(opened: Display) -> list[str]:
    """The application of each window, including panels and the desktop. Faster than `windows`."""
    names_found = []
    for number in property_of(opened.screen().root, "_NET_CLIENT_LIST") or ():
        with suppress(error.BadWindow):  # closed meanwhile
            names = opened.create_resource_object("window", number).get_wm_class()
            names_found.append(names[1] if names else "")
    return names_found


def stacked(opened: Display) -> list[Window]:
    """The windows of programs, topmost first."""
    order = list(property_of(opened.screen().root, "_NET_CLIENT_LIST_STACKING") or ())
    heights = {number: height for height, number in enumerate(order)}
    return sorted(windows(opened), key=lambda window: -heights.get(window.id, -1))


def _describe(opened: Display, root: Any, front: int) -> Iterator[Window]:
    hidden = opened.get_atom("_NET_WM_STATE_HIDDEN")
    kinds = ("_NET_WM_WINDOW_TYPE_DOCK", "_NET_WM_WINDOW_TYPE_DESKTOP")
    hidden_types = {opened.get_atom(kind) for kind in kinds}
    for number in property_of(root, "_NET_CLIENT_LIST") or ():
        window = opened.create_resource_object("window", number)
        try:
            if hidden_types.intersection(property_of(window, "_NET_WM_WINDOW_TYPE") or ()):
                continue
            title = title_of(window)
            names = window.get_wm_class() or ("", "")
            states = property_of(window, "_NET_WM_STATE", Xatom.ATOM)
            shape = window.get_geometry()
            at = root.translate_coords(window, 0, 0)
        except (error.BadWindow, error.BadDrawable):
            continue  # closed meanwhile
        place = (at.x, at.y, shape.width, shape.height)
        minimized = states is not None and hidden in states
        yield Window(number, title, names[1], *place, number == front, minimized)


def activate(opened: Display, number: int) -> None:
    """Ask the window manager to raise a window and give it the keyboard focus."""
    root = opened.screen().root
    window = opened.create_resource_object("window", number)
    # Source 2 stands for a pager: window managers do not hold back its requests as they may an
    # application's.
    data = (32, [2, X.CurrentTime, 0, 0, 0])
    message = event.ClientMessage(
        window=window, client_type=opened.get_atom("_NET_ACTIVE_WINDOW"), data=data
    )
    root.send_event(message, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
    opened.sync()


class ShmAttach(rq.Request):  # type: ignore[misc]
    """MIT-SHM ShmAttach, which python-xlib lacks: let the server write into our memory segment."""

    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(1),
        rq.RequestLength(),
        rq.Card32("segment"),
        rq.Card32("shmid"),
        rq.Bool("read_only"),
        rq.Pad(3),
    )


class ShmGetImage(rq.ReplyRequest):  # type: ignore[misc]
    """MIT-SHM ShmGetImage: write a rectangle of a drawable into the segment."""

    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(4),
        rq.RequestLength(),
        rq.Drawable("drawable"),
        rq.Int16("x"),
        rq.Int16("y"),
        rq.Card16("width"),
        rq.Card16("height"),
        rq.Card32("planes"),
        rq.Card8("format"),
        rq.Pad(3),
        rq.Card32("segment"),
        rq.Card32("offset"),
    )
    _reply = rq.Struct(
        rq.ReplyCode(),
        rq.Card8("depth"),
        rq.Card16("sequence_number"),
        rq.ReplyLength(),
        rq.Card32("visual"),
        rq.Card32("size"),
        rq.Pad(16),
    )


PLANES = 0xFFFFFFFF
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.shmat.restype = ctypes.c_void_p
LIBC.shmat.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_int)


class Grabber:
    """Takes pictures of the screen, 4 bytes per pixel (blue, green, red, unused), through shared
    memory where possible.
    """

    def __init__(self, opened: Display) -> None:
        self._display = opened
        self._root = opened.screen().root
        self._opcode = 0
        self._segment = 0
        self._memory: Optional[memoryview] = None
        self._share(4096 * 2304 * 4)

    def _share(self, size: int) -> None:
        extension = self._display.query_extension("MIT-SHM")
        shmid = LIBC.shmget(0, size, 0o1600)
        if not extension or not extension.present or shmid < 0:
            return
        address = LIBC.shmat(shmid, None, 0)
        segment = self._display.display.allocate_resource_id()
        failure = error.CatchError()
        ShmAttach(
            display=self._display.display,
            onerror=failure,
            opcode=extension.major_opcode,
            segment=segment,
            shmid=shmid,
            read_only=False,
        )
        self._display.sync()
        LIBC.shmctl(shmid, 0, None)  # freed when the last process detaches, even after a crash
        if failure.get_error() is None and address not in (None, ctypes.c_void_p(-1).value):
            self._opcode, self._segment = extension.major_opcode, segment
            self._memory = memoryview((ctypes.c_char * size).from_address(address)).cast("B")

    def grab(self, x: int, y: int, width: int, height: int) -> memoryview:
        """The pixels of a rectangle, row by row. Valid until the next call."""
        if self._memory is None or width * height * 4 > len(self._memory):
            image = self._root.get_image(x, y, width, height, X.ZPixmap, PLANES)
            return memoryview(image.data)
        reply = ShmGetImage(
            display=self._display.display,
            opcode=self._opcode,
            drawable=self._root.id,
            x=x,
            y=y,
            width=width,
            height=height,
            planes=PLANES,
            format=X.ZPixmap,
            segment=self._segment,
            offset=0,
        )
        return self._memory[: reply.size]
