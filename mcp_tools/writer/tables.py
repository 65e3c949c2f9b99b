"""Tools for tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.office import connection, documents
from ambidex.mcp_tools.office.documents import Document
from ambidex.mcp_tools.office.passages import TEXT, Position, cursor_at
from ambidex.mcp_tools.writer import app

__all__ = ["app"]

MAX_CELLS = 2000
"""Maximum number of cells that one call reads."""

Value = Annotated[str | int | float | None, Field(description="inserted as text; null is empty")]
TableName = Annotated[
    Annotated[int, Field(ge=0)] | str,
    Field(description="index (0 is the first in writer_get_tables) or name of the table"),
]


@dataclass(frozen=True)
class Table:
    """A table with its text row by row. If cells are merged, `cells` has the text of each cell by
    name and `rows` is empty.
    """

    index: int
    name: str
    row_count: int
    column_count: int
    rows: list[list[str]]
    cells: dict[str, str]


@dataclass(frozen=True)
class TableCell:
    """A cell of a table and its text before and after."""

    table: str
    cell: str
    before: str
    after: str


def _all_tables(model: Any) -> list[Any]:
    """All tables in the order of the text; those in headers and frames come last."""
    content = model.Text.createEnumeration()
    ordered = []
    while content.hasMoreElements():
        element = content.nextElement()
        if element.supportsService("com.sun.star.text.TextTable"):
            ordered.append(element)
    names = {table.Name for table in ordered}
    tables = model.TextTables
    others = [tables.getByName(name) for name in tables.ElementNames if name not in names]
    return ordered + others


def _describe(index: int, table: Any) -> Table:
    rows, columns = table.Rows.Count, table.Columns.Count
    names = table.getCellNames()
    if len(names) > MAX_CELLS:
        return Table(index, table.Name, rows, columns, [], {})
    simple = len(names) == rows * columns and not any("." in name for name in names)
    if simple:
        data = [[str(value) for value in row] for row in _texts(table, rows, columns)]
        return Table(index, table.Name, rows, columns, data, {})
    cells = {name: table.getCellByName(name).String for name in names}
    return Table(index, table.Name, rows, columns, [], cells)


def _texts(table: Any, rows: int, columns: int) -> list[list[str]]:
    return [[table.getCellByPosition(x, y).String for x in range(columns)] for y in range(rows)]


@app.tool(reads_only=True, timeout=60)
def get_tables(document: Document = None) -> list[Table]:
    """Read the tables of a text document: list each with the contents of its cells (above 2000
    cells without).
    """
    model = documents.find(TEXT, document)
    with connection.uno_errors():
        return [_describe(index, table) for index, table in enumerate(_all_tables(model))]


@app.tool(timeout=60)
def insert_table(
    rows: Annotated[int, Field(ge=1, le=500, description="how many")],
    columns: Annotated[int, Field(ge=1, le=60, description="how many")],
    data: Annotated[
        Optional[list[list[Value]]],
        Field(description="rows of values from the top left"),
    ] = None,
    position: Position = "cursor",
    document: Document = None,
) -> Table:
    """Insert a table (grid) with rows and columns into the text, filled with data if given; with
    borders, as wide as the text. Returns the table.
    """
    values = data or []
    if len(values) > rows or any(len(row) > columns for row in values):
        wide = max(len(row) for row in values)
        message = f"The data has {len(values)} rows and {wide} columns, more than the table."
        raise ToolError(message, code="bad_arguments", hint="Pass larger rows and columns.")
    model = documents.find(TEXT, document)
    with documents.editing(model, "Insert table"):
        table = model.createInstance("com.sun.star.text.TextTable")
        table.initialize(rows, columns)
        cursor = cursor_at(model, position)
        cursor.Text.insertTextContent(cursor, table, False)
        for y, row in enumerate(values):
            for x, value in enumerate(row):
                if value is not None:
                    table.getCellByPosition(x, y).String = _to_text(value)
        index = [other.Name for other in _all_tables(model)].index(table.Name)
        return _describe(index, table)


def _to_text(value: str | int | float | None) -> str:
    return "" if value is None else str(value)


@app.tool()
def set_table_cell(
    table: TableName,
    cell: Annotated[
        str, Field(pattern=r"^[A-Za-z]+[0-9]+(\.[0-9.]+)?$", description="such as B2; A1 is first")
    ],
    text: Value,
    document: Document = None,
) -> TableCell:
    """Fill in or change one cell of a table in the text document. Returns its old and new text."""
    model = documents.find(TEXT, document)
    with documents.editing(model, f"Table cell {cell}"):
        tables = _all_tables(model)
        matches = [candidate for candidate in tables if candidate.Name == table]
        if isinstance(table, int) and table < len(tables):
            matches = [tables[table]]
        if not matches:
            listing = ", ".join(f"{i} {other.Name}" for i, other in enumerate(tables)) or "none"
            hint = f"Existing tables: {listing}."
            raise ToolError(f"No such table: {table!r}.", code="no_table", hint=hint)
        target = matches[0]
        names = target.getCellNames()
        name = {name.lower(): name for name in names}.get(cell.lower())
        name = cell if cell in names else name
        if name is None:
            hint = f"Its cells are {names[0]} to {names[-1]}."
            raise ToolError(f"{target.Name} has no cell {cell}.", code="no_cell", hint=hint)
        table_cell = target.getCellByName(name)
        before = table_cell.String
        table_cell.String = _to_text(text)
        return TableCell(target.Name, name, before, table_cell.String)
