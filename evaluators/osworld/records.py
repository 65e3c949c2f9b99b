"""Metrics on records: CSV by lines and by columns, and a column of cities."""

from __future__ import annotations

import csv
import unicodedata
from pathlib import Path
from typing import Annotated, Any

import openpyxl
from pydantic import Field
from typing_extensions import TypedDict

from evaluators import Score, Unreadable
from evaluators.osworld import given
from evaluators.osworld.registry import metric
from evaluators.values import shown, verdict

ENCODINGS = ("utf-8-sig", "utf-16", "latin-1")
"""In this order; a text in UTF-16 is known by its mark."""


class Records(TypedDict, total=False):
    """What some row holds in these columns, and what no row holds."""

    expect: list[dict[str, Any]]
    unexpect: list[dict[str, Any]]


class Cities(TypedDict):
    """Each row's city, or the names that it may go by."""

    expected: list[str | list[str]]


@metric()
def compare_csv(
    result: Path,
    expected: Path | list[Path],
    *,
    blanks: Annotated[bool, Field(alias="strict")] = True,
    ignore_case: bool = False,
) -> Score:
    """The lines of the file are those of the expected one, or of one of several; with `strict:
    false`, blanks around a line do not count."""
    seen = _lines(_text(result), blanks=blanks, ignore_case=ignore_case)
    best = Score(0.0, "there is nothing to compare with")
    for each in expected if isinstance(expected, list) else [expected]:
        wanted = _lines(_text(each), blanks=blanks, ignore_case=ignore_case)
        best = lines_equal(seen, wanted)
        if best.value == 1:
            break
    return best


def lines_equal(seen: list[str], wanted: list[str]) -> Score:
    """Whether two texts have the same lines in the same order."""
    wrong = [
        f"line {number} is {shown(one)}, not {shown(other)}"
        for number, (one, other) in enumerate(zip(seen, wanted, strict=False), start=1)
        if one != other
    ]
    if len(seen) != len(wanted):
        wrong.append(f"there are {len(seen)} lines, not {len(wanted)}")
    return verdict(wrong, f"all {len(wanted)} lines are equal")


def _text(file: Path) -> str:
    content = given.held(file)
    for encoding in ENCODINGS:
        if encoding == "utf-16" and content[:2] not in {b"\xff\xfe", b"\xfe\xff"}:
            continue
        try:
            return content.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError:
            continue  # latin-1 at the end reads any bytes
    raise AssertionError("latin-1 reads any bytes")


def _lines(text: str, *, blanks: bool, ignore_case: bool) -> list[str]:
    # The newline at a line's end counts: a last line without one differs from one with it.
    held = given.lines(text.lower() if ignore_case else text)
    return held if blanks else [each.strip() for each in held]


@metric()
def check_csv(result: Path, expected: Records) -> Score:
    """Some row has each `expect` record in the columns that it names, no row an `unexpect` one."""
    try:
        rows = list(csv.DictReader(given.lines(given.text(result))))
    except csv.Error as error:
        raise Unreadable(f"it is no CSV: {error}") from error
    wrong = [
        f"no row has {shown(each)}"
        for each in expected.get("expect", [])
        if not any(each.items() <= row.items() for row in rows)
    ]
    wrong += [
        f"a row has {shown(each)}"
        for each in expected.get("unexpect", [])
        if any(each.items() <= row.items() for row in rows)
    ]
    return verdict(wrong, f"the {len(rows)} rows are as expected")


@metric()
def compare_conference_city_in_order(result: Path, expected: Cities) -> Score:
    """C2 to C22 of the workbook's active sheet name the expected cities in order; each may stand
    among other words, and accents do not count."""
    with given.library(given.file(result).name):
        book = openpyxl.load_workbook(given.office(result), read_only=True, keep_links=False)
        sheet = book.active
        rows = [] if sheet is None else list(sheet.iter_rows(2, 22, 3, 3, values_only=True))
    cities = [row[0] if row else None for row in rows]
    wrong = []
    for number, wanted in enumerate(expected["expected"]):
        seen = cities[number] if number < len(cities) else None
        names = [wanted] if isinstance(wanted, str) else wanted
        if not isinstance(seen, str) or not any(_plain(each) in _plain(seen) for each in names):
            wrong.append(f"C{number + 2} is {shown(seen) or 'empty'}, not {shown(wanted)}")
    return verdict(wrong, f"all {len(expected['expected'])} cities are there")


def _plain(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text)
    return "".join(each for each in apart if not unicodedata.combining(each))
