"""Whether two ways to one goal left the same: what was collected after each, by its meaning."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from docx import Document
from openpyxl import load_workbook

from evaluators import evidence

__all__ = ["differences"]

RUNNING = frozenset({"Position", "position", "xesam:trackid", "mpris:trackid", "bytes", "seconds"})
"""Fields that go on by themselves."""


def differences(one: Path, other: Path) -> list[str]:
    """Each file that differs, and in what; none where the two are the same."""
    names = {path.name for folder in (one, other) for path in folder.iterdir()}
    found = []
    for name in sorted(names):
        present = [(folder / name).exists() for folder in (one, other)]
        if not all(present):
            found.append(f"{name} is there after {'the tool' if present[0] else 'the GUI'} alone")
            continue
        ours, theirs = (_meaning(folder, name) for folder in (one, other))
        found += [f"{name}: {each}" for each in _unlike(ours, theirs, "")][:10]
    return found


def _meaning(folder: Path, name: str) -> Any:
    content = evidence.read(folder, name)
    read = READERS.get(Path(name).suffix.lower())
    if read is not None:
        try:
            return read(folder, name)
        except (BadZipFile, ValueError, KeyError) as error:
            return f"unreadable: {error}"
    try:
        return content.decode().strip()
    except UnicodeDecodeError:
        return f"{len(content)} bytes"


def _book(folder: Path, name: str) -> Any:
    book = load_workbook(evidence.read_package(folder, name))
    return {
        sheet.title: {
            cell.coordinate: cell.value
            for row in sheet.iter_rows()
            for cell in row
            if cell.value is not None
        }
        for sheet in book.worksheets
    }


def _text(folder: Path, name: str) -> Any:
    document = Document(evidence.read_package(folder, name))
    return [[each.text, str(each.alignment)] for each in document.paragraphs]


def _json(folder: Path, name: str) -> Any:
    return json.loads(io.BytesIO(evidence.read(folder, name)).read())


READERS: dict[str, Callable[[Path, str], Any]] = {".xlsx": _book, ".docx": _text, ".json": _json}


def _unlike(ours: Any, theirs: Any, where: str) -> Iterator[str]:
    match ours, theirs:
        case Mapping(), Mapping():
            for key in sorted({*ours, *theirs} - RUNNING):
                yield from _unlike(
                    ours.get(key), theirs.get(key), f"{where}.{key}" if where else key
                )
        case list(), list() if len(ours) == len(theirs):
            for at, (a, b) in enumerate(zip(ours, theirs, strict=True)):
                yield from _unlike(a, b, f"{where}[{at}]")
        case _ if ours != theirs:
            yield f"{where} {ours!r} by the tool, {theirs!r} by the GUI".strip()
