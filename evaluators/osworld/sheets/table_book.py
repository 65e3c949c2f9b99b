"""A workbook as `compare_table` reads it: measured first, then opened once by each library."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, TypeAlias
from xml.etree import ElementTree

import openpyxl
import pandas
from lxml import etree
from openpyxl.utils.cell import coordinate_to_tuple
from openpyxl.workbook import Workbook
from openpyxl.worksheet.cell_range import CellRange
from openpyxl.worksheet.worksheet import Worksheet

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.osworld import Value, given

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
LAST_ROW = 1_048_576
MOST_CELLS = 4_000_000
"""Maximum number of cells from A1 to the last one of a sheet: readers keep empty cells too."""
Raw: TypeAlias = str | float | bool | None


@dataclass(frozen=True)
class Book:
    """One workbook; reading raises `UnreadableError` if the file is broken or too large."""

    path: Path
    content: bytes
    stored: dict[str, dict[str, etree._Element]] = field(default_factory=dict, compare=False)
    """Cache of the cells of sheets by name and coordinate, as XML elements."""

    @property
    def stream(self) -> io.BytesIO:
        """The file as a stream for a library."""
        return io.BytesIO(self.content)

    @cached_property
    def names(self) -> list[str]:
        """The names of the sheets in order."""
        return list(self.full.sheetnames)

    @cached_property
    def full(self) -> Workbook:
        """The workbook with styles, charts, pivot tables and filters; formulas have no results."""
        with given.library(self.path.name):
            return openpyxl.load_workbook(self.stream)

    @cached_property
    def framed(self) -> pandas.ExcelFile:
        """The sheets as data frames, with the stored results of formulas."""
        with given.library(self.path.name):
            return pandas.ExcelFile(self.stream)

    def sheet(self, name: str) -> Worksheet:
        """One worksheet, which must not be a chart sheet."""
        worksheet = self.full[name]
        if not isinstance(worksheet, Worksheet):
            raise UnreadableError(f"{name} of {self.path.name} is not a worksheet")
        return worksheet

    def values(self, name: str) -> list[tuple[object, ...]]:
        """The rows of a sheet, with the stored results of formulas; dates are date objects."""
        with given.library(self.path.name):
            book = openpyxl.load_workbook(
                self.stream, read_only=True, data_only=True, keep_links=False
            )
            sheet = book[name]
            sheet.reset_dimensions()  # the declared ones cannot be trusted
            return list(sheet.iter_rows(values_only=True))

    def raw(self, name: str) -> dict[str, Raw]:
        """The cells as stored: text, number (days for a date) or boolean; for formulas, the
        result."""
        with given.library(self.path.name), zipfile.ZipFile(self.stream) as archive:
            strings = list(_strings(archive))
            with archive.open(self.part(name)) as part:
                return dict(_cells(part, strings))

    def part(self, name: str) -> str:
        """The path of a sheet's part in the package."""
        book = openpyxl.load_workbook(self.stream, read_only=True, keep_links=False)
        return str(book[name]._worksheet_path)  # type: ignore[attr-defined]  # not in the stubs


Place: TypeAlias = tuple[Book, str]
"""A workbook and the name of one of its sheets."""


def open_book(value: Value) -> Book:
    """Open a workbook after checking that no sheet exceeds the bounds."""
    path = given.file(value)
    content = given.office(value).getvalue()
    with given.library(path.name), zipfile.ZipFile(io.BytesIO(content)) as archive:
        for member in archive.namelist():
            with archive.open(member) as part:
                _measure(part, f"{member} of {path.name}")
    return Book(path, content)


def _measure(part: IO[bytes], name: str) -> None:
    if not part.read(512).lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<"):
        return
    part.seek(0)
    rows = columns = merged = row = column = 0
    root = None
    for event, element in ElementTree.iterparse(part, events=("start", "end")):
        if root is None:
            root = element
            if element.tag != f"{MAIN}worksheet":
                return
        if event == "start" and element.tag == f"{MAIN}row":
            row, column = int(element.get("r", row + 1)), 0
            if not 1 <= row <= LAST_ROW:
                raise UnreadableError(f"{name} has a row {row}")
        elif event == "start" and element.tag == f"{MAIN}c":
            place = element.get("r")
            column = column + 1 if place is None else coordinate_to_tuple(place)[1]
            rows, columns = max(rows, row), max(columns, column)
        elif event == "start" and element.tag == f"{MAIN}mergeCell":
            size = CellRange(element.get("ref")).size
            merged += size["columns"] * size["rows"]
        elif event == "end" and element.tag == f"{MAIN}row":
            element.clear()
        if max(rows * columns, merged) > MOST_CELLS:
            raise UnreadableError(f"{name} spans more than {MOST_CELLS} cells")


def _strings(archive: zipfile.ZipFile) -> Iterator[str]:
    if "xl/sharedStrings.xml" in archive.namelist():
        for item in ElementTree.fromstring(archive.read("xl/sharedStrings.xml")):
            yield _text(item)


def _text(item: ElementTree.Element) -> str:
    # The text or its runs, without phonetic hints (rPh).
    runs = [item, *item.findall(f"{MAIN}r")]
    return "".join(run.findtext(f"{MAIN}t") or "" for run in runs)


def _cells(part: IO[bytes], strings: list[str]) -> Iterator[tuple[str, Raw]]:
    for _, element in ElementTree.iterparse(part):
        if element.tag == f"{MAIN}c":
            yield element.get("r", ""), _raw(element, strings)
        elif element.tag == f"{MAIN}row":
            element.clear()


def _raw(cell: ElementTree.Element, strings: list[str]) -> Raw:
    value, kind = cell.findtext(f"{MAIN}v"), cell.get("t", "n")
    inline = cell.find(f"{MAIN}is")
    if kind == "inlineStr":
        return None if inline is None else _text(inline)
    if value is None:
        return None
    match kind:
        case "s":
            return strings[int(value)]
        case "b":
            return value.strip() == "1"
        case "n":
            return float(value)
        case _:
            return value
