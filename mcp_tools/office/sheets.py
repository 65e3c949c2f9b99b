"""Spreadsheets as Calc's tools see them: arguments, results, and cells found by their names."""

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
    """One sheet of a workbook; `used` is the range that holds something."""

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
    """A cell: its value, what the sheet shows, and the formula if it has one."""

    cell: str
    sheet: str
    value: Value
    shown: str
    formula: Optional[str] = None


@dataclass(frozen=True)
class Values:
    """A block of cells, row by row, and the formulas in it by cell."""

    range: str
    sheet: str
    values: list[list[Value]]
    formulas: dict[str, str]


@dataclass(frozen=True)
class Changed:
    """The cells that a tool changed."""

    range: str
    sheet: str


@dataclass(frozen=True)
class At:
    """Cells of a sheet of a document, found by their names."""

    model: Any
    sheet: Any
    cells: Any

    @property
    def range(self) -> str:
        """Such as B2:D10."""
        return cells.range_name(self.cells.RangeAddress)

    @property
    def changed(self) -> Changed:
        """As a tool returns it."""
        return Changed(self.range, self.sheet.Name)


def enum(kind: str, name: str) -> object:
    """UNO's constant of that enumeration."""
    import uno

    return uno.Enum(f"com.sun.star.{kind}", name)


def sheet_of(model: Any, name: Optional[str]) -> Any:
    """The sheet of that name, else the active one; `ToolError` lists the sheets."""
    if name is None:
        controller = model.getCurrentController()
        return controller.ActiveSheet if controller else model.Sheets.getByIndex(0)
    names = model.Sheets.ElementNames
    if name not in names:
        hint = f"Sheets: {', '.join(names)}."
        raise ToolError(f"There is no sheet {name!r}.", code="no_sheet", hint=hint)
    return model.Sheets.getByName(name)


def used(sheet: Any) -> Any:
    """The range of the sheet that holds something."""
    cursor = sheet.createCursor()
    cursor.gotoEndOfUsedArea(False)
    end = cursor.RangeAddress
    return sheet.getCellRangeByPosition(0, 0, end.EndColumn, end.EndRow)


def locate(document: Optional[str], sheet: Optional[str], text: str, *, clip: bool = False) -> At:
    """The named cells; with `clip`, an open range such as A:C ends with the content."""
    model = documents.find(SPREADSHEET, document)
    where = cells.area(text)
    with connection.answering():
        found = sheet_of(model, where.sheet or sheet)
        columns, rows = found.Columns.Count, found.Rows.Count
        if max(where.right or 0, where.left or 0) >= columns or (where.bottom or 0) >= rows:
            last = f"{cells.column_name(columns - 1)}{rows}"
            raise ToolError(
                f"{text!r} is off the sheet; its last cell is {last}.", code="bad_range"
            )
        right, bottom = columns - 1, rows - 1
        if clip and (where.right is None or where.bottom is None):
            end = used(found).RangeAddress
            right, bottom = end.EndColumn, end.EndRow
        ends = (where.left, where.top, where.right, where.bottom)
        box = [
            given if given is not None else open_end
            for given, open_end in zip(ends, (0, 0, right, bottom), strict=True)
        ]
        return At(model, found, found.getCellRangeByPosition(*box))


def header_of(sheet: Any, row: int = 0) -> list[Value]:
    """What the used columns hold in that row, from column A on."""
    last = used(sheet).RangeAddress.EndColumn
    return list(sheet.getCellRangeByPosition(0, row, last, row).getDataArray()[0])


def region(sheet: Any, column: int, row: int) -> Any:
    """The block of filled cells around that cell, as far as the first empty row and column."""
    cursor = sheet.createCursorByRange(sheet.getCellByPosition(column, row))
    cursor.collapseToCurrentRegion()
    return sheet.getCellRangeByPosition(*cells.bounds(cursor))


def merged(at: At) -> list[str]:
    """The merged areas whose first cell is in the range."""
    names = []
    groups = at.cells.getUniqueCellFormatRanges()
    for group in (groups.getByIndex(i) for i in range(groups.getCount())):
        if not group.getByIndex(0).IsMerged:  # being such a cell is part of its look
            continue
        for area in group.RangeAddresses:
            for y in range(area.StartRow, area.EndRow + 1):
                for x in range(area.StartColumn, area.EndColumn + 1):
                    cursor = at.sheet.createCursorByRange(at.sheet.getCellByPosition(x, y))
                    cursor.collapseToMergedArea()
                    names.append(cells.range_name(cursor.RangeAddress))
    return names


def one_cell(document: Optional[str], sheet: Optional[str], cell: str) -> At:
    """The one named cell."""
    at = locate(document, sheet, cell)
    if ":" in at.range:
        raise ToolError(f"{cell!r} is a range, not one cell.", code="bad_range")
    return at


def cell_value(at: At) -> CellValue:
    """What the cell holds now."""
    cell = at.cells.getCellByPosition(0, 0)
    formula = cell.Formula if cell.Type.value == "FORMULA" else None
    value = cells.values_of(at.model, at.cells)[0][0]
    return CellValue(at.range, at.sheet.Name, value, cells.shown(cell), formula)


def block(
    document: Optional[str], sheet: Optional[str], corner: str, rows: int, columns: int
) -> At:
    """The block of that size whose upper left cell is `corner`."""
    at = one_cell(document, sheet, corner)
    start = at.cells.RangeAddress
    right, bottom = start.StartColumn + columns - 1, start.StartRow + rows - 1
    return locate(document, at.sheet.Name, f"{at.range}:{cells.column_name(right)}{bottom + 1}")
