"""Bounded reading of workbooks (xlsx) into plain values."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from xml.etree import ElementTree

import openpyxl
from openpyxl.cell.cell import Cell, MergedCell
from openpyxl.cell.read_only import EmptyCell, ReadOnlyCell
from openpyxl.packaging.relationship import get_dependents, get_rels_path
from openpyxl.utils.cell import coordinate_to_tuple
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.workbook import Workbook
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.xml.constants import COMMENTS_NS, SHEET_MAIN_NS

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.evidence import BROKEN, read_package

MAIN = f"{{{SHEET_MAIN_NS}}}"
CELL = "[A-Z]{1,3}[1-9][0-9]{0,6}"
AREA = f"{CELL}(:{CELL})?"
"""Patterns of the name of a cell, such as B2, and of a cell or range, such as B2:C9."""
THEME = "theme colour"
TEXT_OF_THEME = 1
AUTOMATIC = (64, 65)
"""Indexes of the system's colours for text and background; like the theme's colour for text they
stand where no colour was chosen."""


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
    """Colours as RRGGBB; "" if none was chosen, `THEME` for one of a theme or palette."""
    alignment: str = "general"
    italic: bool = False
    underline: str = "none"
    struck: bool = False
    font: str = ""
    size: float = 0.0
    """Of the font, in points."""
    number_format: str = "General"
    borders: tuple[str, str, str, str] = ("", "", "", "")
    """Styles of the left, right, top and bottom border."""


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
        with zipfile.ZipFile(content) as archive:
            root = ElementTree.fromstring(archive.read(_part(book, file, sheet)))
        pane = root.find(f"{MAIN}sheetViews//{MAIN}pane")
        if pane is None or not str(pane.get("state")).startswith("frozen"):
            return 0, 0
        return int(float(pane.get("ySplit", "0"))), int(float(pane.get("xSplit", "0")))
    except (*BROKEN, InvalidFileException) as error:
        raise UnreadableError(f"{file} is not a readable workbook: {error!r}") from error


@dataclass(frozen=True)
class Layout:
    """What a sheet has besides the contents and formats of its cells."""

    state: str
    """`visible`, `hidden` or `veryHidden`."""
    hidden_rows: frozenset[int]
    hidden_columns: tuple[tuple[int, int], ...]
    """First and last of each range of columns. Rows and columns count from 1."""
    merged: frozenset[str]
    """Ranges such as B2:C3."""
    notes: Mapping[str, str]
    """Texts of the comments, by cell."""


def layout(evidence: Path, file: str, sheet: str) -> Layout:
    """The layout of one sheet; `UnreadableError` if there is no such sheet."""
    content = read_package(evidence, file)
    try:
        book = openpyxl.load_workbook(content, read_only=True, keep_links=False)
        with zipfile.ZipFile(content) as archive:
            part = _part(book, file, sheet)
            root = ElementTree.fromstring(archive.read(part))
            notes = _notes(archive, part)
        rows = root.iterfind(f"{MAIN}sheetData/{MAIN}row")
        columns = root.iterfind(f"{MAIN}cols/{MAIN}col")
        return Layout(
            book[sheet].sheet_state,
            frozenset(int(row.get("r", "0")) for row in rows if _is_hidden(row)),
            _joined(
                (int(column.get("min", "0")), int(column.get("max", "0")))
                for column in columns
                if _is_hidden(column)
            ),
            frozenset(_area(merge) for merge in root.iterfind(f".//{MAIN}mergeCell")),
            notes,
        )
    except (*BROKEN, InvalidFileException) as error:
        raise UnreadableError(f"{file} is not a readable workbook: {error!r}") from error


def _part(book: Workbook, file: str, sheet: str) -> str:
    """Path of the part with a sheet, which the stream reader knows but does not read in full."""
    if sheet not in book.sheetnames:
        raise UnreadableError(f"{file} has no sheet {sheet!r}; it has {', '.join(book.sheetnames)}")
    return str(book[sheet]._worksheet_path)  # type: ignore[attr-defined]  # not in the stubs


def _joined(ranges: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Ranges in order, those that overlap or touch as one."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return tuple(joined)


def _is_hidden(element: ElementTree.Element) -> bool:
    return element.get("hidden") in ("1", "true")


def _area(element: ElementTree.Element) -> str:
    """The cell or range that an element names; `ValueError` if it is none."""
    reference = element.get("ref", "")
    if not re.fullmatch(AREA, reference):
        raise ValueError(f"not a cell or range: {reference[:40]!r}")
    return reference


def _notes(archive: zipfile.ZipFile, part: str) -> dict[str, str]:
    """The comments of the sheet in this part."""
    related = get_rels_path(part)  # type: ignore[no-untyped-call]
    if related not in archive.namelist():
        return {}
    notes = {}
    for relation in get_dependents(archive, related):
        if relation.Type == COMMENTS_NS:
            root = ElementTree.fromstring(archive.read(relation.target))
            for comment in root.iter(f"{MAIN}comment"):
                text = "".join(piece.text or "" for piece in comment.iter(f"{MAIN}t"))
                notes[_area(comment)] = text
    return notes


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
        italic=bool(source.font.italic),
        underline=source.font.underline or "none",
        struck=bool(source.font.strike),
        font=source.font.name or "",
        size=source.font.size or 0.0,
        number_format=source.number_format,
        borders=_borders(source.border),
    )


@dataclass(frozen=True)
class CellError:
    """An error value of a cell, such as #DIV/0!."""

    code: object

    def __str__(self) -> str:
        return f"error {self.code}"


def _solid(fill: object) -> bool:
    return getattr(fill, "fill_type", None) == "solid"


def _borders(border: Any) -> tuple[str, str, str, str]:
    left, right, top, bottom = (
        (getattr(side, "style", None) or "")
        for side in (border.left, border.right, border.top, border.bottom)
    )
    return left, right, top, bottom


def _colour(colour: Any) -> str:
    match getattr(colour, "type", None):
        case "rgb" if isinstance(colour.rgb, str):
            return colour.rgb[-6:].upper()
        case "theme" if colour.theme != TEXT_OF_THEME:
            return THEME
        case "indexed" if colour.indexed not in AUTOMATIC:
            return THEME
    return ""
