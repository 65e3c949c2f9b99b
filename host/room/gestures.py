"""What a person does with mouse and keyboard, in the words of an agent: clicks, drags, turns of the
wheel, text, chords.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ambidex.host import GUI
from ambidex.host.records.orders import Act
from ambidex.host.room.rfb import Key, Pointer

__all__ = ["Gestures"]

AGAIN = 0.5
"""Seconds within which a click at the same place makes a double click."""
PAUSE = 1.0
"""Seconds after which text, or turning the wheel, counts as ended."""
MOST = 100
"""Presses that one action may stand for."""
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
"""Keys that only change what others mean: the third level, and the locks."""
NAMES = {
    0xFF08: "backspace", 0xFF09: "tab", 0xFE20: "tab", 0xFF0D: "enter", 0xFF8D: "enter",
    0xFF1B: "escape", 0xFF50: "home", 0xFF51: "left", 0xFF52: "up", 0xFF53: "right", 0xFF54: "down",
    0xFF55: "pageup", 0xFF56: "pagedown", 0xFF57: "end", 0xFF61: "printscreen", 0xFF63: "insert",
    0xFF67: "apps", 0xFFFF: "delete",
    **{0xFFBE + number: f"f{number + 1}" for number in range(12)},
}  # fmt: skip
"""pyautogui's names of keys by their X keysyms."""
KEYPAD = {0xFFAA: "*", 0xFFAB: "+", 0xFFAD: "-", 0xFFAE: ".", 0xFFAF: "/"} | {
    0xFFB0 + digit: str(digit) for digit in range(10)
}


@dataclass(frozen=True)
class Doing:
    """Something that may still become more: a click a double click, a letter a word."""

    what: str
    arguments: dict[str, Any]
    since: float

    def act(self) -> Act:
        """As an agent would have called it."""
        return Act(call=f"{GUI}_{self.what}", arguments=self.arguments)


@dataclass
class Gestures:
    """Turns events into actions. Times are seconds of any clock."""

    _doing: Doing | None = None
    _held: set[str] = field(default_factory=set)
    _buttons: int = 0
    _pressed: dict[int, Pointer] = field(default_factory=dict)

    def take(self, event: Pointer | Key, at: float) -> list[Act]:
        """The actions that have ended with this event."""
        found = self._pointer(event, at) if isinstance(event, Pointer) else self._key(event, at)
        return [act for each in found for act in self._then(each)]

    def rest(self, at: float) -> list[Act]:
        """The action that has ended because nothing came after it."""
        doing = self._doing
        if doing is None or at - doing.since < (
            PAUSE if doing.what in ("type", "scroll") else AGAIN
        ):
            return []
        return self.end()

    def end(self) -> list[Act]:
        """Whatever was being done, ended now."""
        doing, self._doing = self._doing, None
        return [doing.act()] if doing else []

    def _then(self, new: Doing) -> list[Act]:
        if self._doing and (grown := _grown(self._doing, new)):
            self._doing = grown
            return []
        ended = self.end()
        self._doing = new
        return ended

    def _pointer(self, event: Pointer, at: float) -> list[Doing]:
        found = []
        changed, self._buttons = self._buttons ^ event.buttons, event.buttons
        for bit, (dx, dy) in WHEEL.items():
            if changed & bit and event.buttons & bit:
                turned = {"x": event.x, "y": event.y, "dx": dx, "dy": dy}
                found.append(Doing("scroll", turned | self._keys(), at))
        for bit, button in BUTTONS.items():
            if changed & bit and event.buttons & bit:
                self._pressed[bit] = event
            elif changed & bit and bit in self._pressed:
                found.append(self._released(self._pressed.pop(bit), event, button, at))
        return found

    def _released(self, start: Pointer, end: Pointer, button: str, at: float) -> Doing:
        place: dict[str, Any] = {"x": start.x, "y": start.y}
        if max(abs(end.x - start.x), abs(end.y - start.y)) <= NEAR:
            return Doing(CLICKS[button], place | self._keys(), at)
        moved = place | {"to_x": end.x, "to_y": end.y}
        which = {} if button == "left" else {"button": button}
        return Doing("drag", moved | which | self._keys(), at)

    def _keys(self) -> dict[str, Any]:
        return {"keys": sorted(self._held)} if self._held else {}

    def _key(self, event: Key, at: float) -> list[Doing]:
        if name := MODIFIERS.get(event.symbol):
            (self._held.add if event.down else self._held.discard)(name)
            return []
        if not event.down or event.symbol in SILENT:
            return []
        character = KEYPAD.get(event.symbol) or _character(event.symbol)
        if character and not self._held - {"shift"}:
            return [Doing("type", {"text": character}, at)]
        # In a chord shift is a key of its own; but what it makes of a digit is in the character.
        made = character and not character.isalpha()
        held = sorted(self._held - {"shift"} if made else self._held)
        name = NAMES.get(event.symbol) or (character or f"keysym-{event.symbol:#x}").lower()
        return [Doing("key", {"keys": [*held, name]}, at)]


def _grown(old: Doing, new: Doing) -> Doing | None:
    """Both as one, where they are."""
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


def _place(doing: Doing) -> tuple[Any, ...]:
    x, y = doing.arguments["x"], doing.arguments["y"]
    return x // NEAR, y // NEAR, tuple(doing.arguments.get("keys", ()))


def _character(symbol: int) -> str:
    """What the keysym types; empty where it types nothing."""
    if 0x20 <= symbol < 0x7F or 0xA0 <= symbol < 0x100:
        return chr(symbol)
    if symbol & 0xFF000000 == 0x01000000:
        return chr(symbol & 0xFFFFFF)
    return ""
