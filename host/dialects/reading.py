"""Convert actions of vendors' computer tools to calls of the guest's GUI tools.

A model's action is a name with arguments. `Arguments` gives typed access to them; `Pointer` tracks
the pointer, for actions that name no point. Whether a key exists or a number is in range is for the
guest to say.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ambidex.host import GUI, ToolSpec
from ambidex.host.dialects import MalformedReplyError
from ambidex.host.models.viewport import FAR

__all__ = [
    "Arguments",
    "GuiCall",
    "Pointer",
    "guest_keys",
    "gui_tools",
    "held_keys",
    "parse_chord",
]

GuiCall = tuple[str, dict[str, Any]]
"""A GUI tool of the guest and its arguments, with points still in the model's unit."""
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
"""Key names that models use, and the guest's names for them (see `mcp_tools.computer.actions`)."""


class Arguments:
    """The arguments of one action, taken out one by one by name and type. Raises
    `MalformedReplyError` if one is missing or has another type, and at `end` if any is left."""

    def __init__(self, action: str, arguments: Mapping[str, Any]) -> None:
        self.action = action
        # To every vendor, absent and null mean the same.
        self._left = {name: value for name, value in arguments.items() if value is not None}

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def take(self, name: str, kind: str, *types: type) -> Any:
        """Take an optional argument of one of these types; None if absent. `kind` describes the
        types in errors."""
        value = self._left.pop(name, None)
        wrong = isinstance(value, bool) and bool not in types
        if value is not None and (wrong or not isinstance(value, types)):
            raise MalformedReplyError(f"`{name}` of {self.action} must be {kind}, not {value!r}.")
        return value

    def need(self, name: str, kind: str, *types: type) -> Any:
        """Take a required argument, see `take`."""
        value = self.take(name, kind, *types)
        if value is None:
            raise MalformedReplyError(f"{self.action} needs `{name}`: {kind}.")
        return value

    def text(self, name: str) -> str:
        """A required text."""
        return str(self.need(name, "a text", str))

    def one_of(self, name: str, choices: Sequence[str]) -> str:
        """A required text that is one of `choices`."""
        value = self.text(name)
        if value not in choices:
            raise MalformedReplyError(
                f"`{name}` of {self.action} must be one of {', '.join(choices)}, not {value!r}."
            )
        return value

    def number(self, name: str) -> float:
        """A required number; an `int` if it is whole."""
        return self._number(name, self.need(name, "a number", int, float))

    def maybe_number(self, name: str) -> float | None:
        """An optional number; None if absent."""
        value = self.take(name, "a number", int, float)
        return None if value is None else self._number(name, value)

    def texts(self, name: str) -> list[str]:
        """A required, non-empty list of non-empty texts."""
        values = self.need(name, "a list of texts", list, tuple)
        if not values or not all(isinstance(value, str) and value for value in values):
            raise MalformedReplyError(f"`{name}` of {self.action} must be a list of texts.")
        return list(values)

    def maybe_texts(self, name: str) -> list[str]:
        """An optional list of texts; empty if absent."""
        values = self.take(name, "a list of texts", list, tuple)
        if not values:
            return []
        self._left[name] = values
        return self.texts(name)

    def point(self, name: str) -> Point:
        """A required point, given as [x, y]."""
        x, y = self.numbers(name, 2)
        return x, y

    def maybe_point(self, name: str) -> Point | None:
        """An optional point, given as [x, y]; None if absent."""
        return self.point(name) if name in self._left else None

    def numbers(self, name: str, count: int) -> list[float]:
        """A required list of `count` numbers."""
        values = self.need(name, f"a list of {count} numbers", list, tuple)
        if len(values) != count or any(isinstance(value, bool) for value in values):
            raise MalformedReplyError(
                f"`{name}` of {self.action} must be a list of {count} numbers."
            )
        if not all(isinstance(value, int | float) for value in values):
            raise MalformedReplyError(
                f"`{name}` of {self.action} must be a list of {count} numbers."
            )
        return [self._number(name, value) for value in values]

    def end(self) -> None:
        """`MalformedReplyError` if there are arguments that the action does not take."""
        if self._left:
            raise MalformedReplyError(
                f"{self.action} takes no {', '.join(f'`{name}`' for name in self._left)}."
            )

    def _number(self, name: str, value: float) -> float:
        if not abs(value) < FAR:
            raise MalformedReplyError(f"`{name}` of {self.action} is not a plausible number.")
        return int(value) if value == int(value) else value


class Pointer:
    """The pointer's last known position, in the model's unit."""

    def __init__(self) -> None:
        self._at: Point | None = None
        self._before: Point | None = None

    def begin(self) -> None:
        """Remember the position before an answer is read, for `undo`."""
        self._before = self._at

    def undo(self) -> None:
        """Go back to the position at `begin`: the answer was not carried out."""
        self._at = self._before

    def put(self, point: Point) -> Point:
        """Move the pointer and return its position."""
        self._at = point
        return point

    def at(self, point: Point | None, action: str) -> dict[str, float]:
        """Move to the point, or stay if it is None, and return the position as arguments `x` and
        `y`. `MalformedReplyError` if it is None and the pointer has no position yet."""
        if point is None and self._at is None:
            raise MalformedReplyError(
                f"{action} needs a point: the pointer has not been moved anywhere yet."
            )
        x, y = self.put(point or self._at or (0, 0))
        return {"x": x, "y": y}

    def over(self, point: Point | None, extent: tuple[int, int]) -> dict[str, float]:
        """Like `at`, with the middle of the screen as the default position, for actions that do no
        harm there."""
        x, y = self.put(point or self._at or (extent[0] // 2, extent[1] // 2))
        return {"x": x, "y": y}


def parse_chord(text: str) -> list[str]:
    """The guest's names for the keys of a text such as `ctrl+shift+t`, or `ctrl++`."""
    keys = text.split("+")
    if text.endswith("+"):
        keys = [*keys[:-2], "+"]
    return guest_keys([key.strip() or key for key in keys])


def guest_keys(keys: Sequence[str]) -> list[str]:
    """The guest's names for keys; unknown names are unchanged."""
    return [KEYS.get(key.lower(), key) if len(key) > 1 else key for key in keys]


def held_keys(keys: Sequence[str]) -> dict[str, list[str]]:
    """The argument for keys held down during a call; empty if there are none."""
    return {"keys": guest_keys(keys)} if keys else {}


def gui_tools(tools: Collection[ToolSpec]) -> set[str]:
    """Names of the GUI tools among those on offer."""
    return {tool.name for tool in tools if tool.app == GUI}
