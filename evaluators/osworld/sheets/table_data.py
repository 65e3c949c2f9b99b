"""What the cells of two workbooks hold: names, frames, printed lines, texts that are nearly one."""

from __future__ import annotations

from openpyxl.utils import get_column_letter
from openpyxl.worksheet.cell_range import CellRange
from rapidfuzz import fuzz

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.osworld import given
from ambidex.evaluators.osworld.sheets.records import lines_equal
from ambidex.evaluators.osworld.sheets.table_book import MOST_CELLS, Place, Raw
from ambidex.evaluators.osworld.sheets.table_rules import Fuzzy, SheetData, SheetFuzzy, SheetPrint
from ambidex.evaluators.values import shown, unequal


def data_differs(one: Place, other: Place, rule: SheetData) -> list[str]:
    """Why two sheets do not hold the same; empty where they do."""
    seen, wanted = (_grid(each, ignore_case=bool(rule.ignore_case)) for each in (one, other))
    within = 10.0**-rule.precision
    wrong = []
    for place in sorted(seen.keys() | wanted.keys()):
        reason = unequal(wanted.get(place), seen.get(place), within)
        if reason:
            row, column = place
            wrong.append(f"row {row}, column {column} of {one[1]} {reason}")
    return wrong


def _grid(place: Place, *, ignore_case: bool) -> dict[tuple[int, int], object]:
    """The cells that hold something, by row and column."""
    book, sheet = place
    return {
        (row, column): value.lower() if ignore_case and isinstance(value, str) else value
        for row, line in enumerate(book.values(sheet), start=1)
        for column, value in enumerate(line, start=1)
        if value is not None and value != ""
    }


def print_differs(one: Place, other: Place, rule: SheetPrint) -> list[str]:
    """Why the CSV files beside the workbooks differ, line by line; empty lines at the end do not
    count."""
    seen, wanted = _printed(one, rule), _printed(other, rule)
    score = lines_equal(seen, wanted)
    return [] if score.value == 1 else [f"{one[1]} as CSV: {score.reason}"]


def _printed(place: Place, rule: SheetPrint) -> list[str]:
    book, sheet = place
    text = given.text(book.path.with_name(f"{book.path.stem}-{sheet}.csv"))
    lines = (text.lower() if rule.ignore_case else text).split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def fuzzy_differs(one: Place, other: Place, rule: SheetFuzzy) -> list[str]:
    """Why some cell of the ranges does not hold nearly the same text."""
    seen, wanted = (each[0].raw(each[1]) for each in (one, other))
    wrong = []
    for each in rule.rules:
        for area in map(CellRange, each.range):
            if area.size["rows"] * area.size["columns"] > MOST_CELLS:
                raise UnreadableError(f"{area.coord} spans more than {MOST_CELLS} cells")
            for row, column in area.cells:
                place = f"{get_column_letter(column)}{row}"
                left, right = (_text(held.get(place), each) for held in (seen, wanted))
                if not _alike(left, right, each):
                    wrong.append(f"{place} of {one[1]} says {shown(left)}, not {shown(right)}")
    return wrong


def _text(value: Raw, rule: Fuzzy) -> str:
    text = "" if value is None else str(value)
    for old, new in rule.normalization:
        text = text.replace(old, new)
    text = text.lstrip(rule.trim_leadings) if rule.trim_leadings else text
    text = text.rstrip(rule.trim_trailings) if rule.trim_trailings else text
    text = "".join(each for each in text if each not in rule.ignore_chars)
    return text.lower() if rule.ignore_case else text


def _alike(seen: str, wanted: str, rule: Fuzzy) -> bool:
    match rule.type:
        case "includes":
            return wanted in seen
        case "included_by":
            return seen in wanted
        case "fuzzy_match":
            return bool(fuzz.ratio(seen, wanted) >= rule.threshold)
        case "exact_match":
            return seen == wanted
