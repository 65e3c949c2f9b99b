"""Metrics on values: equality, membership, JSON by key, a cell of a database."""

from __future__ import annotations

import ast
import math
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

import yaml
from pydantic import AfterValidator
from typing_extensions import TypedDict

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.bounded import parse_expression, parse_json
from ambidex.evaluators.evidence import MIB
from ambidex.evaluators.osworld import UnboundedScore, Value, given
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.osworld.rules import Rule, matches, well_formed
from ambidex.evaluators.values import shown, verdict

FAILED = "__EVALUATION_FAILED__"
"""Placeholder that an OSWorld getter returns for a value that it could not determine."""
READ_ACTIONS = (
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
)


class Equal(TypedDict):
    """The expected value."""

    expected: Any


class OneOf(TypedDict):
    """A list of accepted values (or a text that contains the value)."""

    expected: Any


class Fields(TypedDict):
    """Expected values by key; anything but an object matches nothing."""

    expected: NotRequired[Any]
    expect_in_result: NotRequired[Any]
    ignore_list_order: NotRequired[Any]


class FieldRule(Rule):
    """A value rule for the value at a path of keys and indices."""

    key: list[str | int] | str
    """The path; a text stands for the list of its letters."""


FieldRules = list[Annotated[FieldRule, AfterValidator(well_formed)]]


class Rules(TypedDict, total=False):
    """Rules that must hold, and rules that must not."""

    expect: FieldRules
    unexpect: FieldRules


class Query(TypedDict):
    """An SQL statement; the first cell of its result is the score."""

    sql: str


UNSEEN = "A result that was not collected never passes: upstream compares a missing result as null."
LACKING = Score(0.0, "there is nothing to judge: the result was not collected")


@metric(repairs=(UNSEEN,), sees_missing=True)
def exact_match(result: Value, expected: Equal, *, strict: bool) -> Score:
    """The value equals the expected one exactly, including a newline at its end."""
    if strict and result is None:
        return LACKING
    return _equal(result, expected["expected"])


def _equal(actual: Value, target: Value) -> Score:
    wrong = [] if actual == target else [f"it is {shown(actual)}, not {shown(target)}"]
    return verdict(wrong, f"it is {shown(target)}")


@metric(repairs=(UNSEEN,), sees_missing=True)
def match_in_list(result: Value, expected: OneOf, *, strict: bool) -> Score:
    """The value is in the list of expected values."""
    if strict and result is None:
        return LACKING
    target = expected["expected"]
    try:
        matches_any = result in target
    except TypeError as error:
        raise UpstreamRaisesError(f"{shown(target)} cannot contain {shown(result)}") from error
    wrong = [] if matches_any else [f"{shown(result)} is not in {shown(target)}"]
    return verdict(wrong, f"{shown(result)} is in {shown(target)}")


@metric()
def is_in_list(result: Value, expected: Equal) -> Score:
    """The expected value is in the list that was collected (or is part of the collected text)."""
    target = expected["expected"]
    try:
        included = target in result  # type: ignore[operator]  # other types raise TypeError
    except TypeError as error:
        raise UpstreamRaisesError(f"{shown(result)} is not a list") from error
    wrong = [] if included else [f"{shown(target)} is not in {shown(result)}"]
    return verdict(wrong, f"{shown(target)} is in {shown(result)}")


@metric(
    repairs=(UNSEEN, "The number 1 is not the text 1: upstream compares numbers as texts."),
    sees_missing=True,
)
def literal_match(
    result: Value,
    expected: Value,
    *,
    type: Literal["str", "list"] = "str",
    ignore_case: bool = False,
    strict: bool,
) -> Score:
    """Two texts, or two lists, are equal."""
    if strict and result is None:
        return LACKING
    if type == "str":
        if strict and not ignore_case:
            return _equal(result, expected)
        one, other = str(result), str(expected)
        return _equal(one.lower(), other.lower()) if ignore_case else _equal(one, other)
    if not isinstance(result, list | tuple) or not isinstance(expected, list | tuple):
        return Score(0.0, f"{shown(result)} and {shown(expected)} are not both lists")
    if strict and not ignore_case:
        return _equal(result, expected)
    ones, others = [str(item) for item in result], [str(item) for item in expected]
    if ignore_case:
        ones, others = [item.lower() for item in ones], [item.lower() for item in others]
    return _equal(ones, others)


@metric(
    repairs=(
        "`ignore_list_order` is read where tasks put it, alongside `expected`: upstream looks for "
        "the switch among the expected keys.",
        "Text is parsed as JSON, else as a Python literal: upstream replaces every apostrophe by a "
        "quotation mark, which breaks texts that contain one.",
    ),
)
def check_direct_json_object(result: Value, expected: Fields, *, strict: bool) -> Score:
    """Each expected key of an object (or of JSON text) has the expected value; with
    `expect_in_result`, a list with one of the expected members or a text that contains it."""
    target = expected.get("expected")
    actual: Any = _object(result, strict=strict) if isinstance(result, str) else result
    if actual is None:
        return Score(0.0, "there is no object with keys")
    if not isinstance(target, dict):
        return Score(0.0, f"{shown(target)} has no keys")
    if not isinstance(actual, dict) and (target or strict):
        return Score(0.0, f"{shown(actual)} is not an object with keys")
    failed = [key for key, value in target.items() if value == FAILED]
    if failed:
        return Score(0.0, f"the expected value of {failed[0]!r} could not be determined")
    # Upstream reads this switch from among the expected keys.
    holder: Mapping[str, Any] = expected if strict else target
    unordered = bool(holder.get("ignore_list_order", False))
    contained = expected.get("expect_in_result", False)
    wrong = []
    for key, value in target.items():
        present = actual.get(key)
        if contained:
            same = _within(value, present, strict=strict)
        elif unordered:
            same = _same_members(value, present, strict=strict)
        else:
            same = value == present
        if not same:
            wrong.append(f"{key} is {shown(present)}, not {shown(value)}")
    return verdict(wrong, f"all {len(target)} values are as expected")


def _object(text: str, *, strict: bool) -> object:
    try:
        if not strict:
            return parse_json(text.strip().replace("'", '"'), finite=False)
    except (ValueError, RecursionError) as error:
        raise UpstreamRaisesError(
            f"not JSON once apostrophes are quotation marks: {error}"
        ) from error
    try:
        return parse_json(text, finite=False)
    except (ValueError, RecursionError):
        pass  # it may still be a Python literal
    try:
        return ast.literal_eval(parse_expression(text)) if len(text) <= MIB else None
    except (ValueError, TypeError, RecursionError, MemoryError) as error:
        raise UnreadableError(f"neither JSON nor a Python literal: {shown(text)}") from error


def _within(target: object, present: object, *, strict: bool) -> bool:
    if isinstance(target, list):
        if not strict and not isinstance(present, list | str):
            return False
        return any(
            item == present or (isinstance(present, list) and item in present) for item in target
        )
    if isinstance(target, str):
        # Upstream also accepts the name of a key of an object.
        return (
            isinstance(present, str | list if strict else str | list | dict) and target in present
        )
    return False


def _same_members(one: Any, other: Any, *, strict: bool) -> bool:
    if strict:
        one, other = (sorted(e, key=repr) if isinstance(e, list) else e for e in (one, other))
        return bool(one == other)
    try:
        return sorted(one) == sorted(other)
    except TypeError:  # upstream scores 0 for anything but lists of sortable members
        return False


@metric(
    repairs=(
        "A missing key violates no `unexpect` rule: upstream applies the rule to null, or scores 0 "
        "if a list is too short.",
    )
)
def check_json(result: Path, expected: Rules, *, is_yaml: bool = False, strict: bool) -> Score:
    """In a JSON (or YAML) file, every `expect` rule holds for the value at its key, and no
    `unexpect` rule does."""
    document = _document(given.text(result), is_yaml=is_yaml)
    if is_yaml and document is None:
        return Score(0.0, "the file is empty")
    wrong = []
    for rule in expected.get("expect", []):
        try:
            present, value = _at(document, rule["key"], strict=strict)
        except IndexError:
            present, value = False, None
        if not present or not matches(value, rule):
            wrong.append(f"{_path(rule['key'])} is {shown(value) or 'missing'}")
    for rule in expected.get("unexpect", []):
        try:
            present, value = _at(document, rule["key"], strict=strict)
        except IndexError:
            wrong += [] if strict else [f"{_path(rule['key'])} is beyond the end of a list"]
            continue
        if (present or not strict) and matches(value, rule):
            wrong.append(f"{_path(rule['key'])} is {shown(value)}")
    return verdict(wrong, "all rules hold")


def _document(source: str, *, is_yaml: bool) -> object:
    try:
        return yaml.safe_load(source) if is_yaml else parse_json(source, finite=False)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UnreadableError(f"not YAML: {error}" if is_yaml else str(error)) from error


def _at(document: Any, keys: Sequence[str | int], *, strict: bool) -> tuple[bool, object]:
    """Whether there is a value at these keys, and the value; `IndexError` past the end of a
    list."""
    for key in keys:
        if strict and isinstance(document, str):
            return False, None  # a letter of a text is not a value of the document
        try:
            document = document[key]
        except (KeyError, TypeError):
            return False, None
    return True, document


def _path(keys: Sequence[str | int]) -> str:
    return ".".join(str(key) for key in keys)


@metric(
    repairs=("The score is limited to 0…1: upstream takes whatever number the statement returns.",)
)
def run_sqlite3(result: Path, expected: Query, *, strict: bool) -> Score:
    """The score is the first cell that an SQL statement returns; an empty cell is 0."""
    content = bytearray(given.read_bytes(result))
    # Clear the mark of write-ahead logging in the header: with it, SQLite would need the log file.
    content[18:20] = b"\1\1" if len(content) > 20 else content[18:20]
    connection = sqlite3.connect(":memory:")
    try:
        if content:  # an empty file is a database without tables
            connection.deserialize(bytes(content))
        # The statement may only read, for a bounded time, and call nothing from the guest's schema.
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.set_authorizer(_only_reads)
        connection.set_progress_handler(_StepLimit(), 100_000)
        row = connection.execute(expected["sql"]).fetchone()
    except sqlite3.Error as error:
        raise UnreadableError(f"the database query failed: {error}") from error
    finally:
        connection.close()
    if row is None:
        raise UpstreamRaisesError("the statement returns no row")
    cell: Any = row[0]
    try:
        value = float(cell or 0)
    except (TypeError, ValueError) as error:
        raise UpstreamRaisesError(
            f"the statement returns {shown(cell)}, which is not a number"
        ) from error
    if not math.isfinite(value):
        raise UpstreamRaisesError(f"the statement returns {shown(cell)}, which is not finite")
    reason = f"the statement returns {shown(cell)}"
    return Score(min(1.0, max(0.0, value)), reason) if strict else UnboundedScore(value, reason)


def _only_reads(action: int, *_: str | None) -> int:
    return sqlite3.SQLITE_OK if action in READ_ACTIONS else sqlite3.SQLITE_DENY


class _StepLimit:
    """A progress handler that interrupts a statement after 5000 calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> bool:
        self.calls += 1
        return self.calls > 5000
