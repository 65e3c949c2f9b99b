"""`compare_table`: a workbook against another and against rules, in a small language of its own."""

from __future__ import annotations

from pathlib import Path
from typing import assert_never

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.osworld.registry import metric
from ambidex.evaluators.osworld.sheets.table_book import Book, Place, open_book
from ambidex.evaluators.osworld.sheets.table_compat import judged_as_upstream
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
    Two,
    Zoom,
)
from ambidex.evaluators.osworld.sheets.table_style import cell_breaks, style_differs
from ambidex.evaluators.osworld.sheets.table_view import (
    filter_differs,
    freeze_differs,
    lines_differ,
    validation_breaks,
    zoom_breaks,
)
from ambidex.evaluators.values import verdict


@metric(
    repairs=(
        "sheet_data compares cell by cell, numbers as numbers within the precision: upstream wants "
        "whole columns of one kind, so 1 in a column of 1.5 differs from 1, and rounds first, so "
        "neighbours at a rounding edge differ.",
        "sheet_data reads texts as texts: upstream takes N/A, null and None for empty cells, and a "
        "column of texts that look like numbers for numbers.",
        "sheet_data reads `ignore_case`: upstream does not read it, though tasks give it.",
        "sheet_fuzzy takes an empty cell for no text: upstream compares the word None.",
        "chart and pivot_table compare all objects of a sheet: upstream keeps one of several that "
        "show the same data.",
        "chart takes the whole title and references without quotes and $: upstream compares the "
        "title's first run, and references as written.",
        "pivot_table leaves out columns of the source that hold nothing: upstream those of which "
        "the table lists no items.",
        "style computes conditional formats as a spreadsheet does: upstream puts each cell's own "
        "value in the place of the first reference, whatever that is, takes an error for true, and "
        "ends in an exception at a single cell that is written with $.",
        "style and check_cell take colours as one sees them, without alpha, those of palette and "
        "theme looked up: upstream reads what is stored.",
        "style and check_cell look at empty cells too: upstream reads the fonts and formats of "
        "cells with content alone, and ends in an exception where a font names no colour.",
        "check_cell compares the address of a link: upstream an object of its library, which no "
        "text equals.",
        "A sheet that a rule names is there: upstream takes one that is not for a sheet without "
        "charts, looks, rows, columns, filters and pivot tables.",
        "sheet_fuzzy, sparkline and check_cell read the sheet's own part of the file: upstream the "
        "part that has the sheet's number in its name.",
        "sheet_print compares the lines as they are: upstream without the blanks around them, and "
        "it takes form feeds and the like for the ends of lines.",
        "Blanks after the commas of a list in a validation do not count: upstream compares them.",
        "style, row_props and col_props take what only one file records for the default where it "
        "says nothing else: upstream wants the same cells, rows and columns recorded.",
        "col_props reads what a record says of all its columns: upstream, of the first.",
        "data_validation wants each set of rules obeyed by some validation: upstream counts "
        "validations.",
    )
)
def compare_table(
    result: Path, expected: Path | None = None, *, rules: list[TableRule], strict: bool
) -> Score:
    """Every rule on the workbook holds: sheet_name, sheet_data, sheet_print, sheet_fuzzy, chart,
    sparkline, style, freeze, zoom, data_validation, row_props, col_props, filter, pivot_table,
    check_cell."""
    if not strict:
        asked = [rule.model_dump(exclude_unset=True) for rule in rules]
        return judged_as_upstream(result, expected, asked)
    books = {"R": open_book(result)}
    for rule in rules:
        if "E" not in books and _needs_expected(rule):
            books["E"] = open_book(expected)
        wrong = _breaks(rule, books)
        if wrong:
            refused = verdict(wrong, "")
            return Score(0.0, f"{rule.type}: {refused.reason}")
    return Score(1.0, f"all {len(rules)} rules hold")


def _needs_expected(rule: AnyRule) -> bool:
    if isinstance(rule, SheetName):
        return True
    named = [rule.sheet_idx0, rule.sheet_idx1] if isinstance(rule, Two) else [rule.sheet_idx]
    return any(isinstance(each, str) and each.startswith("E") for each in named)


def _breaks(rule: AnyRule, books: dict[str, Book]) -> list[str]:
    if isinstance(rule, SheetName):
        actual, target = books["R"].names, books["E"].names
        return [] if actual == target else [f"the sheets are {actual}, not {target}"]
    if isinstance(rule, Two):
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
            return zoom_breaks(one, rule)
        case DataValidation():
            return validation_breaks(one, rule)
        case RowProps() | ColumnProps():
            return lines_differ(one, other, rule)
        case Filter():
            return filter_differs(one, other)
        case PivotTable():
            return pivots_differ(one, other, rule)
        case CheckCell():
            return cell_breaks(one, rule)
        case _:
            assert_never(rule)


def _place(name: int | str, books: dict[str, Book]) -> Place:
    """The sheet that a rule names; `UnreadableError` where there is none."""
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
