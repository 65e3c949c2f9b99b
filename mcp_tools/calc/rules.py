"""Tools for data validation, conditional formatting, filters and comments."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.calc import app
from ambidex.mcp_tools.colours import AnyColour, colour
from ambidex.mcp_tools.office import cells, connection, documents
from ambidex.mcp_tools.office.documents import Document
from ambidex.mcp_tools.office.sheets import (
    SPREADSHEET,
    Cell,
    ChangedRange,
    Range,
    Sheet,
    enum,
    locate,
    locate_cell,
    region,
    sheet_of,
)

__all__ = ["app"]

Bound = Annotated[
    Optional[float | str], Field(description="a number, an ISO date for dates, or =formula")
]
OPERATORS = {
    "greater": "GREATER",
    "greater_or_equal": "GREATER_EQUAL",
    "less": "LESS",
    "less_or_equal": "LESS_EQUAL",
    "equal": "EQUAL",
    "not_equal": "NOT_EQUAL",
    "between": "BETWEEN",
    "not_between": "NOT_BETWEEN",
    "formula": "FORMULA",
}
KINDS = {
    "any": "ANY",
    "list": "LIST",
    "whole_number": "WHOLE",
    "decimal": "DECIMAL",
    "date": "DATE",
    "text_length": "TEXT_LEN",
}


@dataclass(frozen=True)
class Comment:
    """A comment on a cell."""

    cell: str
    sheet: str
    text: str
    author: str


def _operand(model: Any, value: float | str) -> str:
    """A value in the notation of Calc's conditions."""
    if isinstance(value, str):
        if value.startswith("="):
            return cells.parse_formula(model, value)[1:]
        if cells.DATE.fullmatch(value):
            day = date.fromisoformat(value[:10])
            return f"DATE({day.year};{day.month};{day.day})"
        return '"' + value.replace('"', '""') + '"'
    return str(cells.plain_number(float(value)))


@app.tool()
def set_data_validation(
    range_str: Range,
    kind: Annotated[
        Literal["list", "whole_number", "decimal", "date", "text_length", "any"],
        Field(description="any removes the rule"),
    ] = "list",
    values: Annotated[
        Optional[list[str]],
        Field(
            min_length=1,
            max_length=500,
            description="entries of the drop-down list, such as Yes and No",
        ),
    ] = None,
    values_from: Annotated[
        Optional[str], Field(description="cells with the list's entries, such as Sheet2!A1:A9")
    ] = None,
    minimum: Bound = None,
    maximum: Bound = None,
    message: Annotated[str, Field(description="error message for invalid entries")] = "",
    sheet: Sheet = None,
    document: Document = None,
) -> ChangedRange:
    """Data validation (validity): allow only certain entries in cells: those of a drop-down list,
    or numbers, dates or text lengths within limits, with an error message. Existing contents stay.
    """
    target = locate(document, sheet, range_str)
    with documents.editing(target.model, f"Validity of {target.range}"):
        rule = target.cells.Validation
        rule.Type = enum("sheet.ValidationType", KINDS[kind])
        if kind == "list":
            rule.ShowList = 1
            rule.setFormula1(
                _listed(target.model, document, target.sheet.Name, values, values_from)
            )
        elif kind != "any":
            if minimum is None and maximum is None:
                raise ToolError("Give minimum or maximum.", code="bad_arguments")
            operator = "LESS_EQUAL" if minimum is None else "GREATER_EQUAL"
            if minimum is not None and maximum is not None:
                operator = "BETWEEN"
                rule.setFormula2(_operand(target.model, maximum))
            rule.setOperator(enum("sheet.ConditionOperator", operator))
            first = maximum if minimum is None else minimum
            assert first is not None
            rule.setFormula1(_operand(target.model, first))
        rule.ErrorMessage, rule.ShowErrorMessage = message, kind != "any"
        target.cells.Validation = rule
    return target.changed


def _listed(
    model: Any,
    document: Optional[str],
    sheet: str,
    values: Optional[list[str]],
    values_from: Optional[str],
) -> str:
    if (values is None) == (values_from is None):
        raise ToolError("Give either values or values_from.", code="bad_arguments")
    if values is not None:
        file = documents.file_of(model)
        excel = file is not None and file.suffix.lower() in (".xlsx", ".xls")
        if excel and any(set(value) & set(',"') for value in values):
            message = "A list in an Excel file cannot contain commas or quotes."
            hint = "Put the entries into cells and pass those as values_from."
            raise ToolError(message, code="bad_values", hint=hint)
        return ";".join(_operand(model, f"{value}") for value in values)
    source = locate(document, sheet, values_from or "", clip=True)
    absolute: str = source.cells.AbsoluteName
    return absolute


@app.tool()
def add_conditional_format(
    range_str: Range,
    condition: Annotated[
        Literal[
            "greater",
            "greater_or_equal",
            "less",
            "less_or_equal",
            "equal",
            "not_equal",
            "between",
            "not_between",
            "formula",
        ],
        Field(description="on each cell's value; formula: `value` is true for the cell"),
    ],
    value: Annotated[
        float | str,
        Field(description="a number, text, ISO date or =formula, written for the first cell"),
    ],
    value2: Annotated[
        Optional[float | str], Field(description="the upper bound of between and not_between")
    ] = None,
    background_color: Optional[AnyColour] = None,
    font_color: Optional[AnyColour] = None,
    bold: Annotated[Optional[bool], Field(description="bold text")] = None,
    sheet: Sheet = None,
    document: Document = None,
) -> ChangedRange:
    """Conditional formatting: colour or highlight cells automatically, depending on their value,
    such as above 100, below zero (greater, less, equal, between) or a formula. Added after existing
    rules.
    """
    if (value2 is None) == (condition in ("between", "not_between")):
        raise ToolError(
            "value2 is required for between and not_between, and not allowed otherwise.",
            code="bad_arguments",
        )
    if background_color is None and font_color is None and bold is None:
        raise ToolError("Give background_color, font_color or bold.", code="bad_arguments")
    if condition == "formula" and not (isinstance(value, str) and value.startswith("=")):
        raise ToolError(f"Not a formula: {value!r}.", code="bad_formula", hint="Start it with =.")
    target = locate(document, sheet, range_str)
    with documents.editing(target.model, f"Conditional format of {target.range}"):
        rule = {
            "Operator": enum("sheet.ConditionOperator", OPERATORS[condition]),
            "Formula1": _operand(target.model, value),
            "Formula2": "" if value2 is None else _operand(target.model, value2),
            "SourcePosition": target.cells.getCellByPosition(0, 0).CellAddress,
            "StyleName": _style(target.model, background_color, font_color, bold),
        }
        rules = target.cells.ConditionalFormat
        rules.addNew(documents.property_values(**rule))
        target.cells.ConditionalFormat = rules
        if not target.cells.ConditionalFormat.Count:
            raise ToolError("Calc did not accept the rule.", code="refused")
    return target.changed


def _style(
    model: Any, background: str | int | None, letters: str | int | None, bold: Optional[bool]
) -> str:
    """Name of a cell style with this format, created once per workbook."""
    name = f"Condition {background} {letters} {bold}"
    styles = model.StyleFamilies.getByName("CellStyles")
    if not styles.hasByName(name):
        style = model.createInstance("com.sun.star.style.CellStyle")
        styles.insertByName(name, style)
        if background is not None:
            style.CellBackColor = colour(background)
        if letters is not None:
            style.CharColor = colour(letters)
        if bold is not None:
            style.CharWeight = 150.0 if bold else 100.0
    return name


@app.tool()
def set_auto_filter(
    range_str: Annotated[
        Optional[str],
        Field(description="the table with its headers; default: the one around A1"),
    ] = None,
    on: Annotated[bool, Field(description="false removes the buttons")] = True,
    sheet: Sheet = None,
    document: Document = None,
) -> ChangedRange:
    """Turn AutoFilter on or off: filter buttons (dropdown arrows) on the header row of a table.
    Hides no rows; a sheet has one such table.
    """
    target = locate(document, sheet, range_str or "A1", clip=True)
    with documents.editing(target.model, f"Filter buttons of {target.range}"):
        block = (
            target.cells
            if ":" in target.range
            else region(target.sheet, *cells.corners(target.cells)[:2])
        )
        number = block.RangeAddress.Sheet
        ranges = target.model.getPropertyValue("UnnamedDatabaseRanges")
        if on:
            ranges.setByTable(block.RangeAddress)
        elif not ranges.hasByTable(number):
            raise ToolError(f"{target.sheet.Name} has no filter buttons.", code="no_filter")
        ranges.getByTable(number).AutoFilter = on
    return ChangedRange(cells.range_name(block.RangeAddress), target.sheet.Name)


@app.tool()
def add_comment(
    cell: Cell,
    text: Annotated[str, Field(min_length=1, max_length=5000, description="may have line breaks")],
    sheet: Sheet = None,
    document: Document = None,
) -> Comment:
    """Add a comment (note, annotation) to a cell: attach a remark. Replaces the previous one."""
    target = locate_cell(document, sheet, cell)
    with documents.editing(target.model, f"Comment on {target.range}"):
        notes = target.sheet.Annotations
        for i in reversed(range(notes.Count)):
            if _cell_name(notes.getByIndex(i)) == target.range:
                notes.removeByIndex(i)
        notes.insertNew(target.cells.getCellByPosition(0, 0).CellAddress, text)
        stored = next(
            note
            for note in map(notes.getByIndex, range(notes.Count))
            if _cell_name(note) == target.range
        )
        return Comment(target.range, target.sheet.Name, stored.String, stored.Author)


@app.tool(reads_only=True)
def get_comments(sheet: Sheet = None, document: Document = None) -> list[Comment]:
    """Read all comments (notes) of a sheet: list which cells have one attached and its text."""
    model = documents.find(SPREADSHEET, document)
    with connection.uno_errors():
        target_sheet = sheet_of(model, sheet)
        notes = map(target_sheet.Annotations.getByIndex, range(target_sheet.Annotations.Count))
        return [
            Comment(_cell_name(note), target_sheet.Name, note.String, note.Author) for note in notes
        ]


def _cell_name(note: Any) -> str:
    position = note.Position
    return f"{cells.column_name(position.Column)}{position.Row + 1}"
