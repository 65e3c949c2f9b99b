"""Tool that creates pivot tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.calc import app
from ambidex.mcp_tools.office import cells, columns, connection, documents
from ambidex.mcp_tools.office.cells import Value
from ambidex.mcp_tools.office.documents import Document
from ambidex.mcp_tools.office.sheets import (
    SPREADSHEET,
    CellRange,
    enum,
    locate,
    locate_cell,
    sheet_of,
    used_range,
)

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
CONTENT = 1 | 2 | 4 | 16
"""CellFlags: numbers, dates, text, formulas."""


@dataclass(frozen=True)
class PivotTable:
    """A pivot table: its name, location and values."""

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
) -> PivotTable:
    """Create a pivot table: group, summarise or cross-tabulate data, totals by category, one row
    per value of `row_fields`, one column per value of `col_fields`, with the sum, count or average
    of `value_fields`. Needs empty cells, best on a sheet of its own (calc_switch_active_sheet adds
    one). Returns its contents.
    """
    model = documents.find(SPREADSHEET, document)
    with connection.uno_errors():
        source = _source(model, source_sheet, source_range, document)
        target = locate_cell(document, sheet, target_cell)
        left, top, _, _ = cells.corners(source.cells)
        headers = list(source.cells.getDataArray()[0])
        blank = [cells.column_name(left + i) for i, header in enumerate(headers) if header == ""]
        if blank or source.cells.Rows.Count < 2:
            message = (
                f"{source.range} of {source_sheet} is not a table: row {top + 1} needs headers"
            )
            message += f" in {', '.join(blank)}." if blank else " and rows below it."
            raise ToolError(message, code="no_table", hint="Give source_range.")
        uses = {
            use: [number - left for number in columns.find_columns(names or [], headers, left)]
            for use, names in (
                ("ROW", row_fields),
                ("COLUMN", col_fields),
                ("PAGE", filter_fields),
                ("DATA", value_fields),
            )
        }
    placed = uses["ROW"] + uses["COLUMN"] + uses["PAGE"]
    if len(set(placed)) < len(placed):
        raise ToolError(
            "A column may be used only once in row, column and filter fields.", code="bad_arguments"
        )
    with documents.editing(model, f"Pivot table {table_name}"):
        tables = target.sheet.DataPilotTables
        if tables.hasByName(table_name):
            message = f"{target.sheet.Name} already has a pivot table {table_name!r}."
            raise ToolError(message, code="exists", hint="Choose another name.")
        before = target.sheet.queryContentCells(CONTENT).RangeAddresses
        descriptor = tables.createDataPilotDescriptor()
        descriptor.setSourceRange(source.cells.RangeAddress)
        descriptor.ShowFilterButton = False
        _set_fields(descriptor, uses, aggregation_function.upper(), show_as)
        corner = target.cells.getCellByPosition(0, 0).CellAddress
        tables.insertNewByName(table_name, corner, descriptor)
        if not tables.hasByName(table_name):
            raise ToolError("Calc did not create the pivot table.", code="refused")
        output = tables.getByName(table_name).OutputRange
        shown = target.sheet.getCellRangeByPosition(
            output.StartColumn, output.StartRow, output.EndColumn, output.EndRow
        )
        covered = [area for area in before if shown.queryIntersection(area).RangeAddresses]
        if covered:
            names = ", ".join(map(cells.range_name, covered))
            message = f"The table needs {cells.range_name(output)} of {target.sheet.Name}, "
            message += f"but {names} is not empty."
            raise ToolError(message, code="occupied", hint="Choose another cell or sheet.")
        at = CellRange(model, target.sheet, shown)
        return PivotTable(table_name, target.sheet.Name, at.range, cells.read_values(model, shown))


def _source(model: Any, sheet: str, text: Optional[str], document: Optional[str]) -> CellRange:
    if text is not None:
        return locate(document, sheet, text, clip=True)
    data_sheet = sheet_of(model, sheet)
    filled = used_range(data_sheet).RangeAddress
    # The data may start below or right of empty rows and columns.
    filled_areas = data_sheet.queryContentCells(CONTENT).RangeAddresses
    left = min((address.StartColumn for address in filled_areas), default=0)
    top = min((address.StartRow for address in filled_areas), default=0)
    block = data_sheet.getCellRangeByPosition(left, top, filled.EndColumn, filled.EndRow)
    return CellRange(model, data_sheet, block)


def _set_fields(descriptor: Any, uses: dict[str, list[int]], function: str, show_as: str) -> None:
    import uno
    from com.sun.star.sheet import DataPilotFieldReference

    fields = descriptor.getDataPilotFields()
    for use, numbers in uses.items():
        for number in numbers:
            # Calc duplicates a field that is both a row and a value.
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
