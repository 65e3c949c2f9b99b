"""Typing any text, into any application, by real key events.

A character that the keyboard layout has is typed with its own key, as a person would. Any other is
given, for as long as it takes, to a key code that the layout leaves unused. An application
translates a key event by the keymap it reads *when it gets to the event*, so a code must not change
its meaning before then. We know when: a window manager's ping (`_NET_WM_PING`) goes through the
same queue as the keys before it, and the answer says they were taken.
"""

from __future__ import annotations

import select
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Optional

from Xlib import XK, X, error
from Xlib.display import Display
from Xlib.ext.xtest import fake_input
from Xlib.protocol import event

from mcp_tools import x11

__all__ = ["Keyboard", "Untypable", "keysym"]

CONTROLS = {"\n": XK.XK_Return, "\t": XK.XK_Tab}
RUN = 100
"""Keys sent before we wait until they were taken, so that no queue grows without a bound."""
ANSWER_WITHIN = 5.0


class Untypable(Exception):
    """A character that no key stands for (a control character, half of a surrogate pair)."""


def keysym(character: str) -> int:
    """The X name of a character; `Untypable` for what is no character to type."""
    code = ord(character)
    if character in CONTROLS:
        return int(CONTROLS[character])
    if code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000:
        raise Untypable(f"U+{code:04X}")
    return code if code < 0x100 else 0x01000000 | code


class Keyboard:
    """The keyboard of a display. `wait_until_taken` is what makes typing, and what follows it,
    dependable.
    """

    def __init__(self, opened: Display) -> None:
        self._display = opened
        self._root = opened.screen().root
        self._pings = 0
        self._lent: dict[int, int] = {}
        self._shift = opened.keysym_to_keycode(XK.XK_Shift_L)
        self._caps = opened.keysym_to_keycode(XK.XK_Caps_Lock)

    def type(self, text: str) -> None:
        """Type the text; return when the active window has taken it, or has not answered for a
        while.
        """
        wanted = [keysym(each) for each in text.replace("\r\n", "\n").replace("\r", "\n")]
        with self._caps_lock_off():
            while wanted:
                keys = self._keys(wanted[:RUN])
                for code, shifted in keys:
                    self._tap(code, shifted)
                taken = self.wait_until_taken()
                if taken:
                    self._give_back()
                wanted = wanted[len(keys) :]

    @contextmanager
    def held(self, symbol: int) -> Iterator[None]:
        """Hold the key of a character down (with shift if it takes that) while the block runs."""
        [(code, shifted)] = self._keys([symbol])
        if shifted:
            self._send(X.KeyPress, self._shift)
        self._send(X.KeyPress, code)
        self._display.sync()
        try:
            yield
        finally:
            self._send(X.KeyRelease, code)
            if shifted:
                self._send(X.KeyRelease, self._shift)
            self._display.sync()
            if self._lent and self.wait_until_taken():
                self._give_back()

    def _send(self, kind: int, code: int) -> None:
        fake_input(self._display, kind, code)

    def _tap(self, code: int, shifted: bool) -> None:
        if shifted:
            self._send(X.KeyPress, self._shift)
        self._send(X.KeyPress, code)
        self._send(X.KeyRelease, code)
        if shifted:
            self._send(X.KeyRelease, self._shift)

    @contextmanager
    def _caps_lock_off(self) -> Iterator[None]:
        locked = self._root.query_pointer().mask & X.LockMask
        if locked:
            self._tap(self._caps, False)
        yield
        if locked:
            self._tap(self._caps, False)
            self._display.sync()

    def _keys(self, wanted: list[int]) -> list[tuple[int, bool]]:
        """Code and shift for as many of the wanted symbols, from the first on, as unused codes can
        be lent to.
        """
        known, unused = self._layout()
        free = [code for code in unused if code not in self._lent.values()]
        keys = []
        for symbol in wanted:
            if symbol in known:
                keys.append(known[symbol])
                continue
            if symbol not in self._lent:
                if not free:
                    break
                self._lend(free.pop(0), symbol)
            keys.append((self._lent[symbol], False))
        if not keys:
            raise Untypable("the keyboard layout leaves no key code unused")
        return keys

    def _layout(self) -> tuple[dict[int, tuple[int, bool]], list[int]]:
        """Where each symbol is on the current layout, and the codes without any. Read afresh:
        layouts change.
        """
        info = self._display.display.info
        first = info.min_keycode
        table = self._display.get_keyboard_mapping(first, info.max_keycode - first + 1)
        group = 2 * (self._root.query_pointer().mask >> 13 & 3)
        known: dict[int, tuple[int, bool]] = {}
        unused = []
        lent = set(self._lent.values())
        for code, symbols in enumerate(table, first):
            if code in lent or not any(symbols):
                unused.append(code)
                continue
            here = symbols[group : group + 2]
            for level, symbol in enumerate(here if any(here) else symbols[:2]):
                if symbol:
                    known.setdefault(symbol, (code, level == 1))
            lower = here[0] if here else 0
            if 0x61 <= lower <= 0x7A and not any(here[1:]):
                known.setdefault(lower - 0x20, (code, True))
        return known, unused

    def _lend(self, code: int, symbol: int) -> None:
        self._display.change_keyboard_mapping(code, [(symbol, symbol)])
        self._lent[symbol] = code

    def _give_back(self) -> None:
        for code in self._lent.values():
            self._display.change_keyboard_mapping(code, [(X.NoSymbol, X.NoSymbol)])
        self._lent.clear()
        self._display.sync()

    def wait_until_taken(self, within: float = ANSWER_WITHIN) -> bool:
        """Whether the active window said, in time, that it has taken every key sent so far."""
        self._display.sync()
        window = x11.active(self._display)
        if window is None or not self._answers(window):
            return False
        self._pings = self._pings % 0xFFFF + 1
        ping = self._display.get_atom("_NET_WM_PING")
        data = [ping, 0x70000000 | self._pings, window.id, 0, 0]
        sent = event.ClientMessage(
            window=window, client_type=self._display.get_atom("WM_PROTOCOLS"), data=(32, data)
        )
        # The answer is sent to the root window, where we hear it only while we listen.
        self._root.change_attributes(event_mask=X.SubstructureNotifyMask)
        window.send_event(sent)
        self._display.flush()
        try:
            return self._heard(data[1], time.monotonic() + within)
        finally:
            self._root.change_attributes(event_mask=X.NoEventMask)
            self._display.sync()
            while self._display.pending_events():
                self._display.next_event()

    def _answers(self, window: Any) -> bool:
        ping = self._display.get_atom("_NET_WM_PING")
        try:
            return ping in (window.get_wm_protocols() or ())
        except error.BadWindow:
            return False

    def _heard(self, number: int, end: float) -> bool:
        while True:
            while self._display.pending_events():
                seen = self._display.next_event()
                if seen.type == X.ClientMessage and seen.data[1][1] == number:
                    return True
            left: Optional[float] = end - time.monotonic()
            if left is None or left <= 0:
                return False
            select.select([self._display], [], [], left)
