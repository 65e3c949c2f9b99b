"""Metrics on archives and electronic books: which files they hold, and each beside its like."""

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
from ambidex.evaluators.osworld.documents.documents import Compared, alike, compared, texts
from ambidex.evaluators.osworld.documents.pdf import SAME_TEXT, pdf_text
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.osworld.sheets.records import any_text, lines_equal
from ambidex.evaluators.osworld.text import lines_alike, texts_equal
from ambidex.evaluators.values import shown, verdict

Members = dict[str, bytes]
Judge = Callable[[bytes, bytes, str], Score]
ENDINGS = (
    ".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz",
)  # fmt: skip
"""Names of archives that Python's own `shutil` unpacks."""
PACKED = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ": ".xz"}
"""How a packed tar begins, and what its name would end in."""
LEFT_OUT = {"toc.ncx": "navPoint", "content.opf": "dc:identifier"}
"""Files at the top of a book, each with what stands in the lines that upstream leaves out."""
IDENTIFIER = re.compile(r"identifier|dtb:uid|dcterms:modified", re.IGNORECASE)


def _members(file: Path, *, strict: bool = True) -> Members:
    content, name = given.held(file), given.file(file).name
    if not strict and not name.endswith(".zip"):
        # Upstream takes from the name that it is a tar, and from the content how it is packed.
        ending = next((each for magic, each in PACKED.items() if content.startswith(magic)), "")
        return members(content, f"{name}.tar{ending}")
    return members(content, name)


@metric(
    repairs=(
        "A PDF counts where its text is alike by 0.95 at least: upstream counts how alike it is, "
        "so an unrelated one earns a part.",
        "A pair of files that cannot be read counts nothing: upstream ends in an exception, but "
        "for PDFs.",
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
    """Two archives have the same names in the folder `file_path`; the score is the mean over the
    pairs of what compares this type."""
    if not strict:
        for each in map(given.file, (result, expected)):
            if not each.name.endswith(ENDINGS):
                raise UpstreamRaisesError(f"the name {each.name!r} is that of no archive")
    actual, target = (
        _inside(_members(file, strict=strict), file_path) for file in (result, expected)
    )
    if actual.keys() != target.keys():
        return Score(0.0, f"there are {sorted(actual)}, not {sorted(target)}")
    if not target:
        if not strict:
            raise UpstreamRaisesError("there are no files, so no mean of them")
        return Score(0.0, f"the archives hold nothing in {file_path or 'them'}")
    scores = [
        _judged(file_type, actual[name], target[name], name, strict=strict)
        for name in sorted(target)
    ]
    mean = sum(score.value for score in scores) / len(scores)
    return Score(min(1.0, mean), "; ".join(score.reason for score in scores[:5]))


def _inside(held: Members, folder: str) -> dict[str, bytes | None]:
    """What stands directly in a folder of the archive; of a folder, None."""
    start = PurePosixPath(folder).parts if folder else ()
    found: dict[str, bytes | None] = {}
    for path, content in held.items():
        parts = PurePosixPath(path).parts
        if len(parts) > len(start) and parts[: len(start)] == start:
            found[parts[len(start)]] = content if len(parts) == len(start) + 1 else None
    return found


def _judged(
    kind: str, actual: bytes | None, target: bytes | None, name: str, *, strict: bool
) -> Score:
    if actual is None or target is None:
        if not strict and kind in {"text", "csv"}:
            raise UpstreamRaisesError(f"{name} is a folder")
        return Score(0.0, f"{name} is a folder")
    try:
        match kind:
            case "pdf":
                ratio = alike(pdf_text(actual, name), pdf_text(target, name))
                value = float(ratio >= SAME_TEXT) if strict else ratio
                return Score(value, f"{name} is alike by {ratio:.3f}")
            case "docx":
                one, other = (texts(side, name, strict=strict) for side in (actual, target))
                return compared(one, other, Compared(), strict=strict)
            case "csv":
                if strict:
                    lines = (given.lines(given.decoded(side, name)) for side in (actual, target))
                else:
                    lines = (any_text(side, strict=False).splitlines() for side in (actual, target))
                return lines_equal(*lines)
            case _:
                return texts_equal(given.decoded(actual, name), given.decoded(target, name))
    except UnreadableError as unreadable:
        if not strict and kind == "text":
            raise UpstreamRaisesError(str(unreadable)) from unreadable
        return Score(0.0, str(unreadable))


@metric(
    repairs=(
        "Files that are equal to the byte are equal: upstream reads every PDF, and ends in an "
        "exception where it cannot.",
        "An archive is what its name says, and its folders do not count: upstream reads zip files "
        "alone, whatever they are called, and compares their entries for folders.",
    )
)
def compare_zip_files(result: Path, expected: Path, *, strict: bool) -> Score:
    """Two zip files hold the same names with the same bytes; PDFs, nearly the same text."""
    if strict:
        actual, target = _members(result), _members(expected)
    else:
        actual, target = _entries(result), _entries(expected)
    wrong = [f"{shown(each)} is missing" for each in sorted(target.keys() - actual.keys())]
    wrong += [f"{shown(each)} is there too" for each in sorted(actual.keys() - target.keys())]
    for name in [] if wrong else sorted(target):
        one, other = actual[name], target[name]
        pdf = name.lower().endswith(".pdf")
        if one == other and (strict or not pdf):
            continue
        if not pdf or alike(pdf_text(one, name), pdf_text(other, name)) < SAME_TEXT:
            wrong.append(f"{shown(name)} differs")
    return verdict(wrong, f"all {len(target)} files are equal")


def _entries(file: Path) -> Members:
    """The entries of a zip file, whatever its name, those of folders with them."""
    content = given.held(file)
    found = members(content, "archive.zip")
    with given.library(given.file(file).name), zipfile.ZipFile(io.BytesIO(content)) as archive:
        return found | {each.filename: b"" for each in archive.infolist() if each.is_dir()}


@metric(
    repairs=(
        "Table of contents, description and pages are found in every folder of the book: upstream "
        "looks at its top alone, and ends in an exception where a folder has a page.",
        "Pages are compared as they are written: upstream first writes them anew.",
        "Files of the book that have no partner count nothing: upstream counts only as many as the "
        "result has, so a book without its chapters can be whole.",
    )
)
def compare_epub(result: Path, expected: Path, *, strict: bool) -> Score:
    """How alike the lines of two books' files are: table of contents, description (without
    identifiers) and pages, pair by pair."""
    actual, target = (
        _book(file) if strict else _book_written_anew(file) for file in (result, expected)
    )
    ratios = [lines_alike(one, other).value for one, other in zip(actual, target, strict=False)]
    count = max(len(actual), len(target)) if strict else len(actual)
    if not count:
        return Score(0.0, "there is no file of a book")
    mean = sum(ratios) / count
    return Score(min(1.0, mean), f"{len(ratios)} of {count} files are alike by {mean:.3f}")


def _book(file: Path) -> list[str]:
    held = _members(file)
    by_name = {PurePosixPath(path).name: path for path in sorted(held, reverse=True)}
    chosen = [by_name[name] for name in ("toc.ncx", "content.opf") if name in by_name]
    chosen += [path for path in sorted(held) if path.endswith((".html", ".xhtml"))]
    said = []
    for path in chosen:
        text = given.decoded(held[path], path)
        if not path.endswith((".html", ".xhtml")):
            kept = (line for line in given.lines(text) if not IDENTIFIER.search(line))
            text = "".join(kept)
        said.append(text)
    return said


def _book_written_anew(file: Path) -> list[str]:
    """A book's files as upstream compares them, in the order of their names."""
    written: dict[str, str] = {}
    for path, content in members(given.held(file), "book.zip").items():
        if path in LEFT_OUT:
            lines = given.decoded(content, path).splitlines()
            written[path] = "\n".join(line for line in lines if LEFT_OUT[path] not in line)
        elif path.endswith(".html"):
            if "/" in path:
                raise UpstreamRaisesError(f"the page {path} is in a folder")
            written[path] = _page_written_anew(content, path)
    return [written[path] for path in sorted(written)]


def _page_written_anew(content: bytes, path: str) -> str:
    try:
        source = content.decode().replace("\n", "").replace("\r", "").encode()
        page = lxml.html.fromstring(source)
    except (UnicodeDecodeError, etree.LxmlError) as error:
        raise UpstreamRaisesError(f"{path} is no page: {error}") from error
    return str(lxml.html.tostring(page, pretty_print=True, encoding="unicode"))
