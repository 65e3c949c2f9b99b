"""LibreOffice Calc: pivot tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.calc import app
from ambidex.mcp_tools.office import cells, columns, connection, documents
from ambidex.mcp_tools.office.cells import Value
from ambidex.mcp_tools.office.documents import Document
from ambidex.mcp_tools.office.sheets import SPREADSHEET, At, enum, locate, one_cell, sheet_of, used

__all__ = ["app"]

Fields = Annotated[
    Optional[list[str]],
    Field(description="columns of the source, by header or letter"),
]
Function = Literal[
    "sum", "count", "average", "min", "max", "product", "Sum", "Count", "Average", "Min", "Max"
]
SHARES = {
    "percent_of_total": "TOTAL_PERCENTAGE",
    "percent_of_row": "ROW_PERCENTAGE",
    "percent_of_column": "COLUMN_PERCENTAGE",
}
HOLDS = 1 | 2 | 4 | 16
"""CellFlags: numbers, dates, text, formulas."""


@dataclass(frozen=True)
class Pivot:
    """A pivot table: its name, where it stands, and what it shows."""

    name: str
    sheet: str
    range: str
    values: list[list[Value]]


@app.tool(timeout=60)
def create_pivot_table(
    source_sheet: Annotated[str, Field(description="the sheet with the data")],
    table_name: Annotated[str, Field(min_length=1, description="name of the table")],
    value_fields: Annotated[
        list[str],
        Field(min_length=1, description="columns to aggregate, by header or letter"),
    ],
    row_fields: Fields = None,
    col_fields: Fields = None,
    aggregation_function: Annotated[Function, Field(description="of the values")] = "sum",
    target_cell: Annotated[
        str, Field(description="its upper left corner on the active sheet, or Sheet2!A1")
    ] = "A1",
    sheet: Annotated[
        Optional[str], Field(description="where it goes; the active sheet if left out")
    ] = None,
    source_range: Annotated[
        Optional[str], Field(description="such as A1:F90 with headers; default: all data")
    ] = None,
    filter_fields: Fields = None,
    show_as: Annotated[
        Literal["value", "percent_of_total", "percent_of_row", "percent_of_column"],
        Field(description="display as value or percentage"),
    ] = "value",
    document: Document = None,
) -> Pivot:
    """Create a pivot table: group, summarise or cross-tabulate data, totals by category, one row
    per value of `row_fields`, one column per value of `col_fields`, with the sum, count or average
    of `value_fields`. Needs empty cells, best on a sheet of its own (calc_switch_active_sheet adds
    one). Returns its contents.
    """
    model = documents.find(SPREADSHEET, document)
    with connection.answering():
        source = _source(model, source_sheet, source_range, document)
        goal = one_cell(document, sheet, target_cell)
        left, top, _, _ = cells.bounds(source.cells)
        headers = list(source.cells.getDataArray()[0])
        blank = [cells.column_name(left + i) for i, each in enumerate(headers) if each == ""]
        if blank or source.cells.Rows.Count < 2:
            message = f"{source.range} of {source_sheet} is no table: row {top + 1} needs headers"
            message += f" in {', '.join(blank)}." if blank else " and rows below it."
            raise ToolError(message, code="no_table", hint="Give source_range.")
        uses = {
            use: [each - left for each in columns.named(names or [], headers, left)]
            for use, names in (
                ("ROW", row_fields),
                ("COLUMN", col_fields),
                ("PAGE", filter_fields),
                ("DATA", value_fields),
            )
        }
    placed = uses["ROW"] + uses["COLUMN"] + uses["PAGE"]
    if len(set(placed)) < len(placed):
        raise ToolError("A column is used twice in rows and columns.", code="bad_arguments")
    with documents.editing(model, f"Pivot table {table_name}"):
        tables = goal.sheet.DataPilotTables
        if tables.hasByName(table_name):
            message = f"{goal.sheet.Name} has a pivot table {table_name!r}."
            raise ToolError(message, code="exists", hint="Choose another name.")
        before = goal.sheet.queryContentCells(HOLDS).RangeAddresses
        described = tables.createDataPilotDescriptor()
        described.setSourceRange(source.cells.RangeAddress)
        described.ShowFilterButton = False
        _use(described, uses, aggregation_function.upper(), show_as)
        corner = goal.cells.getCellByPosition(0, 0).CellAddress
        tables.insertNewByName(table_name, corner, described)
        if not tables.hasByName(table_name):
            raise ToolError("Calc did not make the pivot table.", code="refused")
        made = tables.getByName(table_name).OutputRange
        shown = goal.sheet.getCellRangeByPosition(
            made.StartColumn, made.StartRow, made.EndColumn, made.EndRow
        )
        covered = [each for each in before if shown.queryIntersection(each).RangeAddresses]
        if covered:
            names = ", ".join(map(cells.range_name, covered))
            message = f"The table needs {cells.range_name(made)} of {goal.sheet.Name}, "
            message += f"but cells in {names} hold something."
            raise ToolError(message, code="occupied", hint="Choose another cell or sheet.")
        at = At(model, goal.sheet, shown)
        return Pivot(table_name, goal.sheet.Name, at.range, cells.values_of(model, shown))


def _source(model: Any, sheet: str, text: Optional[str], document: Optional[str]) -> At:
    if text is not None:
        return locate(document, sheet, text, clip=True)
    found = sheet_of(model, sheet)
    filled = used(found).RangeAddress
    # The data may begin below or right of empty rows and columns.
    held = found.queryContentCells(HOLDS).RangeAddresses
    left = min((each.StartColumn for each in held), default=0)
    top = min((each.StartRow for each in held), default=0)
    block = found.getCellRangeByPosition(left, top, filled.EndColumn, filled.EndRow)
    return At(model, found, block)


def _use(described: Any, uses: dict[str, list[int]], function: str, show_as: str) -> None:
    import uno
    from com.sun.star.sheet import DataPilotFieldReference

    fields = described.getDataPilotFields()
    for use, numbers in uses.items():
        for number in numbers:
            # A field that is a row and a value as well is doubled by Calc itself.
            field = fields.getByIndex(number)
            field.Orientation = enum("sheet.DataPilotFieldOrientation", use)
            if use != "DATA":
                continue
            field.Function = enum("sheet.GeneralFunction", function)
            if show_as != "value":
                share = DataPilotFieldReference()
                kind = f"com.sun.star.sheet.DataPilotFieldReferenceType.{SHARES[show_as]}"
                share.ReferenceType = uno.getConstantByName(kind)
                field.Reference = share
