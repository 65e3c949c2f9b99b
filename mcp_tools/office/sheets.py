"""Argument and result types of Calc's tools, and locating sheets and cells by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.office import cells, connection, documents
from ambidex.mcp_tools.office.cells import Value

SPREADSHEET = documents.Kind(
    "com.sun.star.sheet.SpreadsheetDocument",
    "spreadsheet",
    {
        ".ods": "calc8",
        ".xlsx": "Calc MS Excel 2007 XML",
        ".xls": "MS Excel 97",
        ".csv": "Text - txt - csv (StarCalc)",
        ".html": "HTML (StarCalc)",
    },
)

Sheet = Annotated[Optional[str], Field(description="sheet name; default: the active sheet")]
Cell = Annotated[str, Field(description="one cell, such as B2")]
Range = Annotated[str, Field(description="cells such as B2:D10, B2, A:C or 3:5")]
Column = Annotated[
    str, Field(description="column letters, such as B or AB", pattern="^[A-Za-z]{1,3}$")
]
Row = Annotated[int, Field(ge=1, description="row number, 1 is the first")]
New = Annotated[
    Value, Field(description="number, text, true/false, ISO date, =formula, null to empty")
]


@dataclass(frozen=True)
class SheetInfo:
    """One sheet of a workbook; `used` is its used range."""

    name: str
    used: str
    visible: bool
    active: bool


@dataclass(frozen=True)
class Workbook:
    """An open spreadsheet; `path` is None if it was never saved."""

    title: str
    path: Optional[str]
    modified: bool
    sheets: list[SheetInfo]


@dataclass(frozen=True)
class CellValue:
    """A cell: its value, displayed text, and formula, if any."""

    cell: str
    sheet: str
    value: Value
    shown: str
    formula: Optional[str] = None


@dataclass(frozen=True)
class Values:
    """A block of cells row by row, and its formulas by cell."""

    range: str
    sheet: str
    values: list[list[Value]]
    formulas: dict[str, str]


@dataclass(frozen=True)
class ChangedRange:
    """The cells that a tool changed."""

    range: str
    sheet: str


@dataclass(frozen=True)
class CellRange:
    """A range of cells in an open document."""

    model: Any
    sheet: Any
    cells: Any

    @property
    def range(self) -> str:
        """Name of the range, such as B2:D10."""
        return cells.range_name(self.cells.RangeAddress)

    @property
    def changed(self) -> ChangedRange:
        """The range as the result of a tool."""
        return ChangedRange(self.range, self.sheet.Name)


def enum(kind: str, name: str) -> object:
    """A value of a UNO enumeration below com.sun.star."""
    import uno

    return uno.Enum(f"com.sun.star.{kind}", name)


def sheet_of(model: Any, name: Optional[str]) -> Any:
    """Find a sheet by name; the active one if `name` is None. `ToolError` lists the sheets."""
    if name is None:
        controller = model.getCurrentController()
        return controller.ActiveSheet if controller else model.Sheets.getByIndex(0)
    names = model.Sheets.ElementNames
    if name not in names:
        hint = f"Sheets: {', '.join(names)}."
        raise ToolError(f"No such sheet: {name!r}.", code="no_sheet", hint=hint)
    return model.Sheets.getByName(name)


def used_range(sheet: Any) -> Any:
    """The used range of a sheet, from A1 on."""
    cursor = sheet.createCursor()
    cursor.gotoEndOfUsedArea(False)
    end = cursor.RangeAddress
    return sheet.getCellRangeByPosition(0, 0, end.EndColumn, end.EndRow)


def locate(
    document: Optional[str], sheet: Optional[str], text: str, *, clip: bool = False
) -> CellRange:
    """Locate cells by name; with `clip`, an open range such as A:C ends at the last used cell."""
    model = documents.find(SPREADSHEET, document)
    area = cells.parse_area(text)
    with connection.uno_errors():
        target_sheet = sheet_of(model, area.sheet or sheet)
        columns, rows = target_sheet.Columns.Count, target_sheet.Rows.Count
        if max(area.right or 0, area.left or 0) >= columns or (area.bottom or 0) >= rows:
            last = f"{cells.column_name(columns - 1)}{rows}"
            raise ToolError(
                f"{text!r} is outside the sheet; its last cell is {last}.", code="bad_range"
            )
        right, bottom = columns - 1, rows - 1
        if clip and (area.right is None or area.bottom is None):
            end = used_range(target_sheet).RangeAddress
            right, bottom = end.EndColumn, end.EndRow
        ends = (area.left, area.top, area.right, area.bottom)
        box = [
            side if side is not None else open_end
            for side, open_end in zip(ends, (0, 0, right, bottom), strict=True)
        ]
        return CellRange(model, target_sheet, target_sheet.getCellRangeByPosition(*box))


def header_row(sheet: Any, row: int = 0) -> list[Value]:
    """Values of a row in the used columns, from column A on."""
    last = used_range(sheet).RangeAddress.EndColumn
    return list(sheet.getCellRangeByPosition(0, row, last, row).getDataArray()[0])


def region(sheet: Any, column: int, row: int) -> Any:
    """The block of filled cells around a cell, up to the first empty row and column."""
    cursor = sheet.createCursorByRange(sheet.getCellByPosition(column, row))
    cursor.collapseToCurrentRegion()
    return sheet.getCellRangeByPosition(*cells.corners(cursor))


def merged_areas(target: CellRange) -> list[str]:
    """Names of the merged areas whose first cell is in the range."""
    names = []
    groups = target.cells.getUniqueCellFormatRanges()
    for group in (groups.getByIndex(i) for i in range(groups.getCount())):
        if not group.getByIndex(0).IsMerged:  # cells of one format group are all merged or all not
            continue
        for address in group.RangeAddresses:
            for y in range(address.StartRow, address.EndRow + 1):
                for x in range(address.StartColumn, address.EndColumn + 1):
                    cursor = target.sheet.createCursorByRange(target.sheet.getCellByPosition(x, y))
                    cursor.collapseToMergedArea()
                    names.append(cells.range_name(cursor.RangeAddress))
    return names


def locate_cell(document: Optional[str], sheet: Optional[str], cell: str) -> CellRange:
    """Locate a single cell by name; `ToolError` if it is a range."""
    target = locate(document, sheet, cell)
    if ":" in target.range:
        raise ToolError(f"{cell!r} is a range, not one cell.", code="bad_range")
    return target


def read_cell(target: CellRange) -> CellValue:
    """The current content of a cell."""
    cell = target.cells.getCellByPosition(0, 0)
    formula = cell.Formula if cell.Type.value == "FORMULA" else None
    value = cells.read_values(target.model, target.cells)[0][0]
    return CellValue(target.range, target.sheet.Name, value, cells.displayed_text(cell), formula)


def block_at(
    document: Optional[str], sheet: Optional[str], corner: str, rows: int, columns: int
) -> CellRange:
    """Locate the block of this size whose upper left cell is `corner`."""
    target = locate_cell(document, sheet, corner)
    start = target.cells.RangeAddress
    right, bottom = start.StartColumn + columns - 1, start.StartRow + rows - 1
    return locate(
        document, target.sheet.Name, f"{target.range}:{cells.column_name(right)}{bottom + 1}"
    )
