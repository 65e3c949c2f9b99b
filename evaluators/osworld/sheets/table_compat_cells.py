"""Cells, CSV exports and fuzzy texts of a workbook as upstream reads them, defects included."""

from __future__ import annotations

import zipfile
from typing import Any, TypeAlias

from lxml import etree
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.cell_range import MultiCellRange
from rapidfuzz import fuzz

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.osworld import given
from ambidex.evaluators.osworld.registry import UpstreamRaisesError
from ambidex.evaluators.osworld.sheets.table_book import MAIN, MOST_CELLS, Book
from ambidex.evaluators.values import shown

Stored: TypeAlias = str | float | dict[str, str | None] | None
Place: TypeAlias = tuple[Book | None, str]
PARSER = etree.XMLParser(resolve_entities=False, no_network=True)
SPACE = "http://www.w3.org/XML/1998/namespace:space"


def member(book: Book, name: str) -> etree._Element:
    """The part of the package that upstream takes for a sheet: the one with the sheet's number in
    its name. `KeyError` if there is none."""
    with zipfile.ZipFile(book.stream) as archive:
        workbook = etree.fromstring(archive.read("xl/workbook.xml"), PARSER)
        sheets = workbook.iterfind(f".//{MAIN}sheets/{MAIN}sheet")
        numbers = {sheet.get("name"): sheet.get("sheetId") for sheet in sheets}
        part = archive.read(f"xl/worksheets/sheet{numbers[name]}.xml")
    return etree.fromstring(part, PARSER)


def stored_value(book: Book | None, name: str, coordinate: str) -> Stored:
    """The stored value of a cell, for a formula its result; None for a boolean too. Raises what
    upstream raises."""
    if book is None:
        raise UpstreamRaisesError("there is no workbook to compare with")
    if name not in book.stored:
        book.stored[name] = _cells(book, name)
    cell = book.stored[name].get(coordinate)
    if cell is None:
        return None
    kind, values = cell.get("t", "n"), cell.findall(f"{MAIN}v")
    if kind == "inlineStr":
        inline = cell.find(f"{MAIN}is")
        texts = [] if inline is None else inline.findall(f"{MAIN}t")
        return _plain(texts[0]) if texts else None
    if not values or kind not in {"n", "s", "str", "e"}:
        return None
    value = _plain(values[0])
    if kind in {"str", "e"}:
        return value
    if not isinstance(value, str):
        raise UpstreamRaisesError(f"{coordinate} of {name} has an empty value")
    try:
        number = int(value) if kind == "s" else float(value)
    except ValueError:
        return None
    if kind == "n":
        return number
    try:
        return _shared(book)[int(number)]
    except IndexError:
        raise UpstreamRaisesError(
            f"{coordinate} of {name} refers to a shared text that does not exist"
        ) from None


def _cells(book: Book, name: str) -> dict[str, etree._Element]:
    """The cells of a sheet by coordinate, the first of duplicates; empty if there is no sheet."""
    try:
        sheet = member(book, name)
    except (KeyError, etree.XMLSyntaxError):
        return {}
    cells: dict[str, etree._Element] = {}
    for cell in sheet.iterfind(f".//{MAIN}row/{MAIN}c"):
        cells.setdefault(cell.get("r", ""), cell)
    return cells


def _shared(book: Book) -> list[str]:
    """The shared texts; empty if one of them is empty, because upstream then gives up."""
    try:
        with zipfile.ZipFile(book.stream) as archive:
            root = etree.fromstring(archive.read("xl/sharedStrings.xml"), PARSER)
    except (KeyError, etree.XMLSyntaxError):
        return []
    items = [
        [element.text for element in item.iter(f"{MAIN}t")] for item in root.iterfind(f"{MAIN}si")
    ]
    if any(text is None for item in items for text in item):
        return []
    return ["".join(text or "" for text in item) for item in items]


def _plain(element: etree._Element) -> str | dict[str, str | None] | None:
    """The stripped text of an element, together with its attributes if it has any."""
    text = (element.text or "").strip() or None
    if not element.attrib:
        return text
    names = {key: etree.QName(key) for key in element.attrib}
    attributes = {
        f"@{name.namespace}:{name.localname}" if name.namespace else f"@{name.localname}":
        element.attrib[key]
        for key, name in names.items()
    }  # fmt: skip
    return attributes | ({} if text is None else {"#text": text})


def printed(book: Book | None, name: str) -> list[str] | None:
    """The lines of the CSV file alongside the workbook, without empty lines at the end; None if
    there is no such file."""
    if book is None:
        raise UpstreamRaisesError("there is no workbook to compare with")
    try:
        content = given.read_bytes(book.path.with_name(f"{book.path.stem}-{name}.csv"))
    except UnreadableError:
        return None
    lines = [line.strip() for line in decoded_lines(content)]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def decoded_lines(content: bytes) -> list[str]:
    """The lines of a text file, split at everything that Python accepts as a line end; anything but
    UTF-8 is read as Latin-1."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n").splitlines()


def fuzzy_difference(one: Place, other: Place, rules: list[dict[str, Any]]) -> str:
    """The first cell whose text is not similar; an empty cell has the text "None"."""
    wrong = ""
    for rule in rules:
        areas = MultiCellRange(rule["range"])
        if sum(block.size["rows"] * block.size["columns"] for block in areas) > MOST_CELLS:
            raise UnreadableError(f"{areas} spans more than {MOST_CELLS} cells")
        for area in areas:
            for row, column in area.cells:
                cell = f"{get_column_letter(column)}{row}"
                actual, target = (_text(stored_value(*place, cell), rule) for place in (one, other))
                if not _similar(actual, target, rule) and not wrong:
                    wrong = f"{cell} reads {shown(actual)}, not {shown(target)}"
    return wrong


def _text(value: Stored, rule: dict[str, Any]) -> str:
    text = str(value)
    for old, new in rule.get("normalization", []):
        text = text.replace(old, new)
    if "trim_leadings" in rule:
        text = text.lstrip(rule["trim_leadings"])
    if "trim_trailings" in rule:
        text = text.rstrip(rule["trim_trailings"])
    ignored = set(rule.get("ignore_chars", ""))
    text = "".join(character for character in text if character not in ignored)
    return text.lower() if rule.get("ignore_case", False) else text


def _similar(actual: str, target: str, rule: dict[str, Any]) -> bool:
    match rule["type"]:
        case "includes":
            return target in actual
        case "included_by":
            return actual in target
        case "fuzzy_match":
            return bool(fuzz.ratio(actual, target) >= rule.get("threshold", 85.0))
        case _:
            return actual == target
