"""Frames of the screen, sent as patches over a frame that the host has, or as nothing if unchanged.

The X server reports where it drew (XDamage), so an unchanged screen costs one round trip and no
pixels. Those areas are fetched through shared memory and compared with the stored image, since
programs often redraw the same content.
"""

from __future__ import annotations

import secrets
import select
import threading
import time
import zlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Optional

from Xlib import X
from Xlib.ext import damage

from ambidex.guest.desktop.programs import Programs, windows_by_owner
from ambidex.guest.desktop.stillness import (
    Change,
    Rect,
    Stillness,
    first_difference,
    union,
    wait_until_still,
)
from ambidex.mcp_tools.display import x11

__all__ = ["Frame", "Screen"]

REMEMBERED = 64
"""Number of frames that a patch can be based on."""
SMALL = 0.005
"""Share of the screen in which changes do not count as motion: 4608 pixels of 1280x720."""
CLOSELY = 0.1
"""Largest share of the screen for which a drawn area is compared while waiting for stillness."""
RAW_BELOW = 4096
"""Bytes below which compression is not worth it."""


@dataclass(frozen=True)
class Frame:
    """A frame as sent to the host. Without a `rect` it is the frame that the host has."""

    id: str
    size: tuple[int, int]
    base: Optional[str]
    rect: Optional[Rect]
    encoding: str
    body: bytes
    still: bool
    waited: float
    grab: float
    pointer: tuple[int, int]
    focused: str


class Screen:
    """The screen of a display, monitored over a connection of its own."""

    def __init__(self) -> None:
        self._display = x11.open_display()
        self._root = self._display.screen().root
        self._lock = threading.Lock()
        self._grabber = x11.Grabber(self._display)
        self._root.change_attributes(event_mask=X.StructureNotifyMask)
        self._display.damage_query_version()
        self._damage = self._root.damage_create(damage.DamageReportBoundingBox)
        self._programs = Programs(windows_by_owner(self._display))
        self._generation = ""
        self._count = 0
        self._begin()

    def _begin(self) -> None:
        """Reset: the next frame is a complete one, with an id that was never used before."""
        self._generation = secrets.token_hex(4)
        self._size = x11.size(self._display)
        width, height = self._size
        self._image = bytearray(width * height * 4)
        self._drawn: Optional[Rect] = Rect(0, 0, width, height)
        """The area that was drawn and not compared yet."""
        self._differs: Optional[Rect] = None
        """The area in which the image differs from the latest frame."""
        self._since: OrderedDict[str, Optional[Rect]] = OrderedDict()

    def renew(self) -> None:
        """Forget all frames, for a machine with a new identity."""
        with self._lock:
            self._begin()

    def frame(self, known: str, settle: float, still: float, work: float) -> Frame:
        """The screen once it has been still for `still` seconds; at the latest after `settle`
        seconds, or after `work` seconds while a program is busy.
        """
        with self._lock:
            began = time.monotonic()
            small = int(SMALL * self._size[0] * self._size[1])
            watch = Stillness(began, still, settle, work, small)
            if settle:
                wait_until_still(watch, self._programs, lambda bound: self._listen(watch, bound))
            settled = time.monotonic()
            # The answer follows all earlier events, so after it they have all been received.
            pointer = self._root.query_pointer()
            self._update()
            latest = next(reversed(self._since))
            rect, base, encoding, body = self._patch(known, latest)
            ended = time.monotonic()
            return Frame(
                id=latest,
                size=self._size,
                base=base,
                rect=rect,
                encoding=encoding,
                body=body,
                still=watch.still(settled),
                waited=settled - began,
                grab=ended - settled,
                pointer=(pointer.root_x, pointer.root_y),
                focused=x11.focused(self._display),
            )

    def _listen(self, watch: Stillness, seconds: float) -> None:
        """Process events for that many seconds; with 0, those that have arrived."""
        end = time.monotonic() + seconds
        while (remaining := end - time.monotonic()) > 0:
            if select.select([self._display], [], [], remaining)[0]:
                self._process_events(watch)
        self._process_events(watch)

    def _process_events(self, watch: Optional[Stillness] = None) -> None:
        """Process the events that have arrived; a change of the screen's size resets everything."""
        drawn: list[Rect] = []
        while self._display.pending_events():
            event: Any = self._display.next_event()
            if event.type == self._display.extension_event.DamageNotify:
                # Cleared at once, so that the next change is reported separately: otherwise a caret
                # and a clock would become one rectangle with everything in between.
                self._display.damage_subtract(self._damage)
                area = event.area
                drawn.append(Rect(area.x, area.y, area.width, area.height))
            elif event.type == X.ConfigureNotify and (event.width, event.height) != self._size:
                self._begin()
        self._display.flush()
        for drawn_rect in drawn:
            rect = drawn_rect.within(*self._size)
            if rect and watch and rect.area <= CLOSELY * self._size[0] * self._size[1]:
                # Programs redraw a whole line for a caret, and often the same content.
                change = self._compare(rect)
                if change:
                    self._differs = union(self._differs, change.rect)
                    watch.changed(change, time.monotonic())
            elif rect:
                self._drawn = union(self._drawn, rect)
                if watch:
                    watch.moved(time.monotonic())

    def _update(self) -> None:
        """Update the image; the frame gets a new id if and only if a pixel differs."""
        self._process_events()
        if self._drawn:
            self._differs = union(self._differs, self._fetch(self._drawn))
            self._drawn = None
        if self._differs is None and self._since:
            return
        for frame_id, before in self._since.items():
            self._since[frame_id] = union(before, self._differs)
        self._differs = None
        self._count += 1
        self._since[f"{self._generation}.{self._count}"] = None
        if len(self._since) > REMEMBERED:
            self._since.popitem(last=False)

    def _fetch(self, rect: Rect) -> Optional[Rect]:
        """Copy the rectangle from the screen; its rows that differ from the image, or None."""
        pixels = self._grabber.grab(rect.x, rect.y, rect.width, rect.height)
        row, stride = rect.width * 4, self._size[0] * 4
        first = last = -1
        for line in range(rect.height):
            new = pixels[line * row : (line + 1) * row].tobytes()
            at = (rect.y + line) * stride + rect.x * 4
            if new != self._image[at : at + row]:
                self._image[at : at + row] = new
                last = line
                first = line if first < 0 else first
        if first < 0:
            return None
        return Rect(rect.x, rect.y + first, rect.width, last - first + 1)

    def _compare(self, rect: Rect) -> Optional[Change]:
        """Copy the rectangle from the screen; the exact area that differs from before, or None."""
        before = self._cut(rect)
        rows = self._fetch(rect)
        if rows is None:
            return None
        row, skipped = rect.width * 4, rows.y - rect.y
        old = before[skipped * row : (skipped + rows.height) * row]
        new = self._cut(rows)
        left, right = row, 0
        for at in range(0, len(new), row):
            one, other = old[at : at + row], new[at : at + row]
            if one != other:
                left = min(left, first_difference(one, other))
                right = max(right, row - first_difference(one[::-1], other[::-1]))
        x, end = left // 4, (right + 3) // 4
        exact = Rect(rows.x + x, rows.y, end - x, rows.height)
        return Change(exact, zlib.crc32(old), zlib.crc32(new))

    def _patch(self, known: str, latest: str) -> tuple[Optional[Rect], Optional[str], str, bytes]:
        if known == latest:
            return None, known, "raw", b""
        whole = Rect(0, 0, *self._size)
        since = self._since.get(known)
        rect, base = (since, known) if since else (whole, None)
        raw = self._cut(rect)
        if len(raw) < RAW_BELOW:
            return rect, base, "raw", raw
        return rect, base, "zlib", zlib.compress(raw, 1)

    def _cut(self, rect: Rect) -> bytes:
        stride = self._size[0] * 4
        if rect.width == self._size[0]:
            return bytes(memoryview(self._image)[rect.y * stride : (rect.y + rect.height) * stride])
        starts = range(
            rect.y * stride + rect.x * 4, (rect.y + rect.height) * stride + rect.x * 4, stride
        )
        view = memoryview(self._image)
        return b"".join(view[start : start + rect.width * 4] for start in starts)
