"""Comparison of the contents of sheets: values, CSV exports and similar texts."""

from __future__ import annotations

from openpyxl.utils import get_column_letter
from openpyxl.worksheet.cell_range import CellRange
from rapidfuzz import fuzz

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.osworld import given
from ambidex.evaluators.osworld.sheets.records import lines_equal
from ambidex.evaluators.osworld.sheets.table_book import MOST_CELLS, Place, Raw
from ambidex.evaluators.osworld.sheets.table_rules import (
    FuzzyRange,
    SheetData,
    SheetFuzzy,
    SheetPrint,
)
from ambidex.evaluators.values import shown, unequal


def data_differs(one: Place, other: Place, rule: SheetData) -> list[str]:
    """Differences in the values of two sheets; empty if there are none."""
    actual, target = (_grid(side, ignore_case=bool(rule.ignore_case)) for side in (one, other))
    tolerance = 10.0**-rule.precision
    wrong = []
    for place in sorted(actual.keys() | target.keys()):
        reason = unequal(target.get(place), actual.get(place), tolerance)
        if reason:
            row, column = place
            wrong.append(f"row {row}, column {column} of {one[1]} {reason}")
    return wrong


def _grid(place: Place, *, ignore_case: bool) -> dict[tuple[int, int], object]:
    """The values of non-empty cells by (row, column)."""
    book, sheet = place
    return {
        (row, column): value.lower() if ignore_case and isinstance(value, str) else value
        for row, line in enumerate(book.values(sheet), start=1)
        for column, value in enumerate(line, start=1)
        if value is not None and value != ""
    }


def print_differs(one: Place, other: Place, rule: SheetPrint) -> list[str]:
    """Differences in the CSV files alongside the workbooks; empty lines at the end do not count."""
    actual, target = _printed(one, rule), _printed(other, rule)
    score = lines_equal(actual, target)
    return [] if score.value == 1 else [f"{one[1]} as CSV: {score.reason}"]


def _printed(place: Place, rule: SheetPrint) -> list[str]:
    book, sheet = place
    text = given.text(book.path.with_name(f"{book.path.stem}-{sheet}.csv"))
    lines = (text.lower() if rule.ignore_case else text).split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def fuzzy_differs(one: Place, other: Place, rule: SheetFuzzy) -> list[str]:
    """Cells in the ranges of a rule whose texts are not similar."""
    actual, target = (side[0].raw(side[1]) for side in (one, other))
    wrong = []
    for options in rule.rules:
        for area in map(CellRange, options.range):
            if area.size["rows"] * area.size["columns"] > MOST_CELLS:
                raise UnreadableError(f"{area.coord} spans more than {MOST_CELLS} cells")
            for row, column in area.cells:
                place = f"{get_column_letter(column)}{row}"
                left, right = (_text(cells.get(place), options) for cells in (actual, target))
                if not _similar(left, right, options):
                    wrong.append(f"{place} of {one[1]} reads {shown(left)}, not {shown(right)}")
    return wrong


def _text(value: Raw, rule: FuzzyRange) -> str:
    text = "" if value is None else str(value)
    for old, new in rule.normalization:
        text = text.replace(old, new)
    text = text.lstrip(rule.trim_leadings) if rule.trim_leadings else text
    text = text.rstrip(rule.trim_trailings) if rule.trim_trailings else text
    text = "".join(character for character in text if character not in rule.ignore_chars)
    return text.lower() if rule.ignore_case else text


def _similar(actual: str, target: str, rule: FuzzyRange) -> bool:
    match rule.type:
        case "includes":
            return target in actual
        case "included_by":
            return actual in target
        case "fuzzy_match":
            return bool(fuzz.ratio(actual, target) >= rule.threshold)
        case "exact_match":
            return actual == target
