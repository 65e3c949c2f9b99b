"""Formatting of cells as upstream reads it, with conditional formats computed on stored values.

Upstream substitutes the value of each cell for the alphabetically first reference in the formula of
a conditional format, and the values of ranges written with $ throughout for the other references.
If their numbers do not match, the format never applies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from openpyxl.cell.cell import MergedCell
from openpyxl.formula import Tokenizer
from openpyxl.formula.tokenizer import Token, TokenizerError
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.cell_range import CellRange

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.formulas.formula import FormulaError, UnknownValueError, formula
from ambidex.evaluators.formulas.formula_values import truth
from ambidex.evaluators.osworld.sheets.table_book import MOST_CELLS, Book
from ambidex.evaluators.osworld.sheets.table_compat_cells import Stored, stored_value

Looks = dict[str, list[object]]
Condition = Callable[[Stored], bool]
BY_FORMULA = {
    "expression", "containsText", "notContainsText", "endsWith", "beginsWith", "containsErrors",
    "notContainsErrors",
}  # fmt: skip
FIXED = re.compile(r"\$([A-Z]{1,3})\$(\d+)(?::\$([A-Z]{1,3})\$(\d+))?")
MOST_EMPTY = 50
"""Once it has met more empty cells than this, upstream ends each range at its next empty cell."""
FONT = {
    "font_name": "name", "font_family": "family", "font_bold": "bold", "font_italic": "italic",
    "font_underline": "underline", "font_size": "size",
}  # fmt: skip
TEXT_PROPERTIES = {*FONT, "font_color", "hyperlink", "number_format"}


def property_of(cell: Any, prop: str, over: Any = None) -> object:
    """One property of a cell, or of the conditional format `over` it; None for text properties of
    an empty cell. Raises what upstream raises."""
    styled = cell if over is None else over
    match prop:
        case "merge":
            return isinstance(cell, MergedCell)
        case "fill_type":
            return getattr(getattr(styled, "fill", None), "tagname", None)
        case "bgcolor" | "fgcolor":
            side = "fgColor" if over is None else "bgColor"
            return getattr(getattr(getattr(styled, "fill", None), side, None), "rgb", None)
        case _ if prop in TEXT_PROPERTIES and cell.value is None:
            return None
        case "number_format":
            if cell.data_type != "n":
                return None
            return cell.number_format if over is None else over.numFmt.formatCode
        case "hyperlink":
            return cell.hyperlink or ""
        case "font_color":
            return styled.font.color.rgb
        case _ if prop in FONT:
            return getattr(styled.font, FONT[prop])
    raise NotImplementedError(f"unknown property {prop!r}")


def looks(book: Book | None, name: str, sheet: Any, props: list[str]) -> Looks:
    """The properties of every cell, with conditional formats applied in file order."""
    assert book is not None
    properties: Looks = {
        cell.coordinate: [property_of(cell, prop) for prop in props]
        for column in sheet.iter_cols()
        for cell in column
    }
    condition: Condition | None = None
    for area in sheet.conditional_formatting:
        for rule in area.rules:
            try:
                condition = _condition(rule, book, name) or condition
            except UnknownValueError:
                continue
            over = rule.dxf
            for cell in list(_active(area, book, name, sheet, condition)):
                rule.formula[0]  # upstream logs it, so it must exist
                properties[cell.coordinate] = [property_of(cell, prop, over) for prop in props]
    return properties


def _active(
    area: Any, book: Book, name: str, sheet: Any, condition: Condition | None
) -> Iterator[Any]:
    empty = 0
    size = sum(block.size["rows"] * block.size["columns"] for block in area.cells)
    if size > MOST_CELLS:
        raise UnreadableError(f"a conditional format spans too many cells ({area.cells})")
    for part in area.cells:
        for row, column in part.cells:
            cell = sheet.cell(row=row, column=column)
            value = stored_value(book, name, f"{get_column_letter(column)}{row}")
            if value is None:
                empty += 1
                if empty > MOST_EMPTY:
                    break
            elif condition is not None and condition(value):
                yield cell


def _condition(rule: Any, book: Book, name: str) -> Condition | None:
    """The condition of a rule on a value; None for a type unknown to upstream, for which it reuses
    the condition of the previous rule. `UnknownValueError` if upstream skips the rule."""
    formulas = [str(text) for text in rule.formula]
    fixed = [_fixed(text, book, name) for text in formulas]
    if rule.type in BY_FORMULA:
        return _by_formula(formulas[0], fixed[0])
    if rule.type == "cellIs":
        return _compared(rule.operator, [_constant(text) for text in formulas])
    return None


def _fixed(text: str, book: Book, name: str) -> list[list[Stored]]:
    """The values of the ranges written with $ throughout. Upstream ends in an exception for a
    single cell."""
    return [
        [
            stored_value(book, name, f"{get_column_letter(column)}{row}")
            for row, column in CellRange(f"{first}{top}:{last}{bottom}").cells
        ]
        for first, top, last, bottom in FIXED.findall(text)
    ]


def _by_formula(text: str, fixed: list[list[Stored]]) -> Condition:
    tokens = _tokens(text)
    names = [token.value for token in tokens if token.subtype == Token.RANGE]
    places = sorted({name.replace("$", "").upper() for name in names})
    values: dict[tuple[int, int], object] = {}
    replacements: dict[str, str] = {}
    if len(places) != 1 + len(fixed):
        return lambda value: False
    for number, (place, column_values) in enumerate(zip(places[1:], fixed, strict=True), start=2):
        values |= {(row, number): value for row, value in enumerate(column_values, start=1)}
        column = get_column_letter(number)
        replacements[place] = (
            f"{column}1:{column}{len(column_values)}" if len(column_values) > 1 else f"{column}1"
        )
    replacements[places[0]] = "A1"
    for token in tokens:
        if token.subtype == Token.RANGE:
            token.value = replacements[token.value.replace("$", "").upper()]
    evaluate = formula("".join(token.value for token in tokens), origin="A1")

    def matches(value: Stored) -> bool:
        try:
            outcome = evaluate("A1", values | {(1, 1): value})
            return bool(outcome) if isinstance(outcome, str) else truth(outcome)
        except FormulaError:
            return True  # upstream treats an error as true
        except UnknownValueError:
            return False

    return matches


def _tokens(text: str) -> list[Token]:
    try:
        return list(Tokenizer(f"={text}").items)
    except (TokenizerError, IndexError) as error:
        raise UnknownValueError(f"{text}: {error}") from error


def _constant(text: str) -> Any:
    if any(token.subtype == Token.RANGE for token in _tokens(text)):
        raise UnknownValueError(f"{text} is not a constant")
    try:
        return formula(text, origin="A1")("A1", {})
    except FormulaError as error:
        raise UnknownValueError(f"{text}: {error}") from error


def _compared(operator: str, ends: list[Any]) -> Condition:
    def matches(value: Any) -> bool:
        try:
            match operator:
                case "lessThanOrEqual":
                    return bool(value <= ends[0])
                case "lessThan":
                    return bool(value < ends[0])
                case "equal":
                    return bool(value == ends[0])
                case "greaterThanOrEqual":
                    return bool(value >= ends[0])
                case "notEqual":
                    return bool(value != ends[0])
                case "greaterThan":
                    return bool(value > ends[0])
                case "between":
                    return bool(min(ends) <= value <= max(ends))
                case "notBetween":
                    return bool(value < min(ends) or value > max(ends))
        except (TypeError, IndexError, ValueError):
            return False
        return False

    return matches
