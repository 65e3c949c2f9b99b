"""OSWorld's value rules `{method, ref}`, which a single value must satisfy.

    method                      holds if
    re[.FLAG…]                  the pattern `ref` matches somewhere; flags as named in Python's `re`
    eq ne lt le gt ge           the value compares like this with `ref`
    approx:x                    the value is a number within x of `ref`
    range.<e|t><e|t>            the number is between `ref`'s two ends; e: inclusive, t: exclusive
    spreadsheet_range           the cells include `ref`'s first range and lie within its second
    str_list_eq, str_set_eq     the text split at commas equals `ref`: as a list, or as a set

A malformed rule is refused when the task is loaded.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, NoReturn

from openpyxl.worksheet.cell_range import MultiCellRange
from pydantic import AfterValidator
from typing_extensions import TypedDict

from ambidex.evaluators.osworld.registry import UpstreamRaisesError

__all__ = ["Rule", "ValueRule", "matches"]

COMPARED: dict[str, Callable[[Any, Any], object]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
RANGE = re.compile(r"range\.([et])([et])")


class Rule(TypedDict):
    """The keys of a value rule, to be inherited; `ValueRule` and `well_formed` check the rest."""

    method: str
    ref: Any


def well_formed(rule: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the rule; `ValueError` if no value could be compared with it."""
    method, ref = rule["method"], rule["ref"]
    if ref is None:
        _check_method(method)
    elif method.split(".")[0] == "re":
        _pattern(method, ref)
    elif method.startswith("approx:"):
        float(method.removeprefix("approx:"))
        float(_number(ref, method))
    elif RANGE.fullmatch(method):
        low, high = _pair(ref, method)
        _number(low, method), _number(high, method)
    elif method == "spreadsheet_range":
        for reference in _pair(ref, method):
            _cells(reference)
    elif method in {"str_list_eq", "str_set_eq"}:
        if not (isinstance(ref, list) and all(isinstance(item, str) for item in ref)):
            raise ValueError(f"{method} needs a list of texts as `ref`")
    elif method not in COMPARED:
        raise ValueError(f"unknown method {method!r}")
    return rule


def _check_method(method: str) -> None:
    """Check the method of a rule whose `ref` is null. Upstream only fails on it when it judges."""
    known = {*COMPARED, "re", "spreadsheet_range", "str_list_eq", "str_set_eq"}
    if method.startswith("approx:"):
        float(method.removeprefix("approx:"))
    elif not RANGE.fullmatch(method) and method not in known and not method.startswith("re."):
        raise ValueError(f"unknown method {method!r}")


ValueRule = Annotated[Rule, AfterValidator(well_formed)]
"""A value rule, checked when the task is loaded."""


def matches(value: Any, rule: Mapping[str, Any], *, trimmed: bool = False) -> bool:
    """Whether the rule holds; `UpstreamRaisesError` if upstream could not compare the two.

    With `trimmed`, blanks around the parts of a list do not count.
    """
    method, ref = rule["method"], rule["ref"]
    if ref is None and not method.startswith("approx:") and method not in COMPARED:
        _incomparable(value, rule)
    if method.split(".")[0] == "re":
        if not isinstance(value, str):
            _incomparable(value, rule)
        return _pattern(method, ref).search(value) is not None
    if method.startswith("approx:"):
        try:
            number = float(value)
        except (TypeError, ValueError):
            return False
        if ref is None:
            _incomparable(value, rule)
        return bool(abs(number - ref) <= float(method.removeprefix("approx:")))
    if ends := RANGE.fullmatch(method):
        above, below = ({"e": "le", "t": "lt"}[group] for group in ends.groups())
        return _compared(above, ref[0], value, rule) and _compared(below, value, ref[1], rule)
    if method == "spreadsheet_range":
        cells = value if isinstance(value, MultiCellRange) else _cells_of(value, rule)
        return _within(_cells(ref[0]), cells) and _within(cells, _cells(ref[1]))
    if method in {"str_list_eq", "str_set_eq"}:
        if not isinstance(value, str):
            _incomparable(value, rule)
        parts = value.strip("\"'").split(",")
        if trimmed:
            parts = [part.strip() for part in parts]
        return parts == ref if method == "str_list_eq" else set(parts) == set(ref)
    return _compared(method, value, ref, rule)


def _compared(method: str, one: Any, other: Any, rule: Mapping[str, Any]) -> bool:
    try:
        return bool(COMPARED[method](one, other))
    except TypeError:
        _incomparable((one, other), rule)


def _incomparable(value: object, rule: Mapping[str, Any]) -> NoReturn:
    raise UpstreamRaisesError(
        f"{value!r:.200} cannot be compared: {rule['method']} {rule['ref']!r:.200}"
    )


def _pattern(method: str, pattern: object) -> re.Pattern[str]:
    flags = re.RegexFlag(0)
    for name in method.split(".")[1:]:
        flag = getattr(re, name, None)
        if not isinstance(flag, re.RegexFlag):
            raise ValueError(f"{method!r} has an unknown flag of regular expressions: {name!r}")
        flags |= flag
    if not isinstance(pattern, str):
        raise ValueError(f"{method!r} needs a regular expression as `ref`")
    try:
        return re.compile(pattern, flags)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"not a regular expression: {pattern!r:.200} ({error})") from error


def _number(value: object, method: str) -> int | float:
    if not isinstance(value, int | float):
        raise ValueError(f"{method} needs a number, not {value!r}")
    return value


def _pair(ref: object, method: str) -> tuple[Any, Any]:
    if not isinstance(ref, list) or len(ref) != 2:
        raise ValueError(f"{method} needs two ends as `ref`, not {ref!r}")
    return ref[0], ref[1]


def _cells(reference: object) -> MultiCellRange:
    if not isinstance(reference, str):
        raise ValueError(f"not a cell range: {reference!r}")
    try:
        return MultiCellRange(reference)
    except (TypeError, ValueError) as error:  # the library raises either
        raise ValueError(f"not a cell range: {reference!r}") from error


def _cells_of(value: object, rule: Mapping[str, Any]) -> MultiCellRange:
    try:
        return _cells(value)
    except ValueError:
        _incomparable(value, rule)


def _within(inner: MultiCellRange, outer: MultiCellRange) -> bool:
    return all(any(part.issubset(area) for area in outer.ranges) for part in inner.ranges)
