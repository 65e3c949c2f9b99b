"""The metric `compare_table`: checks a workbook against another one and against rules."""

from __future__ import annotations

from pathlib import Path
from typing import assert_never

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.osworld.registry import metric
from ambidex.evaluators.osworld.sheets.table_book import Book, Place, open_book
from ambidex.evaluators.osworld.sheets.table_compat import judge_as_upstream
from ambidex.evaluators.osworld.sheets.table_data import data_differs, fuzzy_differs, print_differs
from ambidex.evaluators.osworld.sheets.table_objects import (
    charts_differ,
    pivots_differ,
    sparklines_differ,
)
from ambidex.evaluators.osworld.sheets.table_rules import (
    AnyRule,
    Chart,
    CheckCell,
    ColumnProps,
    DataValidation,
    Filter,
    Freeze,
    PivotTable,
    RowProps,
    SheetData,
    SheetFuzzy,
    SheetName,
    SheetPrint,
    Sparkline,
    Style,
    TableRule,
    TwoSheetRule,
    Zoom,
)
from ambidex.evaluators.osworld.sheets.table_style import cell_violations, style_differs
from ambidex.evaluators.osworld.sheets.table_view import (
    filter_differs,
    freeze_differs,
    lines_differ,
    validation_violations,
    zoom_violations,
)
from ambidex.evaluators.values import verdict


@metric(
    repairs=(
        "sheet_data compares cell by cell, and numbers within the precision: upstream requires "
        "columns of one type, so that 1 in a column with 1.5 differs from 1, and rounds first, so "
        "that close numbers at a rounding boundary differ.",
        "sheet_data reads texts as texts: upstream treats N/A, null and None as empty cells, and a "
        "column of texts that look like numbers as numbers.",
        "sheet_data supports `ignore_case`: upstream ignores `ignore_case`, though tasks set it.",
        "sheet_fuzzy treats an empty cell as an empty text: upstream compares the word None "
        "instead.",
        "chart and pivot_table compare all objects of a sheet: upstream keeps only one of several "
        "objects with the same data.",
        "chart compares whole titles, and references without quotes and $: upstream compares the "
        "first run of a title, and references as written.",
        "pivot_table ignores empty columns of the source: upstream ignores columns for which "
        "the table lists no items.",
        "style computes conditional formats as a spreadsheet does: upstream substitutes each "
        "cell's own value for the first reference, whatever that is, treats an error as true, and "
        "ends in an exception at a reference to a single cell written with $.",
        "style and check_cell resolve the colours of palette and theme and ignore alpha: upstream "
        "compares colours as stored.",
        "style and check_cell check empty cells too: upstream reads the fonts and formats of "
        "non-empty cells only, and ends in an exception if a font has no colour.",
        "check_cell compares the address of a hyperlink: upstream compares the link as an "
        "object of its library, which equals no text.",
        "A sheet that a rule names must exist: upstream treats a missing sheet as one without "
        "charts, formats, rows, columns, filters and pivot tables.",
        "sheet_fuzzy, sparkline and check_cell read the part of the file that belongs to the "
        "sheet: upstream reads the part with the sheet's number in its name.",
        "sheet_print compares lines exactly: upstream strips blanks around lines, and splits lines "
        "at form feeds and the like.",
        "Blanks after the commas of a list in a validation do not count: upstream compares blanks.",
        "style, row_props and col_props treat what only one file records as equal to the default "
        "if it sets nothing else: upstream requires the same cells, rows and columns to be "
        "recorded.",
        "col_props applies a record to all its columns: upstream, to the first one.",
        "data_validation requires each set of rules to match some validation: upstream only counts "
        "validations.",
    )
)
def compare_table(
    result: Path, expected: Path | None = None, *, rules: list[TableRule], strict: bool
) -> Score:
    """All rules on the workbook hold. Types of rules: sheet_name, sheet_data, sheet_print,
    sheet_fuzzy, chart, sparkline, style, freeze, zoom, data_validation, row_props, col_props,
    filter, pivot_table, check_cell."""
    if not strict:
        plain_rules = [rule.model_dump(exclude_unset=True) for rule in rules]
        return judge_as_upstream(result, expected, plain_rules)
    books = {"R": open_book(result)}
    for rule in rules:
        if "E" not in books and _needs_expected(rule):
            books["E"] = open_book(expected)
        wrong = _violations(rule, books)
        if wrong:
            score = verdict(wrong, "")
            return Score(0.0, f"{rule.type}: {score.reason}")
    return Score(1.0, f"all {len(rules)} rules hold")


def _needs_expected(rule: AnyRule) -> bool:
    if isinstance(rule, SheetName):
        return True
    references = (
        [rule.sheet_idx0, rule.sheet_idx1] if isinstance(rule, TwoSheetRule) else [rule.sheet_idx]
    )
    return any(isinstance(reference, str) and reference.startswith("E") for reference in references)


def _violations(rule: AnyRule, books: dict[str, Book]) -> list[str]:
    if isinstance(rule, SheetName):
        actual, target = books["R"].names, books["E"].names
        return [] if actual == target else [f"the sheets are {actual}, not {target}"]
    if isinstance(rule, TwoSheetRule):
        one, other = _place(rule.sheet_idx0, books), _place(rule.sheet_idx1, books)
    else:
        one = other = _place(rule.sheet_idx, books)
    match rule:
        case SheetData():
            return data_differs(one, other, rule)
        case SheetPrint():
            return print_differs(one, other, rule)
        case SheetFuzzy():
            return fuzzy_differs(one, other, rule)
        case Sparkline():
            return sparklines_differ(one, other)
        case Chart():
            return charts_differ(one, other, rule)
        case Style():
            return style_differs(one, other, rule)
        case Freeze():
            return freeze_differs(one, other)
        case Zoom():
            return zoom_violations(one, rule)
        case DataValidation():
            return validation_violations(one, rule)
        case RowProps() | ColumnProps():
            return lines_differ(one, other, rule)
        case Filter():
            return filter_differs(one, other)
        case PivotTable():
            return pivots_differ(one, other, rule)
        case CheckCell():
            return cell_violations(one, rule)
        case _:
            assert_never(rule)


def _place(name: int | str, books: dict[str, Book]) -> Place:
    """The sheet that a rule refers to; `UnreadableError` if there is none."""
    book = books["E" if str(name).startswith("E") else "R"]
    if isinstance(name, str) and name[1] == "N":
        sheet = name[2:]
        if sheet not in book.names:
            raise UnreadableError(f"{book.path.name} has no sheet {sheet!r}; it has {book.names}")
        return book, sheet
    number = name if isinstance(name, int) else int(name[2:])
    if not 0 <= number < len(book.names):
        raise UnreadableError(f"{book.path.name} has no sheet number {number}; it has {book.names}")
    return book, book.names[number]
