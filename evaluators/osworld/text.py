"""Metrics on plain text files: whole texts, lines, and what stands in them."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator
from typing_extensions import TypedDict

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.evidence import MIB
from ambidex.evaluators.osworld import Value, given
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.values import shown, verdict

MOST_LINES = 50_000
"""Of a file whose lines are paired: the time grows with the product of both."""
CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)")
PREAMBLE = ("#!", "# -*- coding:", "# coding:", "# coding=")
"""How the lines begin that do not count among the first three of a Python file."""
PREAMBLE_LINES = 3


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"{text!r:.200} is no regular expression: {error}") from error
    return text


class Lines(TypedDict, total=False):
    """Patterns that some line has, and patterns that no line has."""

    expect: list[Annotated[str, AfterValidator(_pattern)]] | str
    unexpect: list[Annotated[str, AfterValidator(_pattern)]] | str


class Texts(TypedDict, total=False):
    """Texts that stand in a file; where these are no texts, nothing does."""

    expected: Any


class Count(TypedDict, total=False):
    """A number, as text or as such; nothing is equal to anything else."""

    expected: Any


@metric()
def compare_text_file(
    result: Path, expected: Path, *, ignore_blanks: bool = False, ignore_case: bool = False
) -> Score:
    """The whole text is the expected one; `ignore_blanks` takes every run of white space as one
    blank."""
    return texts_equal(
        given.text(result), given.text(expected), blanks=not ignore_blanks, case=not ignore_case
    )


def texts_equal(actual: str, target: str, *, blanks: bool = True, case: bool = True) -> Score:
    """Whether two texts are one, with or without their blanks and case."""
    if not blanks:
        actual, target = squeezed(actual), squeezed(target)
    if not case:
        actual, target = actual.lower(), target.lower()
    if actual == target:
        return Score(1.0, "the texts are equal")
    place = next(
        (at for at, (one, other) in enumerate(zip(actual, target, strict=False)) if one != other),
        min(len(actual), len(target)),
    )
    cut = slice(max(0, place - 20), place + 60)
    return Score(0.0, f"the text says {shown(actual[cut])}, not {shown(target[cut])}")


def squeezed(text: str) -> str:
    """The text with each run of white space as one blank, and none at its ends."""
    return re.sub(r"\s+", " ", text).strip()


@metric()
def diff_text_file(result: Path, expected: Path) -> Score:
    """How alike the lines of two files are, without their ends: twice the lines in common, over the
    lines of both."""
    return lines_alike(given.text(result, 4 * MIB), given.text(expected, 4 * MIB))


def lines_alike(actual: str, target: str) -> Score:
    """Python's own ratio over the lines of two texts."""
    one, other = actual.splitlines(), target.splitlines()
    if max(len(one), len(other)) > MOST_LINES:
        raise UnreadableError(f"there are more than {MOST_LINES} lines to pair")
    ratio = difflib.SequenceMatcher(a=one, b=other).ratio()
    return Score(ratio, f"the lines are alike by {ratio:.3f}")


@metric()
def file_contains(result: Path, expected: Texts) -> Score:
    """All the texts stand in the file."""
    actual, target = given.text(result), expected.get("expected")
    if not isinstance(target, list | str | dict):
        return Score(0.0, f"{shown(target)} names no texts")
    wrong = [
        f"{shown(each)} is missing"
        for each in target
        if not (isinstance(each, str) and each in actual)
    ]
    return verdict(wrong, f"all {len(target)} texts are there")


@metric()
def compare_python_pure_text(result: Path, expected: Path) -> Score:
    """Two Python files have the same lines but for shebang and coding lines at the start, empty
    lines, blanks at line ends and tabs (four blanks)."""
    return texts_equal(_code(given.text(result)), _code(given.text(expected)))


def _code(text: str) -> str:
    lines = text.splitlines()
    first = 0
    while first < min(PREAMBLE_LINES, len(lines)) and lines[first].strip().startswith(PREAMBLE):
        first += 1
    return "\n".join(line.expandtabs(4).rstrip() for line in lines[first:] if line.strip())


@metric(
    repairs=(
        "The expected number must stand in the text as a number of its own: upstream takes 1 for "
        "found in 10.",
    )
)
def compare_result_files(result: Path, expected: Path, *, strict: bool) -> Score:
    """The file says the expected number (within 0.0001, or anywhere in the text); where a text is
    expected, exactly this."""
    actual, target = given.text(result).strip(), given.text(expected).strip()
    number = _number(target)
    if number is None:
        return texts_equal(actual, target)
    said = _number(actual)
    found = stands_alone(target, actual) if strict else target in actual
    if found or (said is not None and abs(said - number) < 1e-4):
        return Score(1.0, f"the file says {target}")
    return Score(0.0, f"the file says {shown(actual)}, not {target}")


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def stands_alone(target: str, text: str) -> bool:
    """Whether the text holds `wanted` where no digit goes on at either end of it."""
    before = r"(?<!\d)(?<!\d\.)" if target[:1].isdigit() else ""
    after = r"(?!\d|\.\d)" if target[-1:].isdigit() else ""
    return re.search(before + re.escape(target) + after, text) is not None


@metric()
def check_line_number(result: Path, expected: Count) -> Score:
    """So many lines of the file hold a time of day, HH:MM:SS."""
    actual = sum(1 for line in given.lines(given.text(result)) if CLOCK.search(line))
    try:
        target = int(expected["expected"])
    except (KeyError, TypeError, ValueError, OverflowError):
        return Score(0.0, f"{shown(expected.get('expected'))} is no number of lines")
    wrong = [] if actual == target else [f"{actual} lines hold a time, not {target}"]
    return verdict(wrong, f"{actual} lines hold a time")


@metric()
def check_list(result: Path, expected: Lines) -> Score:
    """Each `expect` pattern is found in some line of the file, no `unexpect` pattern in any."""
    held = given.lines(given.text(result))
    wrong = [
        f"no line has {rule!r}"
        for rule in expected.get("expect", [])
        if not any(re.search(rule, line) for line in held)
    ]
    wrong += [
        f"a line has {rule!r}"
        for rule in expected.get("unexpect", [])
        if any(re.search(rule, line) for line in held)
    ]
    return verdict(wrong, "the lines are as expected")


class Included(TypedDict, total=False):
    """Texts that are there, and texts that are not."""

    include: list[Any] | str
    exclude: list[Any] | str


@metric(
    repairs=(
        "A text to include that begins or ends in a digit must not go on in digits: upstream finds "
        "54 in 154.",
    )
)
def check_include_exclude(result: Value, expected: Included, *, strict: bool) -> Score:
    """All texts to include stand in what was printed, none of those to exclude."""
    if strict and not isinstance(result, str):
        raise UnreadableError(f"text is judged here, not {result!r:.100}")
    wrong = [
        f"{shown(text)} is missing from {shown(result)}"
        for text in expected.get("include", [])
        if not (_stands(text, result) if strict else _holds(result, text))
    ]
    wrong += [
        f"{shown(text)} is in {shown(result)}"
        for text in expected.get("exclude", [])
        if _holds(result, text)
    ]
    return verdict(wrong, "what was printed is as expected")


def _holds(actual: Any, target: Any) -> bool:
    try:
        return target in actual
    except TypeError as error:
        raise UpstreamRaisesError(f"{shown(target)} cannot be sought in {shown(actual)}") from error


def _stands(target: Any, actual: Any) -> bool:
    return isinstance(target, str) and stands_alone(target, actual)
