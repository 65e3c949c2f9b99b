"""In what two folders of files differ, by what the files mean and not by their bytes."""

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

from ambidex.evaluators import UnreadableError, evidence, manifest, read_odt
from ambidex.evaluators.bounded import parse_json

__all__ = ["differences"]

RUNNING = frozenset({"Position", "position", "xesam:trackid", "mpris:trackid", "bytes", "seconds"})
"""Fields that go on by themselves."""
BROKEN = (*evidence.BROKEN, BadZipFile, InvalidFileException, OpcError, RecursionError)
"""What the libraries raise for a file that is none of its format."""
MOST = 10
"""Differences that are told of one file."""


def differences(
    one: Path, other: Path, sides: tuple[str, str] = ("by the tool", "by the GUI")
) -> list[str]:
    """Each file that differs, and in what; none where the two are the same. `sides` are the words
    for what is in each folder. The manifest is left out: it holds sizes of packages, which differ
    where the documents in them are the same."""
    names = {path.name for folder in (one, other) for path in folder.iterdir()} - {manifest.NAME}
    found = []
    for name in sorted(names):
        present = [(folder / name).exists() for folder in (one, other)]
        if not all(present):
            found.append(f"{name} is there {sides[0] if present[0] else sides[1]} alone")
            continue
        ours, theirs = (_meaning(folder, name) for folder in (one, other))
        unlike = islice(_unlike(ours, theirs, "", sides), MOST)
        found += [f"{name}: {each}" for each in unlike]
    return found


def _meaning(folder: Path, name: str) -> Any:
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
    return [[each.text, str(each.alignment)] for each in document.paragraphs]


def _open_text(folder: Path, name: str) -> Any:
    return [each.text for each in read_odt.paragraphs(evidence.read_package(folder, name))]


def _json(folder: Path, name: str) -> Any:
    return parse_json(evidence.read(folder, name), finite=False)


READERS: dict[str, Callable[[Path, str], Any]] = {
    ".xlsx": _book,
    ".docx": _text,
    ".odt": _open_text,
    ".json": _json,
}


def _unlike(ours: Any, theirs: Any, where: str, sides: tuple[str, str]) -> Iterator[str]:
    match ours, theirs:
        case Mapping(), Mapping():
            for key in sorted({*ours, *theirs} - RUNNING):
                below = f"{where}.{key}" if where else key
                yield from _unlike(ours.get(key), theirs.get(key), below, sides)
        case list(), list() if len(ours) == len(theirs):
            for at, (a, b) in enumerate(zip(ours, theirs, strict=True)):
                yield from _unlike(a, b, f"{where}[{at}]", sides)
        case list(), list():
            yield from _moved(ours, theirs, where, sides)
        case _ if ours != theirs:
            yield f"{where} {ours!r} {sides[0]}, {theirs!r} {sides[1]}".strip()


def _moved(
    ours: Sequence[Any], theirs: Sequence[Any], where: str, sides: tuple[str, str]
) -> Iterator[str]:
    """Where one has more or less in it."""
    pair = [[repr(each) for each in side] for side in (ours, theirs)]
    matched = SequenceMatcher(None, pair[0], pair[1], autojunk=False)
    for kind, start, end, other, until in matched.get_opcodes():
        if kind != "equal":
            here, there = ", ".join(pair[0][start:end]), ", ".join(pair[1][other:until])
            said = f"{here or 'nothing'} {sides[0]}, {there or 'nothing'} {sides[1]}"
            yield f"{where}[{start}] {said}"
