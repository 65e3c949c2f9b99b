"""Variations of a task, derived from its data: the same work on another file or sheet, with other
values or letters, at another place, or on an empty document. A tool that was fitted to one case
fails them.

A variation is a consistent replacement in the task's data, in its files and in the calls that
solve it.
"""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
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

__all__ = ["EMPTY", "Variation", "apply_swap", "variations", "vary"]

EMPTY = "empty input"
"""The one variation that is not scored: the tool need not succeed, but must not crash."""
OTHER_NAME = "Ведомость № 7 数据"
OTHER_SHEET = "Übersicht Ω"
LETTERS = "Жé数"
"""Prefix of each text of a document. A common prefix preserves the texts' order."""
DOWN, RIGHT = 4, 2
"""Rows and columns that a sheet's content is moved by."""
AREA = re.compile(
    r"^(\$?)([A-Z]{1,2})(\$?)([1-9]\d{0,4})(?::(\$?)([A-Z]{1,2})(\$?)([1-9]\d{0,4}))?$"
)
SHEETS, TEXTS = (".xlsx",), (".docx",)

Swap = Callable[[Any], Any]
"""Replaces one value: a text, a number or anything else."""
Rewrite = Callable[[str, bytes], bytes]
"""Replaces a file's content, given its name and content."""


@dataclass(frozen=True)
class Variation:
    """One variation: its kind, and what it replaces in values and in files."""

    kind: str
    swap: Swap
    rewrite: Rewrite


def unchanged(name: str, content: bytes) -> bytes:
    """A `Rewrite` that leaves the file as it is."""
    return content


def variations(task: Task, calls: Sequence[Call]) -> Iterator[Variation]:
    """The variations that can be applied to the task; `calls` solve it."""
    put = [verb for verb in verbs_of(task).spec.setup if isinstance(verb, Put)]
    names = [PurePosixPath(verb.to).name for verb in put]
    if names:
        yield Variation("other file", _file_names(names), unchanged)
    books = {
        verb.put: (verbs_of(task).folder / verb.put) for verb in put if verb.put.endswith(SHEETS)
    }
    if books:
        titles = {title for path in books.values() for title in load_workbook(path).sheetnames}
        yield Variation("other sheet", _sheet_names(titles), _sheets_renamed)
        if not any(_has_formulas(path) for path in books.values()):
            yield Variation("other place", _moved, _content_moved)
    if texts := _texts_in_play(task, put):
        yield Variation("other letters", _prefixed(texts), _texts_prefixed(texts))
    if numbers := _numbers_in_play(task, calls):
        yield Variation("other value", _other_numbers(numbers), unchanged)
    if any(verb.put.endswith((*SHEETS, *TEXTS)) for verb in put):
        yield Variation(EMPTY, lambda value: value, _emptied)


def vary(task: Task, variation: Variation, folder: Path) -> Task:
    """Apply a variation to a task. The files of the new task are written to `folder`."""
    shutil.copytree(verbs_of(task).folder, folder, dirs_exist_ok=True)
    for verb in verbs_of(task).spec.setup:
        if isinstance(verb, Put):
            file = folder / verb.put
            file.write_bytes(variation.rewrite(verb.put, file.read_bytes()))
    data = task.spec.model_dump(by_alias=True, mode="json")
    # The task's own files keep their names in the folder; only their targets are renamed.
    kept = {verb.put for verb in verbs_of(task).spec.setup if isinstance(verb, Put)}
    spec = TaskSpec.model_validate(apply_swap(data, variation.swap, frozenset(kept)))
    checks = tuple(bind(check.use, check.with_, folder) for check in spec.check)
    (folder / "task.json").write_text(spec.model_dump_json(by_alias=True, indent=1))
    return Task(task.name, task.hash, spec, Verbs(spec, folder, checks))


def apply_swap(data: Any, swap: Swap, kept: frozenset[str] = frozenset()) -> Any:
    """Swap every value and every key of JSON data, except the texts in `kept`."""
    if isinstance(data, str) and data in kept:
        return data
    if isinstance(data, Mapping):
        return {swap(key): apply_swap(value, swap, kept) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [apply_swap(item, swap, kept) for item in data]
    return swap(data)


def _file_names(names: list[str]) -> Swap:
    others = {
        name: f"{OTHER_NAME}{number or ''}{PurePosixPath(name).suffix}"
        for number, name in enumerate(dict.fromkeys(names))
    }

    def swap(value: Any) -> Any:
        if isinstance(value, str):
            for name, other in others.items():
                # "a.ogg" must not match within "banana.ogg"
                value = re.sub(rf"(?<![\w-]){re.escape(name)}", other.replace("\\", r"\\"), value)
        return value

    return swap


def _sheet_names(titles: set[str]) -> Swap:
    def swap(value: Any) -> Any:
        return f"{OTHER_SHEET} {value}" if isinstance(value, str) and value in titles else value

    return swap


def _sheets_renamed(name: str, content: bytes) -> bytes:
    """Rename every sheet and insert an empty one before them. The active sheet remains active."""
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
    """Texts of the documents that the checks refer to."""
    checked = set(scalars([check.with_ for check in verbs_of(task).spec.check]))
    texts: set[str] = set()
    for verb in put:
        path = verbs_of(task).folder / verb.put
        if verb.put.endswith(SHEETS):
            for sheet in load_workbook(path).worksheets:
                texts |= {str(v) for row in sheet.values for v in row if isinstance(v, str)}
        elif verb.put.endswith(TEXTS):
            texts |= {paragraph.text for paragraph in Document(str(path)).paragraphs}
    return frozenset(text for text in texts & checked if text.strip())


def _prefixed(texts: frozenset[str]) -> Swap:
    def swap(value: Any) -> Any:
        return LETTERS + value if isinstance(value, str) and value in texts else value

    return swap


def _texts_prefixed(texts: frozenset[str]) -> Rewrite:
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


def _numbers_in_play(task: Task, calls: Sequence[Call]) -> frozenset[float]:
    """Numbers that occur both in the solution's arguments and in the checks, except 0 and 1, which
    are mostly counts. Empty if the task has documents, because a number may then come from one."""
    supplied = {value for value in scalars([call.with_ for call in calls]) if _is_number(value)}
    checked = {
        value
        for value in scalars([check.with_ for check in verbs_of(task).spec.check])
        if _is_number(value)
    }
    if any(isinstance(verb, Put) for verb in verbs_of(task).spec.setup):
        return frozenset()
    return frozenset(number for number in supplied & checked if number not in (0, 1))


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
