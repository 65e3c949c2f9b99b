"""Metrics on plain text: whole texts, lines, and their contents."""

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
"""Maximum number of lines to pair: the time grows with the product of both counts."""
CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)")
PREAMBLE = ("#!", "# -*- coding:", "# coding:", "# coding=")
"""Prefixes of lines that do not count among the first three of a Python file."""
PREAMBLE_LINES = 3


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"not a regular expression: {text!r:.200} ({error})") from error
    return text


class Lines(TypedDict, total=False):
    """Patterns that must match some line, and patterns that must match none."""

    expect: list[Annotated[str, AfterValidator(_pattern)]] | str
    unexpect: list[Annotated[str, AfterValidator(_pattern)]] | str


class Texts(TypedDict, total=False):
    """Texts that a file must contain; values other than texts are never contained."""

    expected: Any


class Count(TypedDict, total=False):
    """An expected number, possibly as text; any other value equals nothing."""

    expected: Any


@metric()
def compare_text_file(
    result: Path, expected: Path, *, ignore_blanks: bool = False, ignore_case: bool = False
) -> Score:
    """The whole text equals the expected one; `ignore_blanks` treats every run of white space as
    one blank."""
    return texts_equal(
        given.text(result), given.text(expected), blanks=not ignore_blanks, case=not ignore_case
    )


def texts_equal(actual: str, target: str, *, blanks: bool = True, case: bool = True) -> Score:
    """Score 1 if two texts are equal, optionally ignoring blanks and case."""
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
    return Score(0.0, f"the text reads {shown(actual[cut])}, not {shown(target[cut])}")


def squeezed(text: str) -> str:
    """Collapse each run of white space to one blank, and strip the ends."""
    return re.sub(r"\s+", " ", text).strip()


@metric()
def diff_text_file(result: Path, expected: Path) -> Score:
    """The similarity of two files by lines, ignoring line ends: twice the number of common lines,
    divided by the total number of lines."""
    return lines_alike(given.text(result, 4 * MIB), given.text(expected, 4 * MIB))


def lines_alike(actual: str, target: str) -> Score:
    """The similarity of two texts by lines: `SequenceMatcher.ratio`."""
    one, other = actual.splitlines(), target.splitlines()
    if max(len(one), len(other)) > MOST_LINES:
        raise UnreadableError(f"there are more than {MOST_LINES} lines to pair")
    ratio = difflib.SequenceMatcher(a=one, b=other).ratio()
    return Score(ratio, f"the similarity of the lines is {ratio:.3f}")


@metric()
def file_contains(result: Path, expected: Texts) -> Score:
    """The file contains all the texts."""
    actual, target = given.text(result), expected.get("expected")
    if not isinstance(target, list | str | dict):
        return Score(0.0, f"{shown(target)} is not a list of texts")
    wrong = [
        f"{shown(text)} is missing"
        for text in target
        if not (isinstance(text, str) and text in actual)
    ]
    return verdict(wrong, f"all {len(target)} texts are present")


@metric()
def compare_python_pure_text(result: Path, expected: Path) -> Score:
    """Two Python files have the same lines, apart from shebang and coding lines at the start, empty
    lines, blanks at line ends and tabs (which count as four blanks)."""
    return texts_equal(_code(given.text(result)), _code(given.text(expected)))


def _code(text: str) -> str:
    lines = text.splitlines()
    first = 0
    while first < min(PREAMBLE_LINES, len(lines)) and lines[first].strip().startswith(PREAMBLE):
        first += 1
    return "\n".join(line.expandtabs(4).rstrip() for line in lines[first:] if line.strip())


@metric(repairs=("The expected number must occur as a number of its own: upstream finds 1 in 10.",))
def compare_result_files(result: Path, expected: Path, *, strict: bool) -> Score:
    """The file contains the expected number (within 0.0001, or anywhere in the text); an expected
    text must be equal."""
    actual, target = given.text(result).strip(), given.text(expected).strip()
    number = _number(target)
    if number is None:
        return texts_equal(actual, target)
    value = _number(actual)
    occurs = stands_alone(target, actual) if strict else target in actual
    if occurs or (value is not None and abs(value - number) < 1e-4):
        return Score(1.0, f"the file contains {target}")
    return Score(0.0, f"the file contains {shown(actual)}, not {target}")


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def stands_alone(target: str, text: str) -> bool:
    """Whether the text contains `target` without further digits at either end."""
    before = r"(?<!\d)(?<!\d\.)" if target[:1].isdigit() else ""
    after = r"(?!\d|\.\d)" if target[-1:].isdigit() else ""
    return re.search(before + re.escape(target) + after, text) is not None


@metric()
def check_line_number(result: Path, expected: Count) -> Score:
    """The number of lines with a time of day (HH:MM:SS) is the expected one."""
    actual = sum(1 for line in given.lines(given.text(result)) if CLOCK.search(line))
    try:
        target = int(expected["expected"])
    except (KeyError, TypeError, ValueError, OverflowError):
        return Score(0.0, f"{shown(expected.get('expected'))} is not a number of lines")
    wrong = [] if actual == target else [f"{actual} lines contain a time, not {target}"]
    return verdict(wrong, f"{actual} lines contain a time")


@metric()
def check_list(result: Path, expected: Lines) -> Score:
    """Each `expect` pattern matches in some line of the file, and no `unexpect` pattern in any."""
    file_lines = given.lines(given.text(result))
    wrong = [
        f"no line matches {pattern!r}"
        for pattern in expected.get("expect", [])
        if not any(re.search(pattern, line) for line in file_lines)
    ]
    wrong += [
        f"a line matches {pattern!r}"
        for pattern in expected.get("unexpect", [])
        if any(re.search(pattern, line) for line in file_lines)
    ]
    return verdict(wrong, "the lines are as expected")


class Included(TypedDict, total=False):
    """Texts that must be present, and texts that must not."""

    include: list[Any] | str
    exclude: list[Any] | str


@metric(
    repairs=(
        "A text to include that begins or ends with a digit must not be part of a longer number: "
        "upstream finds 54 in 154.",
    )
)
def check_include_exclude(result: Value, expected: Included, *, strict: bool) -> Score:
    """The output contains all texts to include and none of those to exclude."""
    if strict and not isinstance(result, str):
        raise UnreadableError(f"expected text, not {result!r:.100}")
    wrong = [
        f"{shown(text)} is missing from {shown(result)}"
        for text in expected.get("include", [])
        if not (_contains_alone(text, result) if strict else _contains(result, text))
    ]
    wrong += [
        f"{shown(text)} is in {shown(result)}"
        for text in expected.get("exclude", [])
        if _contains(result, text)
    ]
    return verdict(wrong, "the output is as expected")


def _contains(actual: Any, target: Any) -> bool:
    try:
        return target in actual
    except TypeError as error:
        raise UpstreamRaisesError(f"{shown(actual)} cannot contain {shown(target)}") from error


def _contains_alone(target: Any, actual: Any) -> bool:
    return isinstance(target, str) and stands_alone(target, actual)
