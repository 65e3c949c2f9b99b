"""Comparison of a service's export with the one that was made after setup.

Both are flattened to values by path: `{"shop": {"tags": ["a", "b"]}}` is `shop/tags/0`: "a" and
`shop/tags/1`: "b". Empty values (null, "", false, 0 and empty containers) count as absent. Line
ends and blanks around a text are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.bounded import BoundsError, parse_json
from ambidex.evaluators.evidence import MIB, read
from ambidex.evaluators.strict import explain
from ambidex.evaluators.values import shown, verdict

__all__ = ["Content", "changed_paths", "compare", "read_both", "with_new_by_name"]

LARGEST = 32 * MIB
T = TypeVar("T", bound=BaseModel)


class Content(BaseModel):
    """Content of an export, of which only some keys are known here."""

    model_config = ConfigDict(extra="allow")


def read_both(evidence: Path, file: str, model: type[T]) -> tuple[T, T]:
    """The export as it was after setup, and as it is now."""
    before = f"{file.removesuffix('.json')}.before.json"
    return _read(evidence, before, model), _read(evidence, file, model)


def _read(evidence: Path, file: str, model: type[T]) -> T:
    try:
        return model.model_validate(parse_json(read(evidence, file, LARGEST)))
    except ValidationError as error:
        raise UnreadableError(f"{file} is not such an export: {explain(error)}") from None
    except BoundsError as error:
        raise UnreadableError(f"{file}: {error}") from None


def with_new_by_name(
    items: Mapping[str, Any], earlier: Mapping[str, Any], name: Callable[[Any], str]
) -> dict[str, Any]:
    """The items by number, but new ones as `+NAME`; the second of that name as `+NAME (2)`."""
    named: dict[str, Any] = {}
    for number, item in items.items():
        key, count = number, 1
        if number not in earlier:
            key = first = f"+{name(item).strip()}"
            while key in named:
                count += 1
                key = f"{first} ({count})"
        named[key] = item
    return named


def compare(
    earlier: Mapping[str, Any],
    later: Mapping[str, Any],
    values: Mapping[str, Any],
    patterns: Mapping[str, str],
    gone: list[str],
    free: list[str],
) -> Score:
    """Score 1 if the later state has these values and texts (regular expressions that ignore case),
    nothing at the paths `gone`, and is otherwise the earlier one except at the paths `free` (both
    regular expressions)."""
    before, after, expected = (dict(_flat(one)) for one in (earlier, later, values))
    wrong = [
        f"{path} is {shown(after.get(path)) or 'empty'}, not {shown(value)}"
        for path, value in expected.items()
        if after.get(path) != value
    ]
    wrong += [
        f"{path} is {shown(after.get(path)) or 'empty'}, which does not match {pattern}"
        for path, pattern in patterns.items()
        if not re.fullmatch(pattern, str(after.get(path, "")), re.DOTALL | re.IGNORECASE)
    ]
    for path in sorted(before.keys() | after.keys()):
        if path in expected or path in patterns or before.get(path) == after.get(path):
            continue
        if any(re.fullmatch(pattern, path) for pattern in free):
            continue
        if path not in after and any(re.fullmatch(pattern, path) for pattern in gone):
            continue
        was, now = (shown(one.get(path)) or "empty" for one in (before, after))
        wrong.append(f"{path} has changed from {was} to {now}")
    wrong += [
        f"{path} is still there"
        for path in sorted(before.keys() & after.keys())
        if any(re.fullmatch(pattern, path) for pattern in gone)
    ]
    return verdict(wrong, "the expected changes were made, and no others")


def changed_paths(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> set[str]:
    """The paths at which the two states differ."""
    before, after = dict(_flat(earlier)), dict(_flat(later))
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}


def _flat(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    if isinstance(value, str):
        value = value.replace("\r\n", "\n").strip()
    if not value:
        return
    if isinstance(value, Mapping):
        parts = [(str(key), item) for key, item in value.items()]
    elif isinstance(value, list | tuple):
        parts = [(str(index), item) for index, item in enumerate(value)]
    else:
        yield path, value
        return
    for key, item in parts:
        yield from _flat(item, f"{path}/{key}" if path else key)
