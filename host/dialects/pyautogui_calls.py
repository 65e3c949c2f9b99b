"""The functions of pyautogui that a model may call, and their conversion to GUI calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ambidex.host.dialects import MalformedReplyError
from ambidex.host.dialects.reading import Arguments, GuiCall, Pointer, guest_keys

__all__ = ["CALLS", "SIGNATURES", "Function", "InputState"]

Point = tuple[float, float]

LEFT = {1: "computer_click", 2: "computer_double_click", 3: "computer_triple_click"}
OTHER = {"right": "computer_right_click", "middle": "computer_middle_click"}
BUTTONS: Mapping[Any, str] = {
    "left": "left", "primary": "left", 1: "left",
    "middle": "middle", 2: "middle",
    "right": "right", "secondary": "right", 3: "right",
}  # fmt: skip


class InputState:
    """The pointer's position and the keys held down, while the lines of a block are read."""

    def __init__(self, pointer: Pointer, extent: tuple[int, int]) -> None:
        self._pointer = pointer
        self._extent = extent
        self._down: list[str] = []
        self._used = True
        """Whether the keys that are down were used by some call."""

    def point(self, arguments: Arguments) -> dict[str, float]:
        """The point in `x` and `y`, or as a pair in `x`. A missing coordinate is the pointer's."""
        x, y = arguments.take("x", "a number", int, float, list, tuple), arguments.maybe_number("y")
        if isinstance(x, list | tuple):
            pair = Arguments(arguments.action, {"x": x}).point("x")
            return self._pointer.at(pair, arguments.action)
        if x is not None:
            x = Arguments(arguments.action, {"x": x}).number("x")
        if x is not None and y is not None:
            return self._pointer.at((x, y), arguments.action)
        at = self._pointer.at(None, arguments.action)
        point = (at["x"] if x is None else x, at["y"] if y is None else y)
        return self._pointer.at(point, arguments.action)

    def over(self, arguments: Arguments) -> dict[str, float]:
        """The point for the wheel, which may default to the middle of the screen."""
        if "x" in arguments or "y" in arguments:
            return self.point(arguments)
        return self._pointer.over(None, self._extent)

    def start(self, arguments: Arguments) -> Point:
        """The pointer's position."""
        at = self._pointer.at(None, arguments.action)
        return at["x"], at["y"]

    def put(self, point: Point) -> Point:
        """Move the pointer."""
        return self._pointer.put(point)

    def keys(self) -> dict[str, list[str]]:
        """The argument for the keys that are down."""
        self._used = True
        return {"keys": list(self._down)} if self._down else {}

    def chord(self, keys: list[str]) -> list[str]:
        """The keys that are down, followed by these."""
        self._used = True
        return [*self._down, *guest_keys(keys)]

    def require_no_keys(self, action: str) -> None:
        """`MalformedReplyError` if a key is down: the guest's tool for `action` cannot hold it."""
        if self._down:
            raise MalformedReplyError(f"{action} cannot come between keyDown and keyUp.")

    def press(self, key: str) -> None:
        """Hold a key down."""
        self._down.append(guest_keys([key])[0])
        self._used = False

    def release(self, key: str) -> list[GuiCall]:
        """Release a key. If nothing was done while keys were down, they were a chord: return the
        call that presses it."""
        key = guest_keys([key])[0]
        if key not in self._down:
            raise MalformedReplyError(f"keyUp({key!r}) has no keyDown before it in the same block.")
        calls: list[GuiCall] = [] if self._used else [("computer_key", {"keys": list(self._down)})]
        self._used = True
        self._down.remove(key)
        return calls

    def require_released(self) -> None:
        """`MalformedReplyError` if a key is still down at the end of the block."""
        if self._down:
            raise MalformedReplyError(f"keyDown({self._down[0]!r}) has no keyUp in the same block.")


Convert = Callable[[InputState, Arguments], list[GuiCall]]
Function = tuple[str, Convert]
"""The parameters in order (`*`: any number of keys), and the conversion of arguments to calls."""


def _button(arguments: Arguments) -> str:
    button = arguments.take("button", "left, middle or right", str, int)
    if button is not None and button not in BUTTONS:
        raise MalformedReplyError(
            f"`button` of {arguments.action} must be left, middle or right, not {button!r}."
        )
    return BUTTONS[button] if button is not None else "left"


def _click(button: str = "", times: int = 0) -> Convert:
    def convert(state: InputState, arguments: Arguments) -> list[GuiCall]:
        which = button or _button(arguments)
        clicks = times or arguments.maybe_number("clicks") or 1
        if clicks not in LEFT:
            raise MalformedReplyError(f"`clicks` of {arguments.action} must be 1, 2 or 3.")
        values = {**state.point(arguments), **state.keys()}
        arguments.end()
        if which == "left":
            return [(LEFT[int(clicks)], values)]
        return [(OTHER[which], values)] * int(clicks)

    return convert


def _move(state: InputState, arguments: Arguments) -> list[GuiCall]:
    state.require_no_keys(arguments.action)
    at = state.point(arguments)
    arguments.end()
    return [("computer_move", at)]


def _drag(relative: bool) -> Convert:
    def convert(state: InputState, arguments: Arguments) -> list[GuiCall]:
        start, button = state.start(arguments), _button(arguments)
        if relative:
            right = arguments.maybe_number("xOffset") or 0
            down = arguments.maybe_number("yOffset") or 0
            end = state.put((start[0] + right, start[1] + down))
        else:
            at = state.point(arguments)
            end = (at["x"], at["y"])
        arguments.end()
        ends = {"x": start[0], "y": start[1], "to_x": end[0], "to_y": end[1], "button": button}
        return [("computer_drag", {**ends, **state.keys()})]

    return convert


def _scroll(axis: str, sign: int) -> Convert:
    def convert(state: InputState, arguments: Arguments) -> list[GuiCall]:
        clicks = arguments.number("clicks")
        values = {**state.over(arguments), axis: sign * clicks, **state.keys()}
        arguments.end()
        return [("computer_scroll", values)]

    return convert


def _write(state: InputState, arguments: Arguments) -> list[GuiCall]:
    state.require_no_keys(arguments.action)
    message = arguments.need("message", "a text", str, list, tuple)
    arguments.end()
    if isinstance(message, str):
        return [("computer_type", {"text": message})]
    keys = Arguments(arguments.action, {"message": message}).texts("message")
    return [("computer_key", {"keys": guest_keys([key])}) for key in keys]


def _press(state: InputState, arguments: Arguments) -> list[GuiCall]:
    keys = arguments.need("keys", "a key or a list of keys", str, list, tuple)
    if isinstance(keys, str):
        keys = [keys]
    else:
        keys = Arguments(arguments.action, {"keys": keys}).texts("keys")
    presses = arguments.maybe_number("presses")
    arguments.end()
    if len(keys) == 1:
        times = {} if presses is None else {"times": presses}
        return [("computer_key", {"keys": state.chord(keys), **times})]
    if presses not in (None, 1):
        raise MalformedReplyError("`presses` can only be used with a single key.")
    return [("computer_key", {"keys": state.chord([key])}) for key in keys]


def _hotkey(state: InputState, arguments: Arguments) -> list[GuiCall]:
    keys = arguments.texts("keys")
    arguments.end()
    return [("computer_key", {"keys": state.chord(keys)})]


def _key_down(state: InputState, arguments: Arguments) -> list[GuiCall]:
    state.press(arguments.text("key"))
    arguments.end()
    return []


def _key_up(state: InputState, arguments: Arguments) -> list[GuiCall]:
    key = arguments.text("key")
    arguments.end()
    return state.release(key)


def _mouse(tool: str) -> Convert:
    def convert(state: InputState, arguments: Arguments) -> list[GuiCall]:
        state.require_no_keys(arguments.action)
        button, at = _button(arguments), state.point(arguments)
        arguments.end()
        return [(tool, {**at, "button": button})]

    return convert


def _sleep(state: InputState, arguments: Arguments) -> list[GuiCall]:
    state.require_no_keys(arguments.action)
    seconds = arguments.number("seconds")
    arguments.end()
    return [("computer_wait", {"seconds": seconds})]


CALLS: Mapping[str, Function] = {
    "click": ("x y clicks interval button duration", _click()),
    "leftClick": ("x y interval duration", _click("left", 1)),
    "rightClick": ("x y interval duration", _click("right", 1)),
    "middleClick": ("x y interval duration", _click("middle", 1)),
    "doubleClick": ("x y interval button duration", _click(times=2)),
    "tripleClick": ("x y interval button duration", _click(times=3)),
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
"""The guest's tool, and the signature that the prompt shows if the guest has that tool."""
