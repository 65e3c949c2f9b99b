"""Bounded reading of workbooks (xlsx) into plain values."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from xml.etree import ElementTree

import openpyxl
from openpyxl.cell.cell import Cell, MergedCell
from openpyxl.cell.read_only import EmptyCell, ReadOnlyCell
from openpyxl.utils.cell import coordinate_to_tuple
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.xml.constants import SHEET_MAIN_NS

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.evidence import BROKEN, read_package


@dataclass(frozen=True)
class CellContent:
    """One cell as stored in the file."""

    value: object = None
    """A number, text, boolean, date, time, `CellError` or None; for a formula, the stored
    result."""
    formula: str = ""
    bold: bool = False
    fill: str = ""
    font_color: str = ""
    """Colours as RRGGBB; "" if none is set, or only a theme colour."""
    alignment: str = "general"


def sheet_names(evidence: Path, file: str) -> list[str]:
    """The names of the sheets in order; `UnreadableError` if the file is not a workbook."""
    content = read_package(evidence, file)
    try:
        return list(openpyxl.load_workbook(content, read_only=True, keep_links=False).sheetnames)
    except (*BROKEN, InvalidFileException) as error:
        raise UnreadableError(f"{file} is not a readable workbook: {error!r}") from error


def cells(
    evidence: Path, file: str, sheet: str | None, coordinates: list[str]
) -> dict[str, CellContent]:
    """Read cells of one sheet (None: the first) by name; `UnreadableError` if there is no such
    sheet."""
    content = read_package(evidence, file)
    names = sheet_names(evidence, file)
    name = names[0] if sheet is None and names else sheet
    if name is None or name not in names:
        raise UnreadableError(f"{file} has no sheet {sheet!r}; it has {', '.join(names)}")
    places = {coordinate_to_tuple(coordinate): coordinate for coordinate in coordinates}
    contents: dict[str, CellContent] = {}
    try:
        # Two passes, because the library returns either results or formulas.
        values = _read_pass(content, name, set(places), results=True)
        sources = _read_pass(content, name, set(places), results=False)
        for place, coordinate in places.items():
            contents[coordinate] = _content(values.get(place), sources.get(place))
    except (*BROKEN, InvalidFileException) as error:
        raise UnreadableError(f"{file} is not a readable workbook: {error!r}") from error
    return contents


def whole_sheet(evidence: Path, file: str, sheet: str | None) -> Iterator[tuple[str, CellContent]]:
    """Every non-empty cell of one sheet (None: the first), with its coordinate."""
    content = read_package(evidence, file)
    name = sheet or sheet_names(evidence, file)[0]
    try:
        books = [
            openpyxl.load_workbook(content, read_only=True, data_only=results, keep_links=False)
            for results in (True, False)
        ]
        for values, sources in zip(*(book[name].iter_rows() for book in books), strict=True):
            for value, source in zip(values, sources, strict=True):
                if not isinstance(source, EmptyCell):
                    yield source.coordinate, _content(value, source)
    except (*BROKEN, InvalidFileException) as error:
        raise UnreadableError(f"{file} is not a readable workbook: {error!r}") from error


def frozen(evidence: Path, file: str, sheet: str) -> tuple[int, int]:
    """The number of frozen rows and columns of a sheet; (0, 0) if there are none."""
    content = read_package(evidence, file)
    try:
        book = openpyxl.load_workbook(content, read_only=True, keep_links=False)
        if sheet not in book.sheetnames:
            raise UnreadableError(
                f"{file} has no sheet {sheet!r}; it has {', '.join(book.sheetnames)}"
            )
        # The stream reader knows the part of a sheet but skips its view settings.
        with zipfile.ZipFile(content) as archive:
            part = book[sheet]._worksheet_path  # type: ignore[attr-defined]  # not in the stubs
            root = ElementTree.fromstring(archive.read(part))
        pane = root.find(f"{{{SHEET_MAIN_NS}}}sheetViews//{{{SHEET_MAIN_NS}}}pane")
        if pane is None or not str(pane.get("state")).startswith("frozen"):
            return 0, 0
        return int(float(pane.get("ySplit", "0"))), int(float(pane.get("xSplit", "0")))
    except (*BROKEN, InvalidFileException) as error:
        raise UnreadableError(f"{file} is not a readable workbook: {error!r}") from error


AnyCell = ReadOnlyCell | Cell | MergedCell
Cells = dict[tuple[int, int], AnyCell]


def _read_pass(
    content: BinaryIO, sheet: str, places: set[tuple[int, int]], *, results: bool
) -> Cells:
    # Streamed, so that a merged range over the whole sheet, or a row at its end, costs nothing.
    book = openpyxl.load_workbook(content, read_only=True, data_only=results, keep_links=False)
    rows = [row for row, _ in places]
    columns = [column for _, column in places]
    lines = book[sheet].iter_rows(min(rows), max(rows), min(columns), max(columns))
    found: Cells = {}
    for row, line in enumerate(lines, start=min(rows)):
        for column, cell in enumerate(line, start=min(columns)):
            if (row, column) in places and not isinstance(cell, EmptyCell):
                found[row, column] = cell
    return found


def _content(value: AnyCell | None, source: AnyCell | None) -> CellContent:
    if value is None or source is None:
        return CellContent()
    formula = source.value if source.data_type == "f" else ""
    if isinstance(formula, ArrayFormula):
        formula = formula.text or ""
    return CellContent(
        # An error is stored as text; its own type keeps it from being equal to any text.
        value=CellError(value.value) if value.data_type == "e" else value.value,
        formula=str(formula),
        bold=bool(source.font.bold),
        fill=_colour(getattr(source.fill, "fgColor", None)) if _solid(source.fill) else "",
        font_color=_colour(source.font.color),
        alignment=source.alignment.horizontal or "general",
    )


@dataclass(frozen=True)
class CellError:
    """An error value of a cell, such as #DIV/0!."""

    code: object

    def __str__(self) -> str:
        return f"error {self.code}"


def _solid(fill: object) -> bool:
    return getattr(fill, "fill_type", None) == "solid"


def _colour(colour: object) -> str:
    rgb = getattr(colour, "rgb", None)
    return rgb[-6:].upper() if isinstance(rgb, str) else ""
