"""Reading and changing the keyboard layout of an X server through XKB, which python-xlib lacks.

XKB rather than the core protocol because one request changes any number of keys. Every program on
the desktop reads the layout again after every change, and the core protocol needs one change per
key.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from Xlib.display import Display
from Xlib.protocol import rq

__all__ = ["Key", "Keymap"]

CORE_KEYBOARD = 0x100
KEY_SYMBOLS = 2
REPEATS = 1 << 30
ONE_LEVEL, TWO_LEVEL, KEYPAD = 0, 1, 3
"""Indices of the key types that every layout has."""
HEAD = struct.Struct("<4BBBH")


class UseExtension(rq.ReplyRequest):  # type: ignore[misc]
    """XKB UseExtension: required once before any other request."""

    _request = rq.Struct(
        rq.Card8("opcode"), rq.Opcode(0), rq.RequestLength(), rq.Card16("major"), rq.Card16("minor")
    )
    _reply = rq.Struct(
        rq.ReplyCode(),
        rq.Bool("supported"),
        rq.Card16("sequence_number"),
        rq.ReplyLength(),
        rq.Card16("server_major"),
        rq.Card16("server_minor"),
        rq.Pad(20),
    )


class GetMap(rq.ReplyRequest):  # type: ignore[misc]
    """XKB GetMap, used only for the symbols of all keys."""

    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(8),
        rq.RequestLength(),
        rq.Card16("device"),
        rq.Card16("full"),
        rq.Card16("partial"),
        rq.Binary("rest", pad=0),
    )
    _reply = rq.Struct(
        rq.ReplyCode(),
        rq.Card8("device"),
        rq.Card16("sequence_number"),
        rq.ReplyLength(),
        rq.Pad(2),
        rq.Card8("min_keycode"),
        rq.Card8("max_keycode"),
        rq.Card16("present"),
        rq.Card8("first_type"),
        rq.Card8("n_types"),
        rq.Card8("total_types"),
        rq.Card8("first_key"),
        rq.Card16("total_symbols"),
        rq.Card8("n_keys"),
        rq.Pad(19),
        rq.Binary("data"),
    )


class SetMap(rq.Request):  # type: ignore[misc]
    """XKB SetMap, used only for the symbols of a range of keys."""

    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(9),
        rq.RequestLength(),
        rq.Card16("device"),
        rq.Card16("present"),
        rq.Card16("flags"),
        rq.Card8("min_keycode"),
        rq.Card8("max_keycode"),
        rq.Card8("first_type"),
        rq.Card8("n_types"),
        rq.Card8("first_key"),
        rq.Card8("n_keys"),
        rq.Card16("total_symbols"),
        rq.Binary("rest", pad=0),
    )


class SetControls(rq.Request):  # type: ignore[misc]
    """XKB SetControls, used only for the set of keys that auto-repeat."""

    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(7),
        rq.RequestLength(),
        rq.Card16("device"),
        rq.Pad(26),
        rq.Card32("changed"),
        rq.Pad(32),
        rq.Binary("repeats", pad=0),
    )


@dataclass(frozen=True)
class Key:
    """Meaning of one key code: the types of its groups and `width` symbols per group."""

    types: tuple[int, ...]
    groups: int
    width: int
    symbols: tuple[int, ...]

    def level(self, group: int, level: int) -> int:
        """The symbol in a group without (0) or with (1) shift; 0 for none."""
        count = self.groups & 15
        if not count:
            return 0
        group = group if group < count else 0
        if level and (self.types[group] in (ONE_LEVEL, KEYPAD) or self.width < 2):
            return 0
        return self.symbols[group * self.width + level]

    def packed(self) -> bytes:
        """The key in XKB's wire format."""
        head = HEAD.pack(*self.types, self.groups, self.width, len(self.symbols))
        return head + struct.pack(f"<{len(self.symbols)}I", *self.symbols)


UNUSED = Key((TWO_LEVEL, 0, 0, 0), 1, 2, (0, 0))


def key_for(plain: int, shifted: int) -> Key:
    """A key that types one symbol without and one with shift."""
    return Key((TWO_LEVEL, 0, 0, 0), 1, 2, (plain, shifted))


class Keymap:
    """The layout of the display's keyboard."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._opcode = display.query_extension("XKEYBOARD").major_opcode
        UseExtension(display=display.display, opcode=self._opcode, major=1, minor=0)

    def read(self) -> dict[int, Key]:
        """The current meaning of every key, by key code."""
        reply = GetMap(
            display=self._display.display,
            opcode=self._opcode,
            device=CORE_KEYBOARD,
            full=KEY_SYMBOLS,
            partial=0,
            rest=bytes(18),
        )
        keys, offset = {}, 0
        for code in range(reply.first_key, reply.first_key + reply.n_keys):
            *types, groups, width, count = HEAD.unpack_from(reply.data, offset)
            symbols = struct.unpack_from(f"<{count}I", reply.data, offset + HEAD.size)
            keys[code] = Key(tuple(types), groups, width, symbols)
            offset += HEAD.size + 4 * count
        return keys

    def change(self, keys: dict[int, Key]) -> None:
        """Change the meaning of key codes in one request; codes in between stay unchanged."""
        layout = {**self.read(), **keys}
        first, last = min(keys), max(keys)
        changed = [layout[code] for code in range(first, last + 1)]
        # Zeros stand for the absent parts: actions, behaviours, explicit components, modifier maps.
        SetMap(
            display=self._display.display,
            opcode=self._opcode,
            device=CORE_KEYBOARD,
            present=KEY_SYMBOLS,
            flags=0,
            min_keycode=min(layout),
            max_keycode=max(layout),
            first_type=0,
            n_types=0,
            first_key=first,
            n_keys=len(changed),
            total_symbols=sum(len(key.symbols) for key in changed),
            rest=bytes(18) + b"".join(key.packed() for key in changed),
        )
        self._display.sync()

    def repeating(self) -> set[int]:
        """Key codes that auto-repeat while held down."""
        bits = self._display.get_keyboard_control().auto_repeats
        return {code for code in range(8 * len(bits)) if bits[code // 8] >> code % 8 & 1}

    def repeat(self, codes: set[int]) -> None:
        """Let exactly these key codes auto-repeat, in one request."""
        bits = bytearray(32)
        for code in codes:
            bits[code // 8] |= 1 << code % 8
        SetControls(
            display=self._display.display,
            opcode=self._opcode,
            device=CORE_KEYBOARD,
            changed=REPEATS,
            repeats=bytes(bits),
        )
        self._display.sync()
