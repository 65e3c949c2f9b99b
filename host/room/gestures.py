"""Translation of a person's mouse and keyboard events to an agent's calls: clicks, drags, scrolls,
text and key chords.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ambidex.host import GUI
from ambidex.host.records.orders import Act
from ambidex.host.room.rfb import Key, Pointer

__all__ = ["Gestures"]

AGAIN = 0.5
"""Seconds within which a second click at the same place makes a double click."""
PAUSE = 1.0
"""Seconds of inactivity after which typing or scrolling counts as finished."""
MOST = 100
"""Largest number of key presses merged into one action."""
NEAR = 5
"""Pixels within which a press and its release are a click."""

BUTTONS = {1: "left", 2: "middle", 4: "right"}
WHEEL = {8: (0, -1), 16: (0, 1), 32: (-1, 0), 64: (1, 0)}
CLICKS = {"left": "click", "middle": "middle_click", "right": "right_click"}
MORE = {"click": "double_click", "double_click": "triple_click"}

MODIFIERS = {
    0xFFE1: "shift", 0xFFE2: "shift", 0xFFE3: "ctrl", 0xFFE4: "ctrl", 0xFFE7: "win", 0xFFE8: "win",
    0xFFE9: "alt", 0xFFEA: "alt", 0xFFEB: "win", 0xFFEC: "win",
}  # fmt: skip
SILENT = {0xFE03, 0xFFE5, 0xFF7E, 0xFF7F, 0xFF14}
"""Keys that only change the meaning of others: the third level, and the locks."""
NAMES = {
    0xFF08: "backspace", 0xFF09: "tab", 0xFE20: "tab", 0xFF0D: "enter", 0xFF8D: "enter",
    0xFF1B: "escape", 0xFF50: "home", 0xFF51: "left", 0xFF52: "up", 0xFF53: "right", 0xFF54: "down",
    0xFF55: "pageup", 0xFF56: "pagedown", 0xFF57: "end", 0xFF61: "printscreen", 0xFF63: "insert",
    0xFF67: "apps", 0xFFFF: "delete",
    **{0xFFBE + number: f"f{number + 1}" for number in range(12)},
}  # fmt: skip
"""pyautogui's key names by X keysym."""
KEYPAD = {0xFFAA: "*", 0xFFAB: "+", 0xFFAD: "-", 0xFFAE: ".", 0xFFAF: "/"} | {
    0xFFB0 + digit: str(digit) for digit in range(10)
}


@dataclass(frozen=True)
class Gesture:
    """A gesture that may still grow: a click into a double click, a letter into a word."""

    what: str
    arguments: dict[str, Any]
    since: float

    def act(self) -> Act:
        """The gesture as an agent's call."""
        return Act(call=f"{GUI}_{self.what}", arguments=self.arguments)


@dataclass
class Gestures:
    """Turns input events into actions. Times are seconds of any monotonic clock."""

    _current: Gesture | None = None
    _held: set[str] = field(default_factory=set)
    _buttons: int = 0
    _pressed: dict[int, Pointer] = field(default_factory=dict)

    def take(self, event: Pointer | Key, at: float) -> list[Act]:
        """Add an event; returns the actions that it completes."""
        new = self._pointer(event, at) if isinstance(event, Pointer) else self._key(event, at)
        return [act for gesture in new for act in self._append(gesture)]

    def rest(self, at: float) -> list[Act]:
        """The current action, if it is complete because nothing followed it for long enough."""
        current = self._current
        if current is None or at - current.since < (
            PAUSE if current.what in ("type", "scroll") else AGAIN
        ):
            return []
        return self.end()

    def end(self) -> list[Act]:
        """Complete the current action now."""
        current, self._current = self._current, None
        return [current.act()] if current else []

    def _append(self, new: Gesture) -> list[Act]:
        if self._current and (grown := _grown(self._current, new)):
            self._current = grown
            return []
        ended = self.end()
        self._current = new
        return ended

    def _pointer(self, event: Pointer, at: float) -> list[Gesture]:
        gestures = []
        changed, self._buttons = self._buttons ^ event.buttons, event.buttons
        for bit, (dx, dy) in WHEEL.items():
            if changed & bit and event.buttons & bit:
                turned = {"x": event.x, "y": event.y, "dx": dx, "dy": dy}
                gestures.append(Gesture("scroll", turned | self._keys(), at))
        for bit, button in BUTTONS.items():
            if changed & bit and event.buttons & bit:
                self._pressed[bit] = event
            elif changed & bit and bit in self._pressed:
                gestures.append(self._released(self._pressed.pop(bit), event, button, at))
        return gestures

    def _released(self, start: Pointer, end: Pointer, button: str, at: float) -> Gesture:
        place: dict[str, Any] = {"x": start.x, "y": start.y}
        if max(abs(end.x - start.x), abs(end.y - start.y)) <= NEAR:
            return Gesture(CLICKS[button], place | self._keys(), at)
        moved = place | {"to_x": end.x, "to_y": end.y}
        which = {} if button == "left" else {"button": button}
        return Gesture("drag", moved | which | self._keys(), at)

    def _keys(self) -> dict[str, Any]:
        return {"keys": sorted(self._held)} if self._held else {}

    def _key(self, event: Key, at: float) -> list[Gesture]:
        if name := MODIFIERS.get(event.symbol):
            (self._held.add if event.down else self._held.discard)(name)
            return []
        if not event.down or event.symbol in SILENT:
            return []
        character = KEYPAD.get(event.symbol) or _character(event.symbol)
        if character and not self._held - {"shift"}:
            return [Gesture("type", {"text": character}, at)]
        # Shift is a key of a chord, except where the character already includes its effect ("!").
        made = character and not character.isalpha()
        held = sorted(self._held - {"shift"} if made else self._held)
        name = NAMES.get(event.symbol) or (character or f"keysym-{event.symbol:#x}").lower()
        return [Gesture("key", {"keys": [*held, name]}, at)]


def _grown(old: Gesture, new: Gesture) -> Gesture | None:
    """The two gestures merged into one, if they belong together."""
    one, two, apart = old.arguments, new.arguments, new.since - old.since
    match (old.what, new.what):
        case ("type", "type"):
            return replace(new, arguments={"text": one["text"] + two["text"]})
        case ("key", "key") if one["keys"] == two["keys"] and apart <= PAUSE:
            times = one.get("times", 1)
            return replace(new, arguments=two | {"times": times + 1}) if times < MOST else None
        case ("scroll", "scroll") if _place(old) == _place(new) and apart <= PAUSE:
            turned = {way: one[way] + two[way] for way in ("dx", "dy")}
            return replace(new, arguments=one | turned)
        case ("click" | "double_click", "click") if _place(old) == _place(new) and apart <= AGAIN:
            return replace(new, what=MORE[old.what], arguments=one)
    return None


def _place(gesture: Gesture) -> tuple[Any, ...]:
    x, y = gesture.arguments["x"], gesture.arguments["y"]
    return x // NEAR, y // NEAR, tuple(gesture.arguments.get("keys", ()))


def _character(symbol: int) -> str:
    """The character that a keysym types; empty if it types none."""
    if 0x20 <= symbol < 0x7F or 0xA0 <= symbol < 0x100:
        return chr(symbol)
    if symbol & 0xFF000000 == 0x01000000:
        return chr(symbol & 0xFFFFFF)
    return ""
