"""Metrics on tabular records: CSV by lines and by columns, and a column of cities."""

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
"""Rows 2 to 22 of column C."""
ENCODINGS = ("utf-8-sig", "utf-16", "latin-1")
"""Encodings to try in order; UTF-16 is only tried if the text starts with a byte order mark."""


class Records(TypedDict, total=False):
    """Values by column that some row must have, and values that no row may have."""

    expect: list[dict[str, Any]]
    unexpect: list[dict[str, Any]]


class Cities(TypedDict):
    """The city of each row, or a list of accepted names for it."""

    expected: list[Any]


@metric(
    repairs=(
        "A byte order mark is not part of the text, and UTF-16 is supported: upstream keeps the "
        "mark, and reads everything but UTF-8 as Latin-1.",
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
    """The file has the same lines as the expected one, or as one of several. With `strict: false`,
    blanks around a line do not count. Lines are those of Python's `splitlines`."""

    def read(file: Path) -> list[str]:
        text = any_text(given.read_bytes(file), strict=strict)
        lines = (text.lower() if ignore_case else text).splitlines()
        return lines if blanks else [line.strip() for line in lines]

    actual = read(result)
    best = Score(0.0, "there is nothing to compare with")
    for candidate in expected if isinstance(expected, list) else [expected]:
        if candidate is None:
            raise UpstreamRaisesError("there is no file to compare with")
        try:
            best = lines_equal(actual, read(candidate))
        except UnreadableError as unreadable:
            best = Score(0.0, str(unreadable))
        if best.value == 1:
            break
    return best


def lines_equal(actual: list[str], target: list[str]) -> Score:
    """Score 1 if two texts have the same lines in the same order."""
    wrong = [
        f"line {number} is {shown(one)}, not {shown(other)}"
        for number, (one, other) in enumerate(zip(actual, target, strict=False), start=1)
        if one != other
    ]
    if len(actual) != len(target):
        wrong.append(f"there are {len(actual)} lines, not {len(target)}")
    return verdict(wrong, f"all {len(target)} lines are equal")


def any_text(content: bytes, *, strict: bool) -> str:
    """Decode the text of a table, trying several encodings; every line end becomes a newline."""
    for encoding in ENCODINGS if strict else ("utf-8", "latin-1"):
        if encoding == "utf-16" and content[:2] not in {b"\xff\xfe", b"\xfe\xff"}:
            continue
        try:
            return content.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError:
            continue  # latin-1, the last one, accepts any bytes
    raise AssertionError("latin-1 accepts any bytes")


@metric()
def check_csv(result: Path, expected: Records) -> Score:
    """Each `expect` record matches some row in the columns that it names; no `unexpect` does."""
    try:
        rows = list(csv.DictReader(given.lines(given.text(result))))
    except csv.Error as error:
        raise UnreadableError(f"not CSV: {error}") from error
    wrong = [
        f"no row has {shown(record)}"
        for record in expected.get("expect", [])
        if not any(record.items() <= row.items() for row in rows)
    ]
    wrong += [
        f"a row has {shown(record)}"
        for record in expected.get("unexpect", [])
        if any(record.items() <= row.items() for row in rows)
    ]
    return verdict(wrong, f"the {len(rows)} rows are as expected")


@metric()
def compare_conference_city_in_order(result: Path, expected: Cities) -> Score:
    """Cells C2 to C22 of the active sheet contain the expected cities in order, possibly among
    other words; case, accents and punctuation do not count."""
    with given.library(given.file(result).name):
        book = openpyxl.load_workbook(given.office(result), read_only=True, keep_links=False)
        sheet = book.active
        rows = [] if sheet is None else list(sheet.iter_rows(2, 22, 3, 3, values_only=True))
    cities = [row[0] if row else None for row in rows]
    cities += [None] * (ROWS - len(cities))
    target = expected["expected"]
    if len(target) < ROWS:
        return Score(0.0, f"{len(target)} cities are expected for {ROWS} rows")
    wrong = [
        f"C{row} is {shown(actual) or 'empty'}, not {shown(names)}"
        for row, (actual, names) in enumerate(zip(cities, target, strict=False), start=2)
        if not _contains_name(actual, [names] if isinstance(names, str) else names)
    ]
    return verdict(wrong, f"all {ROWS} cities are present")


def _contains_name(actual: object, names: object) -> bool:
    """Whether a cell contains one of the names."""
    if not isinstance(names, list):
        return False
    words = _plain(actual)
    return any((name := _plain(candidate)) and name in words for candidate in names)


def _plain(value: object) -> str:
    """The words of a text in lower case, without accents, separated by blanks."""
    apart = unicodedata.normalize("NFKD", "" if value is None else str(value))
    letters = "".join(character for character in apart if not unicodedata.combining(character))
    return re.sub(r"[^a-z0-9]+", " ", letters.lower()).strip()
