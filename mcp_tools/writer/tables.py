"""LibreOffice Writer: tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.office import connection, documents
from ambidex.mcp_tools.office.documents import Document
from ambidex.mcp_tools.office.passages import TEXT, Position, place
from ambidex.mcp_tools.writer import app

__all__ = ["app"]

CELLS = 2000
"""Cells that one call reads at most."""

Value = Annotated[str | int | float | None, Field(description="inserted as text; null is empty")]
Which = Annotated[
    Annotated[int, Field(ge=0)] | str,
    Field(description="index (0 is the first in writer_get_tables) or name of the table"),
]


@dataclass(frozen=True)
class Table:
    """A table with its text row by row. Where cells are merged, `cells` names each cell with its
    text instead, and `rows` is empty.
    """

    index: int
    name: str
    row_count: int
    column_count: int
    rows: list[list[str]]
    cells: dict[str, str]


@dataclass(frozen=True)
class TableCell:
    """A cell, what it said and what it says now."""

    table: str
    cell: str
    before: str
    after: str


def _tables(model: Any) -> list[Any]:
    """In the order of the text; those in headers and frames come last."""
    inside = model.Text.createEnumeration()
    ordered = []
    while inside.hasMoreElements():
        each = inside.nextElement()
        if each.supportsService("com.sun.star.text.TextTable"):
            ordered.append(each)
    names = {each.Name for each in ordered}
    every = model.TextTables
    rest = [each for name in every.ElementNames if (each := every.getByName(name))]
    return ordered + [each for each in rest if each.Name not in names]


def _table(index: int, table: Any) -> Table:
    rows, columns = table.Rows.Count, table.Columns.Count
    names = table.getCellNames()
    if len(names) > CELLS:
        return Table(index, table.Name, rows, columns, [], {})
    simple = len(names) == rows * columns and not any("." in each for each in names)
    if simple:
        data = [[str(value) for value in row] for row in _texts(table, rows, columns)]
        return Table(index, table.Name, rows, columns, data, {})
    cells = {each: table.getCellByName(each).String for each in names}
    return Table(index, table.Name, rows, columns, [], cells)


def _texts(table: Any, rows: int, columns: int) -> list[list[str]]:
    return [[table.getCellByPosition(x, y).String for x in range(columns)] for y in range(rows)]


@app.tool(reads_only=True, timeout=60)
def get_tables(document: Document = None) -> list[Table]:
    """Read the tables of a text document: list each with the contents of its cells (above 2000
    cells without).
    """
    model = documents.find(TEXT, document)
    with connection.answering():
        return [_table(index, each) for index, each in enumerate(_tables(model))]


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
    given = data or []
    if len(given) > rows or any(len(row) > columns for row in given):
        wide = max(len(row) for row in given)
        message = f"The data has {len(given)} rows and up to {wide} columns, more than the table."
        raise ToolError(message, code="bad_arguments", hint="Make the table larger.")
    model = documents.find(TEXT, document)
    with documents.editing(model, "Insert table"):
        made = model.createInstance("com.sun.star.text.TextTable")
        made.initialize(rows, columns)
        cursor = place(model, position)
        cursor.Text.insertTextContent(cursor, made, False)
        for y, row in enumerate(given):
            for x, value in enumerate(row):
                if value is not None:
                    made.getCellByPosition(x, y).String = _shown(value)
        index = [each.Name for each in _tables(model)].index(made.Name)
        return _table(index, made)


def _shown(value: str | int | float | None) -> str:
    return "" if value is None else str(value)


@app.tool()
def set_table_cell(
    table: Which,
    cell: Annotated[
        str, Field(pattern=r"^[A-Za-z]+[0-9]+(\.[0-9.]+)?$", description="such as B2; A1 is first")
    ],
    text: Value,
    document: Document = None,
) -> TableCell:
    """Fill in or change one cell of a table in the text document. Returns its old and new text."""
    model = documents.find(TEXT, document)
    with documents.editing(model, f"Table cell {cell}"):
        tables = _tables(model)
        by_name = [each for each in tables if each.Name == table]
        if isinstance(table, int) and table < len(tables):
            by_name = [tables[table]]
        if not by_name:
            names = ", ".join(f"{i} {each.Name}" for i, each in enumerate(tables)) or "none"
            hint = f"There are: {names}."
            raise ToolError(f"There is no table {table!r}.", code="no_table", hint=hint)
        at = by_name[0]
        names = at.getCellNames()
        known = {each.lower(): each for each in names}.get(cell.lower())
        known = cell if cell in names else known
        if known is None:
            hint = f"Its cells go from {names[0]} to {names[-1]}."
            raise ToolError(f"{at.Name} has no cell {cell}.", code="no_cell", hint=hint)
        where = at.getCellByName(known)
        before = where.String
        where.String = _shown(text)
        return TableCell(at.Name, known, before, where.String)
