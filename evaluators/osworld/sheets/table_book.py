"""A workbook as `compare_table` reads it: measured first, then opened once by each reader."""

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
"""From A1 to the last cell of a sheet: readers hold the empty ones between as well."""
Raw: TypeAlias = str | float | bool | None


@dataclass(frozen=True)
class Book:
    """One workbook; every reading is `UnreadableError` where the file is broken or too large."""

    path: Path
    content: bytes
    stored: dict[str, dict[str, etree._Element]] = field(default_factory=dict, compare=False)
    """The cells of sheets that were read, as the package holds them."""

    @property
    def stream(self) -> io.BytesIO:
        """The file for a library."""
        return io.BytesIO(self.content)

    @cached_property
    def names(self) -> list[str]:
        """The sheets in their order."""
        return list(self.full.sheetnames)

    @cached_property
    def full(self) -> Workbook:
        """Everything but stored results of formulas: styles, charts, pivot tables, filters."""
        with given.library(self.path.name):
            return openpyxl.load_workbook(self.stream)

    @cached_property
    def framed(self) -> pandas.ExcelFile:
        """The sheets as data frames, of formulas the stored results."""
        with given.library(self.path.name):
            return pandas.ExcelFile(self.stream)

    def sheet(self, name: str) -> Worksheet:
        """One sheet of cells."""
        found = self.full[name]
        if not isinstance(found, Worksheet):
            raise UnreadableError(f"{name} of {self.path.name} is no sheet of cells")
        return found

    def values(self, name: str) -> list[tuple[object, ...]]:
        """The rows of a sheet, of formulas the stored results, dates as such."""
        with given.library(self.path.name):
            book = openpyxl.load_workbook(
                self.stream, read_only=True, data_only=True, keep_links=False
            )
            sheet = book[name]
            sheet.reset_dimensions()  # a guest may declare any
            return list(sheet.iter_rows(values_only=True))

    def raw(self, name: str) -> dict[str, Raw]:
        """The cells as stored: text, number (of a date: days), truth value; of formulas the
        result."""
        with given.library(self.path.name), zipfile.ZipFile(self.stream) as archive:
            strings = list(_strings(archive))
            with archive.open(self.part(name)) as part:
                return dict(_cells(part, strings))

    def part(self, name: str) -> str:
        """The member of the package that holds a sheet."""
        book = openpyxl.load_workbook(self.stream, read_only=True, keep_links=False)
        return str(book[name]._worksheet_path)  # type: ignore[attr-defined]  # not in the stubs


Place: TypeAlias = tuple[Book, str]
"""A sheet of a workbook."""


def open_book(value: Value) -> Book:
    """The workbook, measured: no sheet is larger than a reader should hold."""
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
    # The text itself or its runs, without what tells how it is read aloud (rPh).
    runs = [item, *item.findall(f"{MAIN}r")]
    return "".join(run.findtext(f"{MAIN}t") or "" for run in runs)


def _cells(part: IO[bytes], strings: list[str]) -> Iterator[tuple[str, Raw]]:
    for _, element in ElementTree.iterparse(part):
        if element.tag == f"{MAIN}c":
            yield element.get("r", ""), _raw(element, strings)
        elif element.tag == f"{MAIN}row":
            element.clear()


def _raw(cell: ElementTree.Element, strings: list[str]) -> Raw:
    held, kind = cell.findtext(f"{MAIN}v"), cell.get("t", "n")
    inline = cell.find(f"{MAIN}is")
    if kind == "inlineStr":
        return None if inline is None else _text(inline)
    if held is None:
        return None
    match kind:
        case "s":
            return strings[int(held)]
        case "b":
            return held.strip() == "1"
        case "n":
            return float(held)
        case _:
            return held
