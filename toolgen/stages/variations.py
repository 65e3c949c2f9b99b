"""Variations of a task, derived as data: the same deed on another file, another sheet, other
values, other letters, elsewhere, or on nothing. A tool fitted to the one case does not follow.

A variation is a renaming: the same replacement in the task's data, in its files and in the calls
that are held against it.
"""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from docx import Document
from openpyxl import Workbook, load_workbook
from openpyxl.utils import column_index_from_string, get_column_letter

from ambidex.evaluators.registry import bind
from ambidex.tasks import Task, Verbs, verbs_of
from ambidex.tasks.spec import Call, Put, TaskSpec
from ambidex.toolgen.gate.values import scalars

__all__ = ["EMPTY", "Variation", "variations", "varied"]

EMPTY = "empty input"
"""The one variation that nothing is scored in: the tool must only fail well."""
OTHER_NAME = "Ведомость № 7 数据"
OTHER_SHEET = "Übersicht Ω"
LETTERS = "Жé数"
"""Put before each text of a document, so that an order among them stays."""
DOWN, RIGHT = 4, 2
"""Rows and columns by which a sheet's content moves."""
AREA = re.compile(
    r"^(\$?)([A-Z]{1,2})(\$?)([1-9]\d{0,4})(?::(\$?)([A-Z]{1,2})(\$?)([1-9]\d{0,4}))?$"
)
SHEETS, TEXTS = (".xlsx",), (".docx",)

Swap = Callable[[Any], Any]
"""Of one value: a text, a number or anything else."""
Rewrite = Callable[[str, bytes], bytes]
"""Of a file, by its name."""


@dataclass(frozen=True)
class Variation:
    """One way in which the case is another."""

    kind: str
    swap: Swap
    rewrite: Rewrite


def same(name: str, content: bytes) -> bytes:
    """The file as it is."""
    return content


def variations(task: Task, calls: list[Call]) -> Iterator[Variation]:
    """Those that fit the task, `calls` being a solution of it."""
    put = [verb for verb in verbs_of(task).spec.setup if isinstance(verb, Put)]
    names = [PurePosixPath(verb.to).name for verb in put]
    if names:
        yield Variation("other file", _file_names(names), same)
    books = {
        verb.put: (verbs_of(task).folder / verb.put) for verb in put if verb.put.endswith(SHEETS)
    }
    if books:
        titles = {title for path in books.values() for title in load_workbook(path).sheetnames}
        yield Variation("other sheet", _sheet_names(titles), _sheets_renamed)
        if not any(_has_formulas(path) for path in books.values()):
            yield Variation("other place", _moved, _content_moved)
    if texts := _texts_in_play(task, put):
        yield Variation("other letters", _lettered(texts), _relettered(texts))
    if numbers := _numbers_in_play(task, calls):
        yield Variation("other value", _other_numbers(numbers), same)
    if any(verb.put.endswith((*SHEETS, *TEXTS)) for verb in put):
        yield Variation(EMPTY, lambda value: value, _emptied)


def varied(task: Task, variation: Variation, folder: Path) -> Task:
    """The task in that variation, its files in `folder`."""
    shutil.copytree(verbs_of(task).folder, folder, dirs_exist_ok=True)
    for verb in verbs_of(task).spec.setup:
        if isinstance(verb, Put):
            file = folder / verb.put
            file.write_bytes(variation.rewrite(verb.put, file.read_bytes()))
    said = task.spec.model_dump(by_alias=True, mode="json")
    kept = {verb.put for verb in verbs_of(task).spec.setup if isinstance(verb, Put)}
    spec = TaskSpec.model_validate(swapped(said, variation.swap, frozenset(kept)))
    # Its files are where they were, under the names by which the task puts them.
    checks = tuple(bind(check.use, check.with_, folder) for check in spec.check)
    (folder / "task.json").write_text(spec.model_dump_json(by_alias=True, indent=1))
    return Task(task.name, task.hash, spec, Verbs(spec, folder, checks))


def swapped(said: Any, swap: Swap, kept: frozenset[str] = frozenset()) -> Any:
    """JSON with every value and every key of it swapped; texts in `kept` stay."""
    if isinstance(said, str) and said in kept:
        return said
    if isinstance(said, Mapping):
        return {swap(key): swapped(value, swap, kept) for key, value in said.items()}
    if isinstance(said, list | tuple):
        return [swapped(each, swap, kept) for each in said]
    return swap(said)


def _file_names(names: list[str]) -> Swap:
    others = {
        name: f"{OTHER_NAME}{number or ''}{PurePosixPath(name).suffix}"
        for number, name in enumerate(dict.fromkeys(names))
    }

    def swap(value: Any) -> Any:
        if isinstance(value, str):
            for name, other in others.items():
                # "a.ogg" is not within "banana.ogg"
                value = re.sub(rf"(?<![\w-]){re.escape(name)}", other.replace("\\", r"\\"), value)
        return value

    return swap


def _sheet_names(titles: set[str]) -> Swap:
    def swap(value: Any) -> Any:
        return f"{OTHER_SHEET} {value}" if isinstance(value, str) and value in titles else value

    return swap


def _sheets_renamed(name: str, content: bytes) -> bytes:
    """Every sheet has another name, and an empty one comes first; the one in front stays so."""
    if not name.endswith(SHEETS):
        return content
    book = load_workbook(io.BytesIO(content))
    front = book.active
    for sheet in book.worksheets:
        sheet.title = f"{OTHER_SHEET} {sheet.title}"
    book.create_sheet("0", 0)
    for sheet in book.worksheets:
        sheet.sheet_view.tabSelected = sheet is front
    book.active = book.worksheets.index(front) if front in book.worksheets else 1
    return _saved(book)


def _moved(value: Any) -> Any:
    match = AREA.match(value) if isinstance(value, str) else None
    if not match:
        return value

    def corner(fixed: str, column: str, held: str, row: str) -> str:
        letter = get_column_letter(column_index_from_string(column) + RIGHT)
        return f"{fixed}{letter}{held}{int(row) + DOWN}"

    parts = match.groups()
    first = corner(*parts[:4])
    return f"{first}:{corner(*parts[4:])}" if parts[5] else first


def _content_moved(name: str, content: bytes) -> bytes:
    if not name.endswith(SHEETS):
        return content
    book = load_workbook(io.BytesIO(content))
    for sheet in book.worksheets:
        sheet.move_range(sheet.dimensions, rows=DOWN, cols=RIGHT)
    return _saved(book)


def _has_formulas(path: Path) -> bool:
    book = load_workbook(path)
    cells = (cell for sheet in book.worksheets for row in sheet.iter_rows() for cell in row)
    return any(cell.data_type == "f" for cell in cells)


def _texts_in_play(task: Task, put: list[Put]) -> frozenset[str]:
    """Texts of the documents that the checks speak of."""
    checked = set(scalars([check.with_ for check in verbs_of(task).spec.check]))
    found: set[str] = set()
    for verb in put:
        path = verbs_of(task).folder / verb.put
        if verb.put.endswith(SHEETS):
            for sheet in load_workbook(path).worksheets:
                found |= {str(v) for row in sheet.values for v in row if isinstance(v, str)}
        elif verb.put.endswith(TEXTS):
            found |= {each.text for each in Document(str(path)).paragraphs}
    return frozenset(text for text in found & checked if text.strip())


def _lettered(texts: frozenset[str]) -> Swap:
    def swap(value: Any) -> Any:
        return LETTERS + value if isinstance(value, str) and value in texts else value

    return swap


def _relettered(texts: frozenset[str]) -> Rewrite:
    def rewrite(name: str, content: bytes) -> bytes:
        if name.endswith(SHEETS):
            book = load_workbook(io.BytesIO(content))
            for sheet in book.worksheets:
                for row in sheet.iter_rows():
                    for cell in row:
                        if cell.value in texts:
                            cell.value = LETTERS + str(cell.value)
            return _saved(book)
        if name.endswith(TEXTS):
            document = Document(io.BytesIO(content))
            for paragraph in document.paragraphs:
                if paragraph.text in texts and paragraph.runs:
                    paragraph.runs[0].text = LETTERS + paragraph.runs[0].text
            target = io.BytesIO()
            document.save(target)
            return target.getvalue()
        return content

    return rewrite


def _numbers_in_play(task: Task, calls: list[Call]) -> frozenset[float]:
    """Numbers that the solution gives and the checks look for, and that no file holds: 0 and 1
    aside, which are mostly counts."""
    given = {each for each in scalars([call.with_ for call in calls]) if _is_number(each)}
    checked = {
        each for each in scalars([c.with_ for c in verbs_of(task).spec.check]) if _is_number(each)
    }
    if any(isinstance(verb, Put) for verb in verbs_of(task).spec.setup):
        return frozenset()  # a number may then be one of the document's
    return frozenset(each for each in given & checked if each not in (0, 1))


def _other_numbers(numbers: frozenset[float]) -> Swap:
    def other(value: float) -> float:
        return value + max(1, round(value / 10)) if isinstance(value, int) else value * 1.5

    def swap(value: Any) -> Any:
        if _is_number(value) and value in numbers:
            return other(value)
        if isinstance(value, str):
            for number in numbers:
                value = re.sub(rf"(?<![\w.]){number}(?![\w.])", str(other(number)), value)
        return value

    return swap


def _emptied(name: str, content: bytes) -> bytes:
    if name.endswith(SHEETS):
        book = load_workbook(io.BytesIO(content))
        for sheet in book.worksheets:
            for row in sheet.iter_rows():
                for cell in row:
                    cell.value = None
        return _saved(book)
    if name.endswith(TEXTS):
        document = Document()
        target = io.BytesIO()
        document.save(target)
        return target.getvalue()
    return content


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _saved(book: Workbook) -> bytes:
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()
