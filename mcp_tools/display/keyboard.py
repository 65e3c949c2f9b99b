"""Typing any text, into any application, by real key events.

A character that the keyboard layout has is typed with its own key, as a person would. Any other is
given, for as long as it takes, to a key code that the layout leaves unused. An application
translates a key event by the keymap it reads *when it gets to the event*, so a code must not change
its meaning before then. We know when: a window manager's ping (`_NET_WM_PING`) goes through the
same queue as the keys before it, and the answer says they were taken.
"""

from __future__ import annotations

import re
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Optional

from Xlib import XK, X, error
from Xlib.display import Display
from Xlib.ext.xtest import fake_input
from Xlib.protocol import event

from ambidex.mcp_tools.display import threads, x11
from ambidex.mcp_tools.display.keymap import UNUSED, Key, Keymap, lent
from ambidex.mcp_tools.display.layout import LayoutChanges

__all__ = ["Keyboard", "KeyboardBusyError", "UntypableError", "keysym"]

CONTROLS = {"\n": XK.XK_Return, "\t": XK.XK_Tab}
NUMBERS = re.compile("chrom|electron|code|brave|edge", re.IGNORECASE)
"""Programs built on Chromium. They get a character by its number, as GTK lets a person type it: of
two lent keys in a row they now and then take the second for the first."""
DIGITS = frozenset(map(ord, "0123456789abcdefu "))
RUN = 100
"""Keys sent before we wait until they were taken, so that no queue grows without a bound."""
ANSWER_WITHIN = 20.0
SILENT = 3
"""Seconds in a row for which a program sleeps with a ping unanswered, until it counts as one that
answers none, as those built on Qt do: it is believed to be fast from then on.
"""


IDLE = 0.1
"""Seconds without a wake-up after which a program's main thread counts as idle."""
BUSY = 50
"""Times that a main thread which never idles (an animation) goes to sleep, until its events count
as handled."""


class UntypableError(Exception):
    """A character that no key stands for (a control character, half of a surrogate pair)."""


class KeyboardBusyError(Exception):
    """The active window did not take the keys in time; says how many are certain to have come."""


def keysym(character: str) -> int:
    """The X name of a character; `UntypableError` for what is no character to type."""
    code = ord(character)
    if character in CONTROLS:
        return int(CONTROLS[character])
    if code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000:
        raise UntypableError(f"U+{code:04X}")
    return code if code < 0x100 else 0x01000000 | code


@dataclass(frozen=True)
class Tap:
    """A key to press, and whether with shift."""

    code: int
    shifted: bool


class Keyboard:
    """The keyboard of a display. `wait_until_taken` makes typing and what follows dependable."""

    def __init__(self, opened: Display) -> None:
        self._display = opened
        self._root = opened.screen().root
        self._keymap = Keymap(opened)
        self._changes = LayoutChanges(opened.get_display_name())
        self._pings = 0
        self._mute: set[str] = set()
        """Programs, by class, that say they answer pings and do not."""
        self._lent: dict[int, Tap] = {}
        """Symbols that unused key codes stand for at the moment."""
        self._borrowed: set[int] = set()
        """Those codes, and others that were lent before and not given back yet."""
        self._control = opened.keysym_to_keycode(XK.XK_Control_L)
        self._shift = opened.keysym_to_keycode(XK.XK_Shift_L)
        self._caps = opened.keysym_to_keycode(XK.XK_Caps_Lock)
        self.let_none_repeat()

    def come_first(self) -> None:
        """Touch a key that stands for nothing: the first one that a keyboard has is a change of
        layout to all programs, and then has been."""
        unused = [code for code, key in self._keymap.read().items() if not any(key.symbols)]
        self._tap([Tap(code, False) for code in unused[-1:]])
        self._display.sync()
        self._changes.note()

    def settle(self) -> None:
        """Return when the desktop's own shortcuts are heard, were the layout changed just now."""
        self._display.sync()
        self._changes.settle()

    def type(self, text: str) -> None:
        """Type the text; return when the active window has taken it; `KeyboardBusyError` if it does
        not."""
        wanted = [keysym(each) for each in text.replace("\r\n", "\n").replace("\r", "\n")]
        with self._caps_lock_off():
            known = self._known(self._keymap.read())
            if NUMBERS.search(self._program()) and known.keys() >= DIGITS:
                self._type_numbers(wanted, known)
                return
            while wanted:
                keys = self._keys(wanted[:RUN])
                self.let_none_repeat()
                self._tap(keys)
                self._wait_or_fail(len(text) - len(wanted))
                wanted = wanted[len(keys) :]
            self._give_back()

    def _type_numbers(self, wanted: list[int], known: dict[int, Tap]) -> None:
        """Type what the layout lacks by its number: ctrl+shift+u, hexadecimal digits, space."""
        held = [
            Tap(self._control, False),
            Tap(self._shift, False),
            Tap(known[ord("u")].code, False),
        ]
        self.let_none_repeat()
        for at in range(0, len(wanted), RUN):
            for symbol in wanted[at : at + RUN]:
                if symbol in known:
                    self._tap([known[symbol]])
                    continue
                for key in held:
                    self._press(key)
                for key in reversed(held):
                    self._release(key)
                self._tap([known[ord(digit)] for digit in f"{symbol & 0xFFFFFF:x} "])
            self._wait_or_fail(at)

    def _wait_or_fail(self, certain: int) -> None:
        """Return once the keys were taken: the active window answered a ping, or its program, if it
        answers none, went idle."""
        if self.wait_until_taken():
            return
        window = x11.active(self._display)
        if window is not None and self._answers(window) and self._program() not in self._mute:
            raise KeyboardBusyError(f"{certain} characters are certain to have come")
        if window is not None and not self._wait_until_idle(x11.owner(window)):
            raise KeyboardBusyError(f"{certain} characters are certain to have come")

    def _program(self) -> str:
        """The class of the active window; empty if there is none."""
        window = x11.active(self._display)
        try:
            names = window.get_wm_class() if window else None
        except error.BadWindow:
            names = None
        return " ".join(names or ())

    @contextmanager
    def held(self, symbol: int, repeat: bool = False) -> Iterator[None]:
        """Hold the key of a character down (with shift if it takes that) while the block runs."""
        [key] = self._keys([symbol])
        self.let_none_repeat()
        with self.repeating(key.code) if repeat else nullcontext():
            self._press(key)
            self._display.sync()
            try:
                yield
            finally:
                self._release(key)
                self._display.sync()
                if self._borrowed and self.wait_until_taken():
                    self._give_back()

    @contextmanager
    def repeating(self, code: int) -> Iterator[None]:
        """This key repeats while it is held down in the block."""
        self._keymap.repeat({code})
        try:
            yield
        finally:
            self._keymap.repeat(set())

    def let_none_repeat(self) -> None:
        """A key that is pressed counts once, however long we are held up before it is released: the
        server would repeat it after half a second.

        Key by key, since the switch for all of them lies in one word with the accessibility
        settings: the session's daemon of those, told of a change, writes the word back as it read
        it, and sometimes that is after we have switched on again. In one request, and for good:
        after every change that daemon and the display are at work for a second or two.
        """
        if self._keymap.repeating():
            self._keymap.repeat(set())

    def _tap(self, keys: list[Tap]) -> None:
        for key in keys:
            self._press(key)
            self._release(key)

    def _press(self, key: Tap) -> None:
        if key.shifted:
            fake_input(self._display, X.KeyPress, self._shift)
        fake_input(self._display, X.KeyPress, key.code)

    def _release(self, key: Tap) -> None:
        fake_input(self._display, X.KeyRelease, key.code)
        if key.shifted:
            fake_input(self._display, X.KeyRelease, self._shift)

    @contextmanager
    def _caps_lock_off(self) -> Iterator[None]:
        locked = self._root.query_pointer().mask & X.LockMask
        caps = Tap(self._caps, False)
        if locked:
            self._press(caps)
            self._release(caps)
        try:
            yield
        finally:
            if locked:
                self._press(caps)
                self._release(caps)
                self._display.sync()

    def _keys(self, wanted: list[int]) -> list[Tap]:
        """How to type the wanted symbols, from the first on, as far as unused codes go round.

        Everything sent before must have been taken: codes lent then may be lent anew.
        """
        layout = self._keymap.read()
        ours = self._borrowed
        known = self._known({code: key for code, key in layout.items() if code not in ours})
        unused = [code for code, key in layout.items() if code in ours or not any(key.symbols)]
        strange = list(dict.fromkeys(each for each in wanted if each not in known))
        strange = strange[: 2 * len(unused)]
        if any(each not in self._lent for each in strange):
            self._lend(unused, strange)
        known.update(self._lent)
        keys = []
        for symbol in wanted:
            if symbol not in known:
                break
            keys.append(known[symbol])
        if not keys:
            raise UntypableError("the keyboard layout leaves no key code unused")
        return keys

    def _known(self, layout: dict[int, Key]) -> dict[int, Tap]:
        """How to type each symbol of the layout in the group that is chosen now."""
        group = self._root.query_pointer().mask >> 13 & 3
        known: dict[int, Tap] = {}
        for code, key in layout.items():
            for shifted in (False, True):
                symbol = key.level(group, int(shifted))
                if symbol:
                    known.setdefault(symbol, Tap(code, shifted))
        return known

    def _lend(self, unused: list[int], symbols: list[int]) -> None:
        """Let unused codes stand for the symbols, two to a code, in one change of the layout."""
        pairs = [symbols[at : at + 2] for at in range(0, len(symbols), 2)]
        changes = {}
        self._lent.clear()
        for code, pair in zip(unused, pairs, strict=False):
            changes[code] = lent(pair[0], pair[-1])
            for level, symbol in enumerate(pair):
                self._lent[symbol] = Tap(code, bool(level))
        self._borrowed.update(changes)
        self._keymap.change(changes)

    def _give_back(self) -> None:
        if self._borrowed:
            self._keymap.change(dict.fromkeys(self._borrowed, UNUSED))
            self._borrowed.clear()
            self._lent.clear()
            self._changes.note()

    def wait_until_taken(self, within: float = ANSWER_WITHIN) -> bool:
        """Whether the active window said, in time, that it has taken every key sent so far."""
        self._display.sync()
        window = x11.active(self._display)
        program = self._program()
        if window is None or program in self._mute or not self._answers(window):
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
            heard = self._heard(data[1], time.monotonic() + within, x11.owner(window))
            if heard is None:
                self._mute.add(program)
            return bool(heard)
        finally:
            self._root.change_attributes(event_mask=X.NoEventMask)
            self._display.sync()
            while self._display.pending_events():
                self._display.next_event()

    def _wait_until_idle(self, owner: int) -> bool:
        """Whether a program that answers no ping handled its events in time: its main thread went
        to sleep and was not woken for a while, or went to sleep often. True where the window does
        not name its program.
        """
        # The server writes to its clients between two requests of ours: after the second one, what
        # was sent before the first has been written.
        self._display.sync()
        self._display.sync()
        end = time.monotonic() + ANSWER_WITHIN
        first = last = threads.sleeps(owner)
        quiet = time.monotonic()
        while first is not None and last is not None:
            if time.monotonic() > end:
                return False
            time.sleep(0.01)
            self._display.sync()
            sleeps = threads.sleeps(owner)
            if sleeps != last or threads.state(owner) != "S":
                last, quiet = sleeps, time.monotonic()
            if last is not None and (time.monotonic() - quiet >= IDLE or last - first >= BUSY):
                break
        return True

    def _answers(self, window: Any) -> bool:
        ping = self._display.get_atom("_NET_WM_PING")
        try:
            return ping in (window.get_wm_protocols() or ())
        except error.BadWindow:
            return False

    def _heard(self, number: int, end: float, owner: int) -> Optional[bool]:
        """Whether the answer came; None from a program that sleeps rather than answer."""
        slept, used = 0, threads.used(owner)
        while True:
            while self._display.pending_events():
                seen = self._display.next_event()
                if seen.type == X.ClientMessage and seen.data[1][1] == number:
                    return True
            left = end - time.monotonic()
            if left <= 0:
                return False
            if select.select([self._display], [], [], min(left, 1.0))[0]:
                continue
            self._display.sync()  # a second without a turn of the server says nothing of a program
            before, used = used, threads.used(owner)
            rests = threads.state(owner) == "S" and used - before < 0.1
            slept = slept + 1 if rests else 0
            if slept == SILENT:
                return None
