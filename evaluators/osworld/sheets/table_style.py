"""How the cells of a workbook look: fonts, fills, formats, with conditional formats applied."""

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
from ambidex.evaluators.formula import FormulaError, UnknownValueError, formula
from ambidex.evaluators.formula_values import truth
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
"""Cells for which one conditional format is evaluated."""


def style_differs(one: Place, other: Place, rule: Style) -> list[str]:
    """Why some cell does not look the same in the asked ways."""
    actual, target = (_looks(side, list(rule.props)) for side in (one, other))
    # A cell that only one of the sheets records looks like one that was never touched.
    places = actual.keys() | target.keys()
    actual = dict.fromkeys(places, _untouched(one, rule.props)) | actual
    target = dict.fromkeys(places, _untouched(other, rule.props)) | target
    wrong = []
    for place in sorted(actual.keys() | target.keys()):
        if actual.get(place) != target.get(place):
            row, column = place
            where = f"{get_column_letter(column)}{row} of {one[1]}"
            wrong.append(f"{where} looks {shown(actual[place])}, not {shown(target[place])}")
    return wrong


Looks = dict[tuple[int, int], list[object]]


def _untouched(place: Place, props: list[Any]) -> list[object]:
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
    # The lowest priority last: what it says stays.
    for area, rule in sorted(_conditions(sheet), key=lambda each: -each[1].priority):
        for cell in _holding(area, rule, values):
            if cell in looks:
                for number, prop in enumerate(props):
                    said = look_over(rule.dxf, prop)
                    if said is not None:
                        looks[cell][number] = said
    return looks


def _conditions(sheet: Worksheet) -> Iterator[tuple[MultiCellRange, Rule]]:
    for each in sheet.conditional_formatting:
        for rule in each.rules:
            yield each.sqref, rule


def _holding(
    area: MultiCellRange, rule: Rule, values: Mapping[tuple[int, int], object]
) -> Iterator[tuple[int, int]]:
    """The cells to which a conditional format applies."""
    origin = min((each.min_row, each.min_col) for each in area.ranges)
    written = _formula(rule, f"{get_column_letter(origin[1])}{origin[0]}")
    if written is None:
        return
    holds = formula(written, origin=f"{get_column_letter(origin[1])}{origin[0]}")
    last = max((row for row, _ in values), default=1), max((col for _, col in values), default=1)
    for each in area.ranges:
        # Beyond the last value of the sheet there is nothing to look at.
        rows = range(each.min_row, min(each.max_row, last[0]) + 1)
        columns = range(each.min_col, min(each.max_col, last[1]) + 1)
        if len(rows) * len(columns) > MOST_CONDITIONS:
            raise UnreadableError(f"a conditional format spans too many cells ({each.coord})")
        for row in rows:
            for column in columns:
                try:
                    if truth(holds(f"{get_column_letter(column)}{row}", values)):
                        yield row, column
                except FormulaError:
                    continue  # where its formula is in error, a format does not apply
                except UnknownValueError as error:
                    raise UnreadableError(
                        f"a conditional format is not understood: {error}"
                    ) from error


def _formula(rule: Rule, first: str) -> str | None:
    """What decides, as a formula for the first cell; None for a kind that is passed over."""
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
    """One property of a cell, colours as one sees them."""
    match prop:
        case "merge":
            return isinstance(cell, MergedCell)
        case "hyperlink":
            link = cell.hyperlink
            return "" if link is None else link.target or link.location
        case "number_format":
            return cell.number_format
        case _:
            return look_over(cell, prop, whole=True)


def look_over(styled: Any, prop: str, *, whole: bool = False) -> object:
    """One property of a conditional format, None for what it leaves alone; with `whole`, of a cell,
    which leaves nothing open."""
    font, fill = getattr(styled, "font", None), getattr(styled, "fill", None)
    match prop:
        case "number_format":
            form = getattr(styled, "numFmt", None)
            return None if form is None else form.formatCode
        case "font_color":
            return None if font is None else _colour(font.color)
        case "font_bold" | "font_italic":
            said = None if font is None else font.b if prop == "font_bold" else font.i
            return bool(said) if whole else said
        case "font_name" | "font_family" | "font_underline" | "font_size":
            part = {"font_underline": "u", "font_size": "sz"}.get(prop, prop.removeprefix("font_"))
            return None if font is None else getattr(font, part)
        case "fill_type":
            return None if fill is None else getattr(fill, "patternType", None)
        case "bgcolor":
            return _visible(fill, whole=whole)
        case "fgcolor":
            return None if fill is None else _colour(getattr(fill, "fgColor", None))
    return None


def _visible(fill: Any, *, whole: bool) -> object:
    """The colour of a plain fill: a cell keeps it as the pattern's, a conditional format as what
    lies behind the pattern."""
    kind = getattr(fill, "patternType", None)
    if fill is None or not hasattr(fill, "bgColor") or (whole and kind is None):
        return None
    behind = not whole and kind in {None, "solid"}
    return _colour(fill.bgColor if behind else fill.fgColor)


def _colour(colour: Any) -> object:
    """AARRGGBB, without a meaning for AA, and with the palette's and the theme's."""
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


def cell_breaks(place: Place, rule: CheckCell) -> list[str]:
    """Why one cell does not obey the rules for its value and look."""
    book, name = place
    wrong = []
    for prop, asked in rule.props.items():
        if prop == "value":
            actual: object = book.raw(name).get(rule.coordinate)
        else:
            with given.library(book.path.name):
                actual = look(book.sheet(name)[rule.coordinate], prop)
        if not matches(actual, asked, trimmed=True):
            said = f"{asked['method']} {shown(asked['ref'])}"
            wrong.append(
                f"{rule.coordinate} of {name} has {prop} {shown(actual) or 'none'}, not {said}"
            )
    return wrong
