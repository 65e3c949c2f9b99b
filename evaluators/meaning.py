"""Differences between two folders of files, compared by content rather than by bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import islice
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from docx import Document
from docx.opc.exceptions import OpcError
from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from ambidex.evaluators import UnreadableError, evidence, manifest
from ambidex.evaluators.bounded import parse_json
from ambidex.evaluators.paragraphs import read_odt

__all__ = ["differences"]

VOLATILE = frozenset({"Position", "position", "xesam:trackid", "mpris:trackid", "bytes", "seconds"})
"""Fields that change on their own."""
BROKEN = (*evidence.BROKEN, BadZipFile, InvalidFileException, OpcError, RecursionError)
"""What the libraries raise for a malformed file."""
MOST = 10
"""Maximum number of differences reported for one file."""


def differences(
    one: Path, other: Path, sides: tuple[str, str] = ("by the tool", "by the GUI")
) -> list[str]:
    """Describe each difference; empty if the folders have the same content.

    `sides` are the words for the content of either folder. The manifest is left out: it holds sizes
    of packages, which may differ even if the documents in them are the same.
    """
    names = {path.name for folder in (one, other) for path in folder.iterdir()} - {manifest.NAME}
    described = []
    for name in sorted(names):
        present = [(folder / name).exists() for folder in (one, other)]
        if not all(present):
            described.append(f"{name} exists only {sides[0] if present[0] else sides[1]}")
            continue
        ours, theirs = (_content(folder, name) for folder in (one, other))
        differing = islice(_compare(ours, theirs, "", sides), MOST)
        described += [f"{name}: {difference}" for difference in differing]
    return described


def _content(folder: Path, name: str) -> Any:
    read = READERS.get(Path(name).suffix.lower(), _plain)
    try:
        return read(folder, name)
    except (*BROKEN, UnreadableError) as error:
        return f"unreadable: {error}"


def _plain(folder: Path, name: str) -> Any:
    content = evidence.read(folder, name)
    try:
        text = content.decode().strip()
    except UnicodeDecodeError:
        return f"{len(content)} bytes"
    return text.splitlines() if "\n" in text else text


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
    return [[paragraph.text, str(paragraph.alignment)] for paragraph in document.paragraphs]


def _open_text(folder: Path, name: str) -> Any:
    return [
        paragraph.text for paragraph in read_odt.paragraphs(evidence.read_package(folder, name))
    ]


def _json(folder: Path, name: str) -> Any:
    return parse_json(evidence.read(folder, name), finite=False)


READERS: dict[str, Callable[[Path, str], Any]] = {
    ".xlsx": _book,
    ".docx": _text,
    ".odt": _open_text,
    ".json": _json,
}


def _compare(ours: Any, theirs: Any, where: str, sides: tuple[str, str]) -> Iterator[str]:
    match ours, theirs:
        case Mapping(), Mapping():
            for key in sorted({*ours, *theirs} - VOLATILE):
                below = f"{where}.{key}" if where else key
                yield from _compare(ours.get(key), theirs.get(key), below, sides)
        case list(), list() if len(ours) == len(theirs):
            for at, (a, b) in enumerate(zip(ours, theirs, strict=True)):
                yield from _compare(a, b, f"{where}[{at}]", sides)
        case list(), list():
            yield from _compare_lists(ours, theirs, where, sides)
        case _ if ours != theirs:
            yield f"{where} {ours!r} {sides[0]}, {theirs!r} {sides[1]}".strip()


def _compare_lists(
    ours: Sequence[Any], theirs: Sequence[Any], where: str, sides: tuple[str, str]
) -> Iterator[str]:
    """Compare lists of different lengths: yield what was inserted, deleted or replaced."""
    texts = [[repr(item) for item in side] for side in (ours, theirs)]
    matcher = SequenceMatcher(None, texts[0], texts[1], autojunk=False)
    for kind, start, end, other, until in matcher.get_opcodes():
        if kind != "equal":
            our_part, their_part = ", ".join(texts[0][start:end]), ", ".join(texts[1][other:until])
            difference = f"{our_part or 'nothing'} {sides[0]}, {their_part or 'nothing'} {sides[1]}"
            yield f"{where}[{start}] {difference}"
