"""How an action in a model's own words becomes calls of the guest's GUI tools.

A model's action is a name and a few arguments. `Given` hands those out, each as what it has to be;
`Pointer` knows where the pointer was last put, for actions that name no point. Whether a key exists
or a number is too large, the guest says.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ambidex.host import GUI, ToolSpec
from ambidex.host.dialects import MalformedReplyError
from ambidex.host.models.viewport import FAR

__all__ = ["Given", "Made", "Pointer", "chord", "gui_tools", "held"]

Made = tuple[str, dict[str, Any]]
"""A GUI tool of the guest and its arguments, points still in the model's unit."""
Point = tuple[float, float]

KEYS = {
    "return": "enter", "kp_enter": "enter", "prior": "pageup", "next": "pagedown",
    "command": "win", "super_l": "win", "super_r": "win", "option": "alt", "spacebar": "space",
    "plus": "+", "minus": "-", "equal": "=", "comma": ",", "period": ".", "slash": "/",
    "backslash": "\\", "semicolon": ";", "colon": ":", "apostrophe": "'", "quotedbl": '"',
    "grave": "`", "asciitilde": "~", "bracketleft": "[", "bracketright": "]", "underscore": "_",
    "question": "?", "exclam": "!", "at": "@", "numbersign": "#", "dollar": "$", "percent": "%",
    "asciicircum": "^", "ampersand": "&", "asterisk": "*", "parenleft": "(", "parenright": ")",
    "less": "<", "greater": ">", "bar": "|", "braceleft": "{", "braceright": "}",
}  # fmt: skip
"""Names of keys that models use and the guest does not (see `mcp_tools.computer.actions`)."""


class Given:
    """The arguments of one action. Every one is asked for by name and kind; `MalformedReplyError`
    where it is missing or of another kind, and where one is left that the action does not take."""

    def __init__(self, action: str, arguments: Mapping[str, Any]) -> None:
        self.action = action
        # Absent and null are the same to every vendor.
        self._left = {name: value for name, value in arguments.items() if value is not None}

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def take(self, name: str, kind: str, *types: type) -> Any:
        """The argument, whatever it is; None where it is not given."""
        value = self._left.pop(name, None)
        wrong = isinstance(value, bool) and bool not in types
        if value is not None and (wrong or not isinstance(value, types)):
            raise MalformedReplyError(
                f"`{name}` of {self.action} is {value!r}, and has to be {kind}."
            )
        return value

    def need(self, name: str, kind: str, *types: type) -> Any:
        """The argument; it has to be given."""
        value = self.take(name, kind, *types)
        if value is None:
            raise MalformedReplyError(f"{self.action} needs `{name}`: {kind}.")
        return value

    def text(self, name: str) -> str:
        """A text."""
        return str(self.need(name, "a text", str))

    def one_of(self, name: str, choice: Sequence[str]) -> str:
        """One of these texts."""
        found = self.text(name)
        if found not in choice:
            raise MalformedReplyError(
                f"`{name}` of {self.action} is {found!r}, and has to be one of {', '.join(choice)}."
            )
        return found

    def number(self, name: str) -> float:
        """A number; a whole one is an `int`."""
        return self._number(name, self.need(name, "a number", int, float))

    def maybe_number(self, name: str) -> float | None:
        """A number, or None where none is given."""
        value = self.take(name, "a number", int, float)
        return None if value is None else self._number(name, value)

    def texts(self, name: str) -> list[str]:
        """A list of texts with at least one in it."""
        found = self.need(name, "a list of texts", list, tuple)
        if not found or not all(isinstance(each, str) and each for each in found):
            raise MalformedReplyError(f"`{name}` of {self.action} has to be a list of texts.")
        return list(found)

    def maybe_texts(self, name: str) -> list[str]:
        """A list of texts, empty where none is given."""
        found = self.take(name, "a list of texts", list, tuple)
        if not found:
            return []
        self._left[name] = found
        return self.texts(name)

    def point(self, name: str) -> Point:
        """A point as [x, y]."""
        x, y = self.numbers(name, 2)
        return x, y

    def maybe_point(self, name: str) -> Point | None:
        """A point as [x, y], or None where none is given."""
        return self.point(name) if name in self._left else None

    def numbers(self, name: str, count: int) -> list[float]:
        """A list of so many numbers."""
        found = self.need(name, f"a list of {count} numbers", list, tuple)
        if len(found) != count or any(isinstance(each, bool) for each in found):
            raise MalformedReplyError(
                f"`{name}` of {self.action} has to be a list of {count} numbers."
            )
        if not all(isinstance(each, int | float) for each in found):
            raise MalformedReplyError(
                f"`{name}` of {self.action} has to be a list of {count} numbers."
            )
        return [self._number(name, each) for each in found]

    def end(self) -> None:
        """All arguments have been asked for."""
        if self._left:
            raise MalformedReplyError(
                f"{self.action} takes no {', '.join(f'`{name}`' for name in self._left)}."
            )

    def _number(self, name: str, value: float) -> float:
        if not abs(value) < FAR:
            raise MalformedReplyError(
                f"`{name}` of {self.action} is no number that could be meant."
            )
        return int(value) if value == int(value) else value


class Pointer:
    """Where the pointer was last put, in the model's unit."""

    def __init__(self) -> None:
        self._at: Point | None = None
        self._before: Point | None = None

    def begin(self) -> None:
        """An answer is about to be read."""
        self._before = self._at

    def undo(self) -> None:
        """The answer was not carried out."""
        self._at = self._before

    def put(self, point: Point) -> Point:
        """It is there now."""
        self._at = point
        return point

    def at(self, point: Point | None, action: str) -> dict[str, float]:
        """The point as arguments `x` and `y`; without one, where the pointer is.
        `MalformedReplyError` where nobody has put it anywhere yet."""
        if point is None and self._at is None:
            raise MalformedReplyError(
                f"{action} needs a point: the pointer has not been put anywhere yet."
            )
        x, y = self.put(point or self._at or (0, 0))
        return {"x": x, "y": y}

    def over(self, point: Point | None, extent: tuple[int, int]) -> dict[str, float]:
        """The same for what does no harm elsewhere: before the pointer was put, mid-screen."""
        x, y = self.put(point or self._at or (extent[0] // 2, extent[1] // 2))
        return {"x": x, "y": y}


def chord(text: str) -> list[str]:
    """Keys of a text such as `ctrl+shift+t`; the key `+` itself may be the last."""
    keys = text.split("+")
    if text.endswith("+"):
        keys = [*keys[:-2], "+"]
    return named([key.strip() or key for key in keys])


def named(keys: Sequence[str]) -> list[str]:
    """The keys by names that the guest has, as far as they are known here."""
    return [KEYS.get(key.lower(), key) if len(key) > 1 else key for key in keys]


def held(keys: Sequence[str]) -> dict[str, list[str]]:
    """The argument for keys that are down meanwhile; none where there are none."""
    return {"keys": named(keys)} if keys else {}


def gui_tools(tools: Collection[ToolSpec]) -> set[str]:
    """Names of the GUI tools among those on offer."""
    return {tool.name for tool in tools if tool.app == GUI}
