"""Parser of a VNC viewer's messages (RFC 6143), so that a bridge can filter input.

Messages that only control drawing pass from every viewer; keys, pointer and clipboard only from a
viewer that may act; resizing and shutting down a machine from nobody. Unknown messages are refused:
their length is unknown, so everything after them would pass unchecked.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

__all__ = ["Key", "Pointer", "RFBError", "Viewer"]


class RFBError(Exception):
    """A message of the viewer is not supported."""


@dataclass(frozen=True)
class Pointer:
    """Position of the pointer in pixels, and the buttons that are down (bit 0 is the left one, 3 to
    6 are the wheel: up, down, left, right)."""

    x: int
    y: int
    buttons: int


@dataclass(frozen=True)
class Key:
    """A key, as X keysym, pressed or released."""

    symbol: int
    down: bool


VERSION = 12
NO_PASSWORD, PASSWORD = 1, 2
RESPONSE = 16
SHARED = b"\x01"
KEY, POINTER, CUT_TEXT = 4, 5, 6
ALWAYS = {0: 20, 3: 10, 150: 10}
"""Lengths of the messages that every viewer may send: pixel format, update request, continuous
updates."""
ENCODINGS, FENCE, POWER, RESIZE, QEMU = 2, 248, 250, 251, 255


@dataclass
class Viewer:
    """The state of the viewer's half of a connection."""

    _rest: bytes = b""
    _stage: str = "version"
    _down: set[int] = field(default_factory=set)
    _at: Pointer = field(default_factory=lambda: Pointer(0, 0, 0))

    def feed(self, data: bytes, may_act: bool) -> tuple[bytes, list[Pointer | Key]]:
        """The bytes to pass on, and the input events among them. Raises `RFBError` for messages
        that are not supported."""
        self._rest += data
        passed, events = [], []
        while (message := self._next()) is not None:
            kind = message[0]
            if self._stage == "open" and kind in (KEY, POINTER, CUT_TEXT, QEMU):
                if not may_act:
                    continue
                if event := self._event(message):
                    events.append(event)
            elif self._stage == "open" and kind in (POWER, RESIZE):
                continue
            passed.append(message)
            if self._stage == "init":
                self._stage = "open"
        return b"".join(passed), events

    def let_go(self) -> bytes:
        """Messages that release all keys and buttons held down, once a viewer may not act."""
        ups = [struct.pack("!BBxxI", KEY, 0, symbol) for symbol in sorted(self._down)]
        if self._at.buttons:
            ups.append(struct.pack("!BBHH", POINTER, 0, self._at.x, self._at.y))
        self._down.clear()
        self._at = Pointer(self._at.x, self._at.y, 0)
        return b"".join(ups)

    def _next(self) -> bytes | None:
        match self._stage:
            case "version":
                message = self._take(VERSION)
                if message is not None and message not in (b"RFB 003.007\n", b"RFB 003.008\n"):
                    raise RFBError(f"version {message!r}")
                self._stage = "version" if message is None else "security"
                return message
            case "security":
                message = self._take(1)
                if message is not None:
                    if message[0] not in (NO_PASSWORD, PASSWORD):
                        raise RFBError(f"security type {message[0]}")
                    self._stage = "response" if message[0] == PASSWORD else "share"
                return message
            case "response":
                message = self._take(RESPONSE)
                self._stage = "response" if message is None else "share"
                return message
            case "share":
                if self._take(1) is None:
                    return None
                # A viewer that requests exclusive access would disconnect the others.
                self._stage = "init"
                return SHARED
        length = self._length()
        return None if length is None else self._take(length)

    def _take(self, length: int) -> bytes | None:
        if len(self._rest) < length:
            return None
        taken, self._rest = self._rest[:length], self._rest[length:]
        return taken

    def _length(self) -> int | None:
        """Length of the next message; None if not known yet."""
        rest = self._rest
        if not rest:
            return None
        kind = rest[0]
        if kind in ALWAYS:
            return ALWAYS[kind]
        match kind:
            case 4:
                return 8
            case 5:
                return 6
            case 6:
                # A negative length announces the extended clipboard.
                return 8 + abs(_signed(rest, 4)) if len(rest) >= 8 else None
            case 2:
                return 4 + 4 * _short(rest, 2) if len(rest) >= 4 else None
            case 248:
                return 9 + rest[8] if len(rest) >= 9 else None
            case 250:
                return 4
            case 251:
                return 8 + 16 * rest[6] if len(rest) >= 8 else None
            case 255:
                if len(rest) < 2:
                    return None
                if rest[1] == 0:
                    return 12
        raise RFBError(f"message {kind}")

    def _event(self, message: bytes) -> Pointer | Key | None:
        if message[0] == POINTER:
            _, buttons, x, y = struct.unpack("!BBHH", message)
            self._at = Pointer(x, y, buttons)
            return self._at
        if message[0] == CUT_TEXT:
            return None
        if message[0] == KEY:
            _, down, symbol = struct.unpack("!BBxxI", message)
        else:
            _, _, down, symbol, _ = struct.unpack("!BBHII", message)
        (self._down.add if down else self._down.discard)(symbol)
        return Key(symbol, bool(down))


def _short(data: bytes, at: int) -> int:
    return int(struct.unpack_from("!H", data, at)[0])


def _signed(data: bytes, at: int) -> int:
    return int(struct.unpack_from("!i", data, at)[0])
