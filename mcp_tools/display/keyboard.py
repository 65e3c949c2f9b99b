"""Typing any text into any application with real key events.

A character in the keyboard layout is typed with its own key, as a person would. Any other character
is temporarily assigned to a key code that the layout leaves unused. An application translates a key
event with the keymap that it reads *when it handles the event*, so a code must keep its meaning
until then. A window manager's ping (`_NET_WM_PING`) tells when that is: it goes through the same
queue as the keys before it, so the reply means that they have been handled.
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
from ambidex.mcp_tools.display.idle import wait_until_idle
from ambidex.mcp_tools.display.keymap import UNUSED, Key, Keymap, key_for
from ambidex.mcp_tools.display.layout import LayoutChanges

__all__ = ["Keyboard", "KeyboardBusyError", "UntypableError", "keysym"]

CONTROLS = {"\n": XK.XK_Return, "\t": XK.XK_Tab}
TYPED_BY_NUMBER = re.compile("chrom|electron|code|brave|edge", re.IGNORECASE)
"""Programs built on Chromium. Missing characters are typed by number there, as GTK lets people do:
of two temporarily assigned keys in a row they sometimes read the first as the second."""
DIGITS = frozenset(map(ord, "0123456789abcdefu "))
BATCH = 100
"""Keys sent before waiting until they are handled, so that no queue grows without bound."""
PART = 25
"""Keys sent between two pings."""
ANSWER_WITHIN = 60.0
"""Seconds that a program may take to handle the keys between two pings."""
FIRST_PING = 0x70000000
"""A number below those of our pings. The window manager numbers its own by the time."""
ANIMATION = 50
"""Times that a program without pings goes to sleep until its keys count as handled."""
SILENT = 3
"""Consecutive seconds that a program may sleep on a pending ping before it counts as one that never
replies, as programs built on Qt do. From then on its main thread is watched instead.
"""


class UntypableError(Exception):
    """A character that no key can produce (a control character, half of a surrogate pair)."""


class KeyboardBusyError(Exception):
    """The active window did not handle the keys in time; says how many certainly arrived."""


def keysym(character: str) -> int:
    """The X keysym of a character; `UntypableError` if it cannot be typed."""
    code = ord(character)
    if character in CONTROLS:
        return int(CONTROLS[character])
    if code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000:
        raise UntypableError(f"U+{code:04X}")
    return code if code < 0x100 else 0x01000000 | code


@dataclass(frozen=True)
class KeyPress:
    """A key code to press, with or without shift."""

    code: int
    shifted: bool


class Keyboard:
    """The keyboard of a display. Typing returns once the active window has handled the keys."""

    def __init__(self, opened: Display) -> None:
        self._display = opened
        self._root = opened.screen().root
        self._keymap = Keymap(opened)
        self._changes = LayoutChanges(opened.get_display_name())
        self._pings = 0
        self._unresponsive: set[str] = set()
        """Window classes of programs that claim to answer pings but do not."""
        self._lent_symbols: dict[int, KeyPress] = {}
        """Symbols currently assigned to unused key codes."""
        self._lent_codes: set[int] = set()
        """Their key codes, and codes of earlier assignments that were not cleared yet."""
        self._control = opened.keysym_to_keycode(XK.XK_Control_L)
        self._shift = opened.keysym_to_keycode(XK.XK_Shift_L)
        self._caps_lock = opened.keysym_to_keycode(XK.XK_Caps_Lock)
        self.disable_repeat()

    def claim_layout(self) -> None:
        """Press an unmapped key once, so that the layout change that programs see at the first key
        of a new device happens now and not at a real key."""
        unused = [code for code, key in self._keymap.read().items() if not any(key.symbols)]
        self._tap([KeyPress(code, False) for code in unused[-1:]])
        self._display.sync()
        self._changes.note()

    def wait_for_shortcuts(self) -> None:
        """Wait until the desktop's own shortcuts work, in case the layout has just changed."""
        self._display.sync()
        self._changes.settle()

    def type(self, text: str) -> None:
        """Type a text and return when the active window has handled it; `KeyboardBusyError` if it
        does not."""
        symbols = [
            keysym(character) for character in text.replace("\r\n", "\n").replace("\r", "\n")
        ]
        with self._caps_lock_off():
            known = self._known_symbols(self._keymap.read())
            if TYPED_BY_NUMBER.search(self._program()) and known.keys() >= DIGITS:
                self._type_numbers(symbols, known)
                return
            while symbols:
                keys = self._keys_for(symbols[:BATCH])
                self.disable_repeat()
                with self._replies():
                    for at in range(0, len(keys), PART):
                        self._ping()
                        self._tap(keys[at : at + PART])
                    self._wait_or_fail(len(text) - len(symbols))
                symbols = symbols[len(keys) :]
            self._give_back()

    def _type_numbers(self, symbols: list[int], known: dict[int, KeyPress]) -> None:
        """Type characters missing from the layout by number: ctrl+shift+u, hex digits, space.

        A half-typed number is lost when the page reports that the focus has moved to another field,
        so the page must first have handled the keys that may move it."""
        chord = [
            KeyPress(self._control, False),
            KeyPress(self._shift, False),
            KeyPress(known[ord("u")].code, False),
        ]
        self.disable_repeat()
        moved = True
        for at in range(0, len(symbols), BATCH):
            for symbol in symbols[at : at + BATCH]:
                if symbol in known:
                    self._tap([known[symbol]])
                    moved = moved or symbol in CONTROLS.values()
                    continue
                if moved:
                    self._wait_for_page(at)
                    moved = False
                for key in chord:
                    self._press(key)
                for key in reversed(chord):
                    self._release(key)
                self._tap([known[ord(digit)] for digit in f"{symbol & 0xFFFFFF:x} "])
            self._wait_or_fail(at)
        # Where the page takes longer, the keys wait for it in the browser's queue.
        self._page_is_idle()

    def _wait_or_fail(self, certain: int) -> None:
        """Wait until the keys are handled: the active window replies to a ping or, where it never
        does, its program goes idle."""
        if self.wait_until_taken():
            return
        window = x11.active(self._display)
        if window is None:
            return
        replies = self._supports_ping(window) and self._program() not in self._unresponsive
        program = [x11.owner(window)]
        if replies or not wait_until_idle(self._display, program, ANSWER_WITHIN, ANIMATION):
            raise KeyboardBusyError(f"{certain} characters have certainly arrived")

    def _wait_for_page(self, certain: int) -> None:
        """Wait until the browser and the page in the active window have handled the keys."""
        self._wait_or_fail(certain)
        if not self._page_is_idle():
            raise KeyboardBusyError(f"{certain} characters have certainly arrived")

    def _page_is_idle(self) -> bool:
        """Whether the page in the active window has handled, in time, the keys that its browser has
        taken, and the browser what the page reported. The page is another process."""
        window = x11.active(self._display)
        browser = x11.owner(window) if window else 0
        pages = threads.pages([browser]) if browser else {}
        return all(
            wait_until_idle(self._display, pids, ANSWER_WITHIN, ANIMATION)
            for pids in (pages, set(pages.values()))
        )

    def _program(self) -> str:
        """Class of the active window; empty if there is none."""
        window = x11.active(self._display)
        try:
            names = window.get_wm_class() if window else None
        except error.BadWindow:
            names = None
        return " ".join(names or ())

    @contextmanager
    def held(self, symbol: int, repeat: bool = False) -> Iterator[None]:
        """Hold down the key of a character (with shift if needed) while the block runs."""
        [key] = self._keys_for([symbol])
        self.disable_repeat()
        with self.repeating(key.code) if repeat else nullcontext():
            self._press(key)
            self._display.sync()
            try:
                yield
            finally:
                self._release(key)
                self._display.sync()
                if self._lent_codes and self.wait_until_taken():
                    self._give_back()

    @contextmanager
    def repeating(self, code: int) -> Iterator[None]:
        """Let this key auto-repeat while it is held down in the block."""
        self._keymap.repeat({code})
        try:
            yield
        finally:
            self._keymap.repeat(set())

    def disable_repeat(self) -> None:
        """Disable auto-repeat for all keys, so that a key counts once even if its release is
        delayed: the server would repeat it after half a second.

        Per key, not with the global switch: that is stored in one word with the accessibility
        settings, and their daemon writes the word back as it last read it, sometimes after we have
        set it again. In one request and permanently, because each change keeps the daemon and the
        display busy for a second or two.
        """
        if self._keymap.repeating():
            self._keymap.repeat(set())

    def _tap(self, keys: list[KeyPress]) -> None:
        for key in keys:
            self._press(key)
            self._release(key)

    def _press(self, key: KeyPress) -> None:
        if key.shifted:
            fake_input(self._display, X.KeyPress, self._shift)
        fake_input(self._display, X.KeyPress, key.code)

    def _release(self, key: KeyPress) -> None:
        fake_input(self._display, X.KeyRelease, key.code)
        if key.shifted:
            fake_input(self._display, X.KeyRelease, self._shift)

    @contextmanager
    def _caps_lock_off(self) -> Iterator[None]:
        locked = self._root.query_pointer().mask & X.LockMask
        caps = KeyPress(self._caps_lock, False)
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

    def _keys_for(self, symbols: list[int]) -> list[KeyPress]:
        """Key presses for as many of the first symbols as there are unused codes for.

        All keys sent before must have been handled, because their codes may be assigned again.
        """
        layout = self._keymap.read()
        lent_codes = self._lent_codes
        known = self._known_symbols(
            {code: key for code, key in layout.items() if code not in lent_codes}
        )
        unused = [
            code for code, key in layout.items() if code in lent_codes or not any(key.symbols)
        ]
        missing = list(dict.fromkeys(symbol for symbol in symbols if symbol not in known))
        missing = missing[: 2 * len(unused)]
        if any(symbol not in self._lent_symbols for symbol in missing):
            self._lend(unused, missing)
        known.update(self._lent_symbols)
        keys = []
        for symbol in symbols:
            if symbol not in known:
                break
            keys.append(known[symbol])
        if not keys:
            raise UntypableError("the keyboard layout has no unused key code")
        return keys

    def _known_symbols(self, layout: dict[int, Key]) -> dict[int, KeyPress]:
        """Key press for each symbol of the layout in the current group."""
        group = self._root.query_pointer().mask >> 13 & 3
        known: dict[int, KeyPress] = {}
        for code, key in layout.items():
            for shifted in (False, True):
                symbol = key.level(group, int(shifted))
                if symbol:
                    known.setdefault(symbol, KeyPress(code, shifted))
        return known

    def _lend(self, unused: list[int], symbols: list[int]) -> None:
        """Assign symbols to unused codes, two per code, in one change of the layout."""
        pairs = [symbols[start : start + 2] for start in range(0, len(symbols), 2)]
        changes = {}
        self._lent_symbols.clear()
        for code, pair in zip(unused, pairs, strict=False):
            changes[code] = key_for(pair[0], pair[-1])
            for level, symbol in enumerate(pair):
                self._lent_symbols[symbol] = KeyPress(code, bool(level))
        self._lent_codes.update(changes)
        self._keymap.change(changes)

    def _give_back(self) -> None:
        if self._lent_codes:
            self._keymap.change(dict.fromkeys(self._lent_codes, UNUSED))
            self._lent_codes.clear()
            self._lent_symbols.clear()
            self._changes.note()

    def wait_until_taken(self) -> bool:
        """Whether the active window confirms, in time, that it has handled all keys sent so far."""
        with self._replies():
            sent = self._ping()
            if sent is None:
                return False
            number, window, program = sent
            answered = self._wait_for_pong(number, x11.owner(window))
            if answered is None:
                self._unresponsive.add(program)
            return bool(answered)

    @contextmanager
    def _replies(self) -> Iterator[None]:
        """Receive the replies to pings in the block. They go to the root window, and arrive only
        while we select its events."""
        self._root.change_attributes(event_mask=X.SubstructureNotifyMask)
        try:
            yield
        finally:
            self._root.change_attributes(event_mask=X.NoEventMask)
            self._display.sync()
            while self._display.pending_events():
                self._display.next_event()

    def _ping(self) -> Optional[tuple[int, Any, str]]:
        """Ping the active window after the keys sent so far: the number that its reply will have,
        the window, and its class. None if no window is active, or this one does not reply."""
        self._display.sync()
        window = x11.active(self._display)
        program = self._program()
        if window is None or program in self._unresponsive or not self._supports_ping(window):
            return None
        self._pings = self._pings % 0xFFFF + 1
        ping = self._display.get_atom("_NET_WM_PING")
        data = [ping, FIRST_PING + self._pings, window.id, 0, 0]
        message = event.ClientMessage(
            window=window, client_type=self._display.get_atom("WM_PROTOCOLS"), data=(32, data)
        )
        window.send_event(message)
        self._display.flush()
        return data[1], window, program

    def _supports_ping(self, window: Any) -> bool:
        ping = self._display.get_atom("_NET_WM_PING")
        try:
            return ping in (window.get_wm_protocols() or ())
        except error.BadWindow:
            return False

    def _wait_for_pong(self, number: int, owner: int) -> Optional[bool]:
        """Whether the reply came, each within `ANSWER_WITHIN` seconds of the one before; None if
        the program sleeps instead of replying."""
        sleeping_seconds, used = 0, threads.main_thread_time(owner)
        end = time.monotonic() + ANSWER_WITHIN
        while True:
            while self._display.pending_events():
                received = self._display.next_event()
                if received.type == X.ClientMessage:
                    if received.data[1][1] == number:
                        return True
                    if FIRST_PING < received.data[1][1] < number:
                        end = time.monotonic() + ANSWER_WITHIN
            left = end - time.monotonic()
            if left <= 0:
                return False
            if select.select([self._display], [], [], min(left, 1.0))[0]:
                continue
            self._display.sync()  # rules out that the X server itself was stalled
            before, used = used, threads.main_thread_time(owner)
            is_sleeping = threads.state(owner) == "S" and used - before < 0.1
            sleeping_seconds = sleeping_seconds + 1 if is_sleeping else 0
            if sleeping_seconds == SILENT:
                return None
