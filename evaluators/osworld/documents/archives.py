"""Metrics on archives and e-books: their file names, and the files pair by pair."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Literal

import lxml.html
from lxml import etree

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.members import members
from ambidex.evaluators.osworld import given
from ambidex.evaluators.osworld.documents.documents import TextOptions, compared, similarity, texts
from ambidex.evaluators.osworld.documents.pdf import SAME_TEXT, pdf_text
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.osworld.sheets.records import any_text, lines_equal
from ambidex.evaluators.osworld.text import lines_alike, texts_equal
from ambidex.evaluators.values import shown, verdict

Members = dict[str, bytes]
Judge = Callable[[bytes, bytes, str], Score]
SUFFIXES = (
    ".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz",
)  # fmt: skip
"""Suffixes of the archives that Python's `shutil` unpacks."""
PACKED = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ": ".xz"}
"""First bytes of compressed tar files, with the suffix of each format."""
LEFT_OUT = {"toc.ncx": "navPoint", "content.opf": "dc:identifier"}
"""Files at the top of a book, each with a text that marks lines which upstream leaves out."""
IDENTIFIER = re.compile(r"identifier|dtb:uid|dcterms:modified", re.IGNORECASE)


def _members(file: Path, *, strict: bool = True) -> Members:
    content, name = given.read_bytes(file), given.file(file).name
    if not strict and not name.endswith(".zip"):
        # Upstream concludes from the name that it is a tar, and detects the compression.
        suffix = next((ending for magic, ending in PACKED.items() if content.startswith(magic)), "")
        return members(content, f"{name}.tar{suffix}")
    return members(content, name)


@metric(
    repairs=(
        "A PDF counts fully if its similarity is at least 0.95, else not at all: upstream counts "
        "the similarity itself, so that an unrelated PDF earns part of the score.",
        "A pair of files that cannot be read scores 0: upstream ends in an exception, except for "
        "PDFs.",
    )
)
def compare_archive(
    result: Path,
    expected: Path,
    *,
    file_path: str = "",
    file_type: Literal["text", "pdf", "docx", "csv"] = "text",
    strict: bool,
) -> Score:
    """Two archives have the same names in the folder `file_path`; the score is the mean over all
    pairs of files, compared as `file_type`."""
    if not strict:
        for path in map(given.file, (result, expected)):
            if not path.name.endswith(SUFFIXES):
                raise UpstreamRaisesError(f"{path.name!r} is not the name of an archive")
    actual, target = (
        _inside(_members(file, strict=strict), file_path) for file in (result, expected)
    )
    if actual.keys() != target.keys():
        return Score(0.0, f"the entries are {sorted(actual)}, not {sorted(target)}")
    if not target:
        if not strict:
            raise UpstreamRaisesError("there are no files to average over")
        return Score(0.0, f"the archives are empty{f' in {file_path}' if file_path else ''}")
    scores = [
        _compare(file_type, actual[name], target[name], name, strict=strict)
        for name in sorted(target)
    ]
    mean = sum(score.value for score in scores) / len(scores)
    return Score(min(1.0, mean), "; ".join(score.reason for score in scores[:5]))


def _inside(files: Members, folder: str) -> dict[str, bytes | None]:
    """The entries directly in a folder of the archive; the content of a folder is None."""
    start = PurePosixPath(folder).parts if folder else ()
    entries: dict[str, bytes | None] = {}
    for path, content in files.items():
        parts = PurePosixPath(path).parts
        if len(parts) > len(start) and parts[: len(start)] == start:
            entries[parts[len(start)]] = content if len(parts) == len(start) + 1 else None
    return entries


def _compare(
    kind: str, actual: bytes | None, target: bytes | None, name: str, *, strict: bool
) -> Score:
    if actual is None or target is None:
        if not strict and kind in {"text", "csv"}:
            raise UpstreamRaisesError(f"{name} is a folder")
        return Score(0.0, f"{name} is a folder")
    try:
        match kind:
            case "pdf":
                ratio = similarity(pdf_text(actual, name), pdf_text(target, name))
                value = float(ratio >= SAME_TEXT) if strict else ratio
                return Score(value, f"the similarity of {name} is {ratio:.3f}")
            case "docx":
                one, other = (texts(side, name, strict=strict) for side in (actual, target))
                return compared(one, other, TextOptions(), strict=strict)
            case "csv":
                if strict:
                    lines = (given.lines(given.decode(side, name)) for side in (actual, target))
                else:
                    lines = (any_text(side, strict=False).splitlines() for side in (actual, target))
                return lines_equal(*lines)
            case _:
                return texts_equal(given.decode(actual, name), given.decode(target, name))
    except UnreadableError as unreadable:
        if not strict and kind == "text":
            raise UpstreamRaisesError(str(unreadable)) from unreadable
        return Score(0.0, str(unreadable))


@metric(
    repairs=(
        "Identical files are equal: upstream reads every PDF, and ends in an exception if it "
        "cannot.",
        "The suffix determines the format, and folders do not count: upstream reads only zip "
        "files, whatever their names, and compares their entries for folders.",
    )
)
def compare_zip_files(result: Path, expected: Path, *, strict: bool) -> Score:
    """Two zip files have the same names with identical files; PDFs need only similar text."""
    if strict:
        actual, target = _members(result), _members(expected)
    else:
        actual, target = _entries(result), _entries(expected)
    wrong = [f"{shown(entry)} is missing" for entry in sorted(target.keys() - actual.keys())]
    wrong += [
        f"{shown(entry)} should not be there" for entry in sorted(actual.keys() - target.keys())
    ]
    for name in [] if wrong else sorted(target):
        one, other = actual[name], target[name]
        pdf = name.lower().endswith(".pdf")
        if one == other and (strict or not pdf):
            continue
        if not pdf or similarity(pdf_text(one, name), pdf_text(other, name)) < SAME_TEXT:
            wrong.append(f"{shown(name)} differs")
    return verdict(wrong, f"all {len(target)} files are equal")


def _entries(file: Path) -> Members:
    """The entries of a zip file, whatever its name, including those of folders."""
    content = given.read_bytes(file)
    files = members(content, "archive.zip")
    with given.library(given.file(file).name), zipfile.ZipFile(io.BytesIO(content)) as archive:
        return files | {info.filename: b"" for info in archive.infolist() if info.is_dir()}


@metric(
    repairs=(
        "Table of contents, metadata and pages are found in every folder of the book: upstream "
        "looks only at the top level, and ends in an exception if a folder has a page.",
        "Pages are compared as stored: upstream first reformats pages.",
        "Files without a partner score 0: upstream counts only the files of the result, so that a "
        "book without its chapters can get the full score.",
    )
)
def compare_epub(result: Path, expected: Path, *, strict: bool) -> Score:
    """The mean similarity by lines of the files of two e-books: table of contents, metadata
    (without identifiers) and pages, pair by pair."""
    actual, target = (
        _book(file) if strict else _book_reformatted(file) for file in (result, expected)
    )
    ratios = [lines_alike(one, other).value for one, other in zip(actual, target, strict=False)]
    count = max(len(actual), len(target)) if strict else len(actual)
    if not count:
        return Score(0.0, "there are no files of a book")
    mean = sum(ratios) / count
    return Score(min(1.0, mean), f"the mean similarity of {count} files is {mean:.3f}")


def _book(file: Path) -> list[str]:
    files = _members(file)
    by_name = {PurePosixPath(path).name: path for path in sorted(files, reverse=True)}
    paths = [by_name[name] for name in ("toc.ncx", "content.opf") if name in by_name]
    paths += [path for path in sorted(files) if path.endswith((".html", ".xhtml"))]
    contents = []
    for path in paths:
        text = given.decode(files[path], path)
        if not path.endswith((".html", ".xhtml")):
            lines = (line for line in given.lines(text) if not IDENTIFIER.search(line))
            text = "".join(lines)
        contents.append(text)
    return contents


def _book_reformatted(file: Path) -> list[str]:
    """The files of a book as upstream compares them, in the order of their names."""
    written: dict[str, str] = {}
    for path, content in members(given.read_bytes(file), "book.zip").items():
        if path in LEFT_OUT:
            lines = given.decode(content, path).splitlines()
            written[path] = "\n".join(line for line in lines if LEFT_OUT[path] not in line)
        elif path.endswith(".html"):
            if "/" in path:
                raise UpstreamRaisesError(f"the page {path} is in a folder")
            written[path] = _page_reformatted(content, path)
    return [written[path] for path in sorted(written)]


def _page_reformatted(content: bytes, path: str) -> str:
    try:
        source = content.decode().replace("\n", "").replace("\r", "").encode()
        page = lxml.html.fromstring(source)
    except (UnicodeDecodeError, etree.LxmlError) as error:
        raise UpstreamRaisesError(f"{path} is not a page: {error}") from error
    return str(lxml.html.tostring(page, pretty_print=True, encoding="unicode"))
