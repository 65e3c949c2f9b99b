"""Metrics on values: equal, one of a list, JSON by its keys, a cell of a database."""

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
from ambidex.evaluators.bounded import parse_json
from ambidex.evaluators.evidence import MIB
from ambidex.evaluators.osworld import AnyScore, Value, given
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.osworld.rules import Rule, matches, well_formed
from ambidex.evaluators.values import shown, verdict

FAILED = "__EVALUATION_FAILED__"
"""What an OSWorld getter leaves in the place of a value that it could not get."""
READS = (
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
)


class Equal(TypedDict):
    """One value."""

    expected: Any


class OneOf(TypedDict):
    """Any of these (of a text: any part of it)."""

    expected: Any


class Fields(TypedDict):
    """What the keys of an object hold; of no object, nothing holds."""

    expected: NotRequired[Any]
    expect_in_result: NotRequired[Any]
    ignore_list_order: NotRequired[Any]


class FieldRule(Rule):
    """A value rule for what stands at a path of keys and positions."""

    key: list[str | int] | str
    """One after the other; of a text, its letters."""


FieldRules = list[Annotated[FieldRule, AfterValidator(well_formed)]]


class Rules(TypedDict, total=False):
    """Rules that hold, and rules that do not."""

    expect: FieldRules
    unexpect: FieldRules


class Query(TypedDict):
    """One statement whose first cell is the score."""

    sql: str


UNSEEN = "A result that was not collected is never right: upstream holds it against null."
LACKING = Score(0.0, "there is nothing to judge: the result was not collected")


@metric(repairs=(UNSEEN,), sees_missing=True)
def exact_match(result: Value, expected: Equal, *, strict: bool) -> Score:
    """The value is the expected one, down to the newline at its end."""
    if strict and result is None:
        return LACKING
    return _equal(result, expected["expected"])


def _equal(actual: Value, target: Value) -> Score:
    wrong = [] if actual == target else [f"it is {shown(actual)}, not {shown(target)}"]
    return verdict(wrong, f"it is {shown(target)}")


@metric(repairs=(UNSEEN,), sees_missing=True)
def match_in_list(result: Value, expected: OneOf, *, strict: bool) -> Score:
    """The value is one of the list."""
    if strict and result is None:
        return LACKING
    target = expected["expected"]
    try:
        found = result in target
    except TypeError as error:
        raise UpstreamRaisesError(f"{shown(result)} cannot be sought in {shown(target)}") from error
    wrong = [] if found else [f"{shown(result)} is none of {shown(target)}"]
    return verdict(wrong, f"{shown(result)} is one of {shown(target)}")


@metric()
def is_in_list(result: Value, expected: Equal) -> Score:
    """The expected value is one of the list that was found (in a text: a part of it)."""
    target = expected["expected"]
    try:
        found = target in result  # type: ignore[operator]  # what is no container is said below
    except TypeError as error:
        raise UpstreamRaisesError(f"{shown(result)} is no list") from error
    return verdict([] if found else [f"{shown(target)} is not in {shown(result)}"], "it is there")


@metric(
    repairs=(UNSEEN, "The number 1 is not the text 1: upstream compares both as texts."),
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
    """Two texts are equal, or two lists with their members in order."""
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
    ones, others = [str(each) for each in result], [str(each) for each in expected]
    if ignore_case:
        ones, others = [each.lower() for each in ones], [each.lower() for each in others]
    return _equal(ones, others)


@metric(
    repairs=(
        "`ignore_list_order` counts where the tasks write it, beside `expected`: upstream looks "
        "for it among the expected keys.",
        "Text is read as JSON, else as a Python literal: upstream turns every apostrophe into a "
        "quotation mark, which breaks texts that hold one.",
    ),
)
def check_direct_json_object(result: Value, expected: Fields, *, strict: bool) -> Score:
    """Each expected key of an object (or of JSON text) has its value; with `expect_in_result`, a
    member of its list or a text that contains it."""
    target = expected.get("expected")
    actual: Any = _object(result, strict=strict) if isinstance(result, str) else result
    if actual is None:
        return Score(0.0, "there is no object with keys")
    if not isinstance(target, dict):
        return Score(0.0, f"{shown(target)} names no keys")
    if not isinstance(actual, dict) and (target or strict):
        return Score(0.0, f"{shown(actual)} is no object with keys")
    failed = [key for key, value in target.items() if value == FAILED]
    if failed:
        return Score(0.0, f"what {failed[0]!r} should be could not be found out")
    # Upstream's own place for the switch is a key beside the expected ones.
    holder: Mapping[str, Any] = expected if strict else target
    unordered = bool(holder.get("ignore_list_order", False))
    within = expected.get("expect_in_result", False)
    wrong = []
    for key, value in target.items():
        held = actual.get(key)
        if within:
            same = _within(value, held, strict=strict)
        elif unordered:
            same = _same_members(value, held, strict=strict)
        else:
            same = value == held
        if not same:
            wrong.append(f"{key} is {shown(held)}, not {shown(value)}")
    return verdict(wrong, f"all {len(target)} values are as expected")


def _object(text: str, *, strict: bool) -> object:
    try:
        if not strict:
            return parse_json(text.strip().replace("'", '"'), finite=False)
    except (ValueError, RecursionError) as error:
        raise UpstreamRaisesError(
            f"with apostrophes as quotation marks this is no JSON: {error}"
        ) from error
    try:
        return parse_json(text, finite=False)
    except (ValueError, RecursionError):
        pass  # the other grammar below has the last word
    try:
        return ast.literal_eval(text.strip()) if len(text) <= MIB else None
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        raise UnreadableError(f"it is neither JSON nor a Python literal: {shown(text)}") from error


def _within(target: object, held: object, *, strict: bool) -> bool:
    if isinstance(target, list):
        if not strict and not isinstance(held, list | str):
            return False
        return any(each == held or (isinstance(held, list) and each in held) for each in target)
    if isinstance(target, str):
        # The name of a key counts upstream, as what an object contains.
        return isinstance(held, str | list if strict else str | list | dict) and target in held
    return False


def _same_members(one: Any, other: Any, *, strict: bool) -> bool:
    if strict:
        one, other = (sorted(e, key=repr) if isinstance(e, list) else e for e in (one, other))
        return bool(one == other)
    try:
        return sorted(one) == sorted(other)
    except TypeError:  # where upstream gives 0: no lists, or of members without an order
        return False


@metric(
    repairs=(
        "A key that is not there breaks no `unexpect` rule: upstream holds the rule against null, "
        "or gives 0 where a list is too short.",
    )
)
def check_json(result: Path, expected: Rules, *, is_yaml: bool = False, strict: bool) -> Score:
    """In a JSON (or YAML) file, every `expect` rule holds for the value at its key, and no
    `unexpect` rule."""
    document = _document(given.text(result), is_yaml=is_yaml)
    if is_yaml and document is None:
        return Score(0.0, "the file is empty")
    wrong = []
    for rule in expected.get("expect", []):
        try:
            found, value = _at(document, rule["key"], strict=strict)
        except IndexError:
            found, value = False, None
        if not found or not matches(value, rule):
            wrong.append(f"{_path(rule['key'])} is {shown(value) or 'not there'}")
    for rule in expected.get("unexpect", []):
        try:
            found, value = _at(document, rule["key"], strict=strict)
        except IndexError:
            wrong += [] if strict else [f"{_path(rule['key'])} is beyond the end of a list"]
            continue
        if (found or not strict) and matches(value, rule):
            wrong.append(f"{_path(rule['key'])} is {shown(value)}")
    return verdict(wrong, "all rules hold")


def _document(said: str, *, is_yaml: bool) -> object:
    try:
        return yaml.safe_load(said) if is_yaml else parse_json(said, finite=False)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UnreadableError(f"it is no {'YAML' if is_yaml else 'JSON'}: {error}") from error


def _at(document: Any, keys: Sequence[str | int], *, strict: bool) -> tuple[bool, object]:
    """Whether a value stands at these keys, and it; `IndexError` beyond the end of a list."""
    for key in keys:
        if strict and isinstance(document, str):
            return False, None  # a letter is no value of the document
        try:
            document = document[key]
        except (KeyError, TypeError):
            return False, None
    return True, document


def _path(keys: Sequence[str | int]) -> str:
    return ".".join(str(key) for key in keys)


@metric(
    repairs=("The score lies within 0 and 1: upstream takes whatever number the statement finds.",)
)
def run_sqlite3(result: Path, expected: Query, *, strict: bool) -> Score:
    """The score is the first cell that a statement finds in the database; nothing is 0."""
    content = bytearray(given.held(result))
    # A database that was written with a log ahead says so in its head, and then wants its log.
    content[18:20] = b"\1\1" if len(content) > 20 else content[18:20]
    connection = sqlite3.connect(":memory:")
    try:
        if content:  # an empty file is a database without tables
            connection.deserialize(bytes(content))
        # A statement reads, for a bounded time; what a schema of the guest's making calls is off.
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.set_authorizer(_only_reads)
        connection.set_progress_handler(_Bound(), 100_000)
        row = connection.execute(expected["sql"]).fetchone()
    except sqlite3.Error as error:
        raise UnreadableError(f"the database gives no answer: {error}") from error
    finally:
        connection.close()
    if row is None:
        raise UpstreamRaisesError("the statement finds no row")
    cell: Any = row[0]
    try:
        value = float(cell or 0)
    except (TypeError, ValueError) as error:
        raise UpstreamRaisesError(
            f"the statement finds {shown(cell)}, which is no number"
        ) from error
    if not math.isfinite(value):
        raise UpstreamRaisesError(f"the statement finds {shown(cell)}, which is no finite number")
    said = f"the statement finds {shown(cell)}"
    return Score(min(1.0, max(0.0, value)), said) if strict else AnyScore(value, said)


def _only_reads(action: int, *_: str | None) -> int:
    return sqlite3.SQLITE_OK if action in READS else sqlite3.SQLITE_DENY


class _Bound:
    """Interrupts a statement after so many steps of the database's machine."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> bool:
        self.calls += 1
        return self.calls > 5000
