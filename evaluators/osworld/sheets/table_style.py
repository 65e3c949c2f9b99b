"""Formatting of cells: fonts, fills, number formats, with conditional formats applied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from openpyxl.cell.cell import Cell, MergedCell
from openpyxl.formatting.rule import Rule
from openpyxl.styles.colors import COLOR_INDEX
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.cell_range import MultiCellRange
from openpyxl.worksheet.worksheet import Worksheet

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.formulas.formula import FormulaError, UnknownValueError, formula
from ambidex.evaluators.formulas.formula_values import truth
from ambidex.evaluators.osworld import given
from ambidex.evaluators.osworld.rules import matches
from ambidex.evaluators.osworld.sheets.table_book import Place
from ambidex.evaluators.osworld.sheets.table_rules import CheckCell, Style
from ambidex.evaluators.values import shown

COMPARISONS = {
    "equal": "=", "notEqual": "<>", "lessThan": "<", "lessThanOrEqual": "<=", "greaterThan": ">",
    "greaterThanOrEqual": ">=",
}  # fmt: skip
MOST_CONDITIONS = 50_000
"""Maximum number of cells for which one conditional format is evaluated."""


def style_differs(one: Place, other: Place, rule: Style) -> list[str]:
    """Differences in the formatting of cells, limited to the properties of the rule."""
    actual, target = (_looks(side, list(rule.props)) for side in (one, other))
    # A cell recorded in only one sheet has default formatting in the other.
    places = actual.keys() | target.keys()
    actual = dict.fromkeys(places, _default_look(one, rule.props)) | actual
    target = dict.fromkeys(places, _default_look(other, rule.props)) | target
    wrong = []
    for place in sorted(actual.keys() | target.keys()):
        if actual.get(place) != target.get(place):
            row, column = place
            where = f"{get_column_letter(column)}{row} of {one[1]}"
            wrong.append(
                f"{where} has the format {shown(actual[place])}, not {shown(target[place])}"
            )
    return wrong


Looks = dict[tuple[int, int], list[object]]


def _default_look(place: Place, props: list[Any]) -> list[object]:
    cell = Cell(place[0].sheet(place[1]), row=1, column=1)
    return [look(cell, prop) for prop in props]


def _looks(place: Place, props: list[Any]) -> Looks:
    book, name = place
    sheet = book.sheet(name)
    with given.library(book.path.name):
        looks: Looks = {
            (row, column): [look(cell, prop) for prop in props]
            for row, line in enumerate(sheet.iter_rows(min_row=1, min_col=1), start=1)
            for column, cell in enumerate(line, start=1)
        }
    values = {
        (row, column): value
        for row, line in enumerate(book.values(name), start=1)
        for column, value in enumerate(line, start=1)
        if value is not None
    }
    # The rule with the lowest priority number comes last, and so prevails.
    for area, rule in sorted(_conditions(sheet), key=lambda condition: -condition[1].priority):
        for cell in _holding(area, rule, values):
            if cell in looks:
                for number, prop in enumerate(props):
                    override = look_over(rule.dxf, prop)
                    if override is not None:
                        looks[cell][number] = override
    return looks


def _conditions(sheet: Worksheet) -> Iterator[tuple[MultiCellRange, Rule]]:
    for conditional in sheet.conditional_formatting:
        for rule in conditional.rules:
            yield conditional.sqref, rule


def _holding(
    area: MultiCellRange, rule: Rule, values: Mapping[tuple[int, int], object]
) -> Iterator[tuple[int, int]]:
    """The cells to which a conditional format applies."""
    origin = min((part.min_row, part.min_col) for part in area.ranges)
    written = _formula(rule, f"{get_column_letter(origin[1])}{origin[0]}")
    if written is None:
        return
    holds = formula(written, origin=f"{get_column_letter(origin[1])}{origin[0]}")
    last = max((row for row, _ in values), default=1), max((col for _, col in values), default=1)
    for part in area.ranges:
        # Cells beyond the last value of the sheet need no check.
        rows = range(part.min_row, min(part.max_row, last[0]) + 1)
        columns = range(part.min_col, min(part.max_col, last[1]) + 1)
        if len(rows) * len(columns) > MOST_CONDITIONS:
            raise UnreadableError(f"a conditional format spans too many cells ({part.coord})")
        for row in rows:
            for column in columns:
                try:
                    if truth(holds(f"{get_column_letter(column)}{row}", values)):
                        yield row, column
                except FormulaError:
                    continue  # a format does not apply if its formula has an error
                except UnknownValueError as error:
                    raise UnreadableError(
                        f"a conditional format is not supported: {error}"
                    ) from error


def _formula(rule: Rule, first: str) -> str | None:
    """The condition as a formula for the first cell; None for a rule type that is skipped."""
    if rule.type == "expression" and rule.formula:
        return str(rule.formula[0])
    if rule.type == "cellIs" and rule.formula:
        if rule.operator in COMPARISONS:
            return f"{first}{COMPARISONS[rule.operator]}({rule.formula[0]})"
        if rule.operator in {"between", "notBetween"} and len(rule.formula) > 1:
            low, high = rule.formula[:2]
            within = f"AND({first}>=({low}),{first}<=({high}))"
            return within if rule.operator == "between" else f"NOT({within})"
    return None


def look(cell: Any, prop: str) -> object:
    """One property of a cell, with colours resolved."""
    match prop:
        case "merge":
            return isinstance(cell, MergedCell)
        case "hyperlink":
            link = cell.hyperlink
            return "" if link is None else link.target or link.location
        case "number_format":
            return cell.number_format
        case _:
            return look_over(cell, prop, complete=True)


def look_over(styled: Any, prop: str, *, complete: bool = False) -> object:
    """One property of a conditional format, or None if it does not set it. With `complete`, a
    property of a cell, which has them all."""
    font, fill = getattr(styled, "font", None), getattr(styled, "fill", None)
    match prop:
        case "number_format":
            form = getattr(styled, "numFmt", None)
            return None if form is None else form.formatCode
        case "font_color":
            return None if font is None else _colour(font.color)
        case "font_bold" | "font_italic":
            switch = None if font is None else font.b if prop == "font_bold" else font.i
            return bool(switch) if complete else switch
        case "font_name" | "font_family" | "font_underline" | "font_size":
            part = {"font_underline": "u", "font_size": "sz"}.get(prop, prop.removeprefix("font_"))
            return None if font is None else getattr(font, part)
        case "fill_type":
            return None if fill is None else getattr(fill, "patternType", None)
        case "bgcolor":
            return _visible(fill, complete=complete)
        case "fgcolor":
            return None if fill is None else _colour(getattr(fill, "fgColor", None))
    return None


def _visible(fill: Any, *, complete: bool) -> object:
    """The colour of a solid fill: stored as foreground of the pattern in a cell, but as background
    in a conditional format."""
    kind = getattr(fill, "patternType", None)
    if fill is None or not hasattr(fill, "bgColor") or (complete and kind is None):
        return None
    behind = not complete and kind in {None, "solid"}
    return _colour(fill.bgColor if behind else fill.fgColor)


def _colour(colour: Any) -> object:
    """A colour as AARRGGBB with AA always FF; palette colours are resolved, theme colours named."""
    if colour is None:
        return None
    match colour.type:
        case "rgb":
            return "FF" + str(colour.rgb)[-6:].upper()
        case "indexed" if 0 <= colour.indexed < len(COLOR_INDEX):
            return "FF" + COLOR_INDEX[colour.indexed][-6:].upper()
        case "theme":
            return f"theme {colour.theme}, tint {round(colour.tint, 3)}"
    return None


def cell_violations(place: Place, rule: CheckCell) -> list[str]:
    """Violations of the rules for the value and the formatting of one cell."""
    book, name = place
    wrong = []
    for prop, condition in rule.props.items():
        if prop == "value":
            actual: object = book.raw(name).get(rule.coordinate)
        else:
            with given.library(book.path.name):
                actual = look(book.sheet(name)[rule.coordinate], prop)
        if not matches(actual, condition, trimmed=True):
            required = f"{condition['method']} {shown(condition['ref'])}"
            wrong.append(
                f"{rule.coordinate} of {name} has {prop} {shown(actual) or 'none'}, not {required}"
            )
    return wrong
