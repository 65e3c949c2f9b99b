"""The functions of pyautogui that a model may call, and what becomes of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ambidex.host.dialects import MalformedReplyError
from ambidex.host.dialects.reading import Given, Made, Pointer, named

__all__ = ["CALLS", "SIGNATURES", "Call", "Hands"]

Point = tuple[float, float]

LEFT = {1: "computer_click", 2: "computer_double_click", 3: "computer_triple_click"}
OTHER = {"right": "computer_right_click", "middle": "computer_middle_click"}
BUTTONS: Mapping[Any, str] = {
    "left": "left", "primary": "left", 1: "left",
    "middle": "middle", 2: "middle",
    "right": "right", "secondary": "right", 3: "right",
}  # fmt: skip


class Hands:
    """The pointer and the keys that are down, between the lines of one block."""

    def __init__(self, pointer: Pointer, extent: tuple[int, int]) -> None:
        self._pointer = pointer
        self._extent = extent
        self._down: list[str] = []
        self._used = True
        """Whether something was done with the keys that are down."""

    def point(self, given: Given) -> dict[str, float]:
        """`x` and `y`, or a pair as `x`, or where the pointer is; a single one leaves the other."""
        x, y = given.take("x", "a number", int, float, list, tuple), given.maybe_number("y")
        if isinstance(x, list | tuple):
            return self._pointer.at(Given(given.action, {"x": x}).point("x"), given.action)
        if x is not None:
            x = Given(given.action, {"x": x}).number("x")
        if x is not None and y is not None:
            return self._pointer.at((x, y), given.action)
        at = self._pointer.at(None, given.action)
        there = (at["x"] if x is None else x, at["y"] if y is None else y)
        return self._pointer.at(there, given.action)

    def over(self, given: Given) -> dict[str, float]:
        """The same for the wheel, which may turn mid-screen."""
        if "x" in given or "y" in given:
            return self.point(given)
        return self._pointer.over(None, self._extent)

    def start(self, given: Given) -> Point:
        """Where the pointer is."""
        at = self._pointer.at(None, given.action)
        return at["x"], at["y"]

    def put(self, point: Point) -> Point:
        """The pointer is there now."""
        return self._pointer.put(point)

    def keys(self) -> dict[str, list[str]]:
        """The argument for keys that are down."""
        self._used = True
        return {"keys": list(self._down)} if self._down else {}

    def chord(self, keys: list[str]) -> list[str]:
        """These keys, and those that are down."""
        self._used = True
        return [*self._down, *named(keys)]

    def free(self, action: str) -> None:
        """No key is down; `MalformedReplyError` where one is, because the guest would not have it
        down."""
        if self._down:
            raise MalformedReplyError(f"{action} cannot come between keyDown and keyUp.")

    def press(self, key: str) -> None:
        """A key goes down."""
        self._down.append(named([key])[0])
        self._used = False

    def release(self, key: str) -> list[Made]:
        """A key goes up: with nothing done meanwhile, all that were down were a chord."""
        key = named([key])[0]
        if key not in self._down:
            raise MalformedReplyError(f"keyUp({key!r}) has no keyDown before it in the same block.")
        calls: list[Made] = [] if self._used else [("computer_key", {"keys": list(self._down)})]
        self._used = True
        self._down.remove(key)
        return calls

    def released(self) -> None:
        """At the end of the block nothing is down."""
        if self._down:
            raise MalformedReplyError(f"keyDown({self._down[0]!r}) has no keyUp in the same block.")


Make = Callable[[Hands, Given], list[Made]]
Call = tuple[str, Make]
"""The parameters in their order (`*`: any number of keys), and what makes calls of them."""


def _button(given: Given) -> str:
    button = given.take("button", "left, middle or right", str, int)
    if button is not None and button not in BUTTONS:
        raise MalformedReplyError(
            f"`button` of {given.action} is {button!r}: there is left, middle, right."
        )
    return BUTTONS[button] if button is not None else "left"


def _clicker(button: str = "", times: int = 0) -> Make:
    def make(hands: Hands, given: Given) -> list[Made]:
        which = button or _button(given)
        clicks = times or given.maybe_number("clicks") or 1
        if clicks not in LEFT:
            raise MalformedReplyError(f"`clicks` of {given.action} has to be 1, 2 or 3.")
        arguments = {**hands.point(given), **hands.keys()}
        given.end()
        if which == "left":
            return [(LEFT[int(clicks)], arguments)]
        return [(OTHER[which], arguments)] * int(clicks)

    return make


def _move(hands: Hands, given: Given) -> list[Made]:
    hands.free(given.action)
    at = hands.point(given)
    given.end()
    return [("computer_move", at)]


def _drag(relative: bool) -> Make:
    def make(hands: Hands, given: Given) -> list[Made]:
        start, button = hands.start(given), _button(given)
        if relative:
            across, down = given.maybe_number("xOffset") or 0, given.maybe_number("yOffset") or 0
            end = hands.put((start[0] + across, start[1] + down))
        else:
            at = hands.point(given)
            end = (at["x"], at["y"])
        given.end()
        ends = {"x": start[0], "y": start[1], "to_x": end[0], "to_y": end[1], "button": button}
        return [("computer_drag", {**ends, **hands.keys()})]

    return make


def _scroll(axis: str, sign: int) -> Make:
    def make(hands: Hands, given: Given) -> list[Made]:
        clicks = given.number("clicks")
        arguments = {**hands.over(given), axis: sign * clicks, **hands.keys()}
        given.end()
        return [("computer_scroll", arguments)]

    return make


def _write(hands: Hands, given: Given) -> list[Made]:
    hands.free(given.action)
    message = given.need("message", "a text", str, list, tuple)
    given.end()
    if isinstance(message, str):
        return [("computer_type", {"text": message})]
    keys = Given(given.action, {"message": message}).texts("message")
    return [("computer_key", {"keys": named([key])}) for key in keys]


def _press(hands: Hands, given: Given) -> list[Made]:
    keys = given.need("keys", "a key or a list of keys", str, list, tuple)
    keys = [keys] if isinstance(keys, str) else Given(given.action, {"keys": keys}).texts("keys")
    presses = given.maybe_number("presses")
    given.end()
    if len(keys) == 1:
        times = {} if presses is None else {"times": presses}
        return [("computer_key", {"keys": hands.chord(keys), **times})]
    if presses not in (None, 1):
        raise MalformedReplyError("`presses` goes with a single key.")
    return [("computer_key", {"keys": hands.chord([key])}) for key in keys]


def _hotkey(hands: Hands, given: Given) -> list[Made]:
    keys = given.texts("keys")
    given.end()
    return [("computer_key", {"keys": hands.chord(keys)})]


def _key_down(hands: Hands, given: Given) -> list[Made]:
    hands.press(given.text("key"))
    given.end()
    return []


def _key_up(hands: Hands, given: Given) -> list[Made]:
    key = given.text("key")
    given.end()
    return hands.release(key)


def _mouse(tool: str) -> Make:
    def make(hands: Hands, given: Given) -> list[Made]:
        hands.free(given.action)
        button, at = _button(given), hands.point(given)
        given.end()
        return [(tool, {**at, "button": button})]

    return make


def _sleep(hands: Hands, given: Given) -> list[Made]:
    hands.free(given.action)
    seconds = given.number("seconds")
    given.end()
    return [("computer_wait", {"seconds": seconds})]


CALLS: Mapping[str, Call] = {
    "click": ("x y clicks interval button duration", _clicker()),
    "leftClick": ("x y interval duration", _clicker("left", 1)),
    "rightClick": ("x y interval duration", _clicker("right", 1)),
    "middleClick": ("x y interval duration", _clicker("middle", 1)),
    "doubleClick": ("x y interval button duration", _clicker(times=2)),
    "tripleClick": ("x y interval button duration", _clicker(times=3)),
    "moveTo": ("x y duration", _move),
    "dragTo": ("x y duration tween button", _drag(relative=False)),
    "drag": ("xOffset yOffset duration tween button", _drag(relative=True)),
    "mouseDown": ("x y button duration", _mouse("computer_mouse_down")),
    "mouseUp": ("x y button duration", _mouse("computer_mouse_up")),
    "scroll": ("clicks x y", _scroll("dy", -1)),
    "hscroll": ("clicks x y", _scroll("dx", 1)),
    "write": ("message interval", _write),
    "typewrite": ("message interval", _write),
    "press": ("keys presses interval", _press),
    "hotkey": ("*", _hotkey),
    "keyDown": ("key", _key_down),
    "keyUp": ("key", _key_up),
    "sleep": ("seconds", _sleep),
}

SIGNATURES = (
    ("computer_click", "pyautogui.click(x, y, clicks=1, button='left')"),
    ("computer_double_click", "pyautogui.doubleClick(x, y)"),
    ("computer_triple_click", "pyautogui.tripleClick(x, y)"),
    ("computer_right_click", "pyautogui.rightClick(x, y)"),
    ("computer_middle_click", "pyautogui.middleClick(x, y)"),
    ("computer_move", "pyautogui.moveTo(x, y)"),
    ("computer_drag", "pyautogui.dragTo(x, y, button='left')"),
    ("computer_mouse_down", "pyautogui.mouseDown(x, y, button='left')"),
    ("computer_mouse_up", "pyautogui.mouseUp(x, y, button='left')"),
    ("computer_scroll", "pyautogui.scroll(clicks, x, y)  # positive is up"),
    ("computer_scroll", "pyautogui.hscroll(clicks, x, y)  # positive is right"),
    ("computer_type", "pyautogui.write(text)"),
    ("computer_key", "pyautogui.press(key, presses=1)"),
    ("computer_key", "pyautogui.hotkey('ctrl', 's')"),
    ("computer_key", "pyautogui.keyDown(key)"),
    ("computer_key", "pyautogui.keyUp(key)"),
    ("computer_wait", "time.sleep(seconds)"),
)
"""What is said of them, where the guest has the tool."""
