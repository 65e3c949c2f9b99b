"""Metrics on records: CSV by lines and by columns, and a column of cities."""

from __future__ import annotations

import csv
import re
import unicodedata
from pathlib import Path
from typing import Annotated, Any

import openpyxl
from pydantic import Field
from typing_extensions import TypedDict

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.osworld import given
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.values import shown, verdict

ROWS = 21
"""From C2 to C22."""
ENCODINGS = ("utf-8-sig", "utf-16", "latin-1")
"""In this order; a text in UTF-16 is known by its mark."""


class Records(TypedDict, total=False):
    """What some row holds in these columns, and what no row holds."""

    expect: list[dict[str, Any]]
    unexpect: list[dict[str, Any]]


class Cities(TypedDict):
    """Each row's city, or the names that it may go by."""

    expected: list[Any]


@metric(
    repairs=(
        "A mark of the byte order is no part of the text, and UTF-16 is read: upstream reads UTF-8 "
        "with the mark, and takes all else for Latin-1.",
    )
)
def compare_csv(
    result: Path,
    expected: Path | list[Path | None],
    *,
    blanks: Annotated[bool | None, Field(alias="strict")] = True,
    ignore_case: bool | None = False,
    strict: bool,
) -> Score:
    """The lines of the file are those of the expected one, or of one of several; with `strict:
    false`, blanks around a line do not count. A line ends where Python's `splitlines` says so."""

    def read(file: Path) -> list[str]:
        text = any_text(given.held(file), strict=strict)
        held = (text.lower() if ignore_case else text).splitlines()
        return held if blanks else [each.strip() for each in held]

    actual = read(result)
    best = Score(0.0, "there is nothing to compare with")
    for each in expected if isinstance(expected, list) else [expected]:
        if each is None:
            raise UpstreamRaisesError("there is no file to compare with")
        try:
            best = lines_equal(actual, read(each))
        except UnreadableError as unreadable:
            best = Score(0.0, str(unreadable))
        if best.value == 1:
            break
    return best


def lines_equal(actual: list[str], target: list[str]) -> Score:
    """Whether two texts have the same lines in the same order."""
    wrong = [
        f"line {number} is {shown(one)}, not {shown(other)}"
        for number, (one, other) in enumerate(zip(actual, target, strict=False), start=1)
        if one != other
    ]
    if len(actual) != len(target):
        wrong.append(f"there are {len(actual)} lines, not {len(target)}")
    return verdict(wrong, f"all {len(target)} lines are equal")


def any_text(content: bytes, *, strict: bool) -> str:
    """The text of a table, in whatever encoding it is; every line ends in one newline."""
    for encoding in ENCODINGS if strict else ("utf-8", "latin-1"):
        if encoding == "utf-16" and content[:2] not in {b"\xff\xfe", b"\xfe\xff"}:
            continue
        try:
            return content.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError:
            continue  # latin-1 at the end reads any bytes
    raise AssertionError("latin-1 reads any bytes")


@metric()
def check_csv(result: Path, expected: Records) -> Score:
    """Some row has each `expect` record in the columns that it names, no row an `unexpect` one."""
    try:
        rows = list(csv.DictReader(given.lines(given.text(result))))
    except csv.Error as error:
        raise UnreadableError(f"it is no CSV: {error}") from error
    wrong = [
        f"no row has {shown(rule)}"
        for rule in expected.get("expect", [])
        if not any(rule.items() <= row.items() for row in rows)
    ]
    wrong += [
        f"a row has {shown(rule)}"
        for rule in expected.get("unexpect", [])
        if any(rule.items() <= row.items() for row in rows)
    ]
    return verdict(wrong, f"the {len(rows)} rows are as expected")


@metric()
def compare_conference_city_in_order(result: Path, expected: Cities) -> Score:
    """C2 to C22 of the workbook's active sheet name the expected cities in order; each may stand
    among other words, and neither case nor accents nor punctuation count."""
    with given.library(given.file(result).name):
        book = openpyxl.load_workbook(given.office(result), read_only=True, keep_links=False)
        sheet = book.active
        rows = [] if sheet is None else list(sheet.iter_rows(2, 22, 3, 3, values_only=True))
    cities = [row[0] if row else None for row in rows]
    cities += [None] * (ROWS - len(cities))
    target = expected["expected"]
    if len(target) < ROWS:
        return Score(0.0, f"{len(target)} cities are expected in {ROWS} rows")
    wrong = [
        f"C{row} is {shown(actual) or 'empty'}, not {shown(names)}"
        for row, (actual, names) in enumerate(zip(cities, target, strict=False), start=2)
        if not _names_one(actual, [names] if isinstance(names, str) else names)
    ]
    return verdict(wrong, f"all {ROWS} cities are there")


def _names_one(actual: object, names: object) -> bool:
    """Whether a cell holds one of the names."""
    if not isinstance(names, list):
        return False
    said = _plain(actual)
    return any((name := _plain(each)) and name in said for each in names)


def _plain(value: object) -> str:
    """The words of a text in lower case, without accents and with a blank for all else."""
    apart = unicodedata.normalize("NFKD", "" if value is None else str(value))
    letters = "".join(each for each in apart if not unicodedata.combining(each))
    return re.sub(r"[^a-z0-9]+", " ", letters.lower()).strip()
