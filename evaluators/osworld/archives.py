"""Metrics on archives and electronic books: which files they hold, and each beside its like."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Literal

from evaluators import Score, Unreadable
from evaluators.members import members
from evaluators.osworld import given
from evaluators.osworld.documents import Compared, alike, compared, texts
from evaluators.osworld.pdf import SAME_TEXT, pdf_text
from evaluators.osworld.records import lines_equal
from evaluators.osworld.registry import metric
from evaluators.osworld.text import lines_alike, texts_equal
from evaluators.values import shown, verdict

Members = dict[str, bytes]
Judge = Callable[[bytes, bytes, str], Score]
IDENTIFIER = re.compile(r"identifier|dtb:uid|dcterms:modified", re.IGNORECASE)


def _members(file: Path) -> Members:
    return members(given.held(file), given.file(file).name)


@metric(
    repairs=(
        "A PDF counts where its text is alike by 0.95 at least: upstream counts how alike it is, "
        "so an unrelated one earns a part.",
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
    seen, wanted = (_inside(_members(each), file_path) for each in (result, expected))
    if seen.keys() != wanted.keys():
        return Score(0.0, f"there are {sorted(seen)}, not {sorted(wanted)}")
    if not wanted:
        return Score(0.0, f"the archives hold nothing in {file_path or 'them'}")
    scores = [
        _judged(file_type, seen[name], wanted[name], name, strict=strict) for name in sorted(wanted)
    ]
    mean = sum(each.value for each in scores) / len(scores)
    return Score(min(1.0, mean), "; ".join(each.reason for each in scores[:5]))


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
    kind: str, seen: bytes | None, wanted: bytes | None, name: str, *, strict: bool
) -> Score:
    if seen is None or wanted is None:
        return Score(0.0, f"{name} is a folder")
    try:
        match kind:
            case "pdf":
                ratio = alike(pdf_text(seen, name), pdf_text(wanted, name))
                value = float(ratio >= SAME_TEXT) if strict else ratio
                return Score(value, f"{name} is alike by {ratio:.3f}")
            case "docx":
                one, other = (texts(each, name, strict=strict) for each in (seen, wanted))
                return compared(one, other, Compared(), strict=strict)
            case "csv":
                lines = (given.lines(given.decoded(each, name)) for each in (seen, wanted))
                return lines_equal(*lines)
            case _:
                return texts_equal(given.decoded(seen, name), given.decoded(wanted, name))
    except Unreadable as unreadable:
        return Score(0.0, str(unreadable))


@metric()
def compare_zip_files(result: Path, expected: Path) -> Score:
    """Two zip files hold the same names with the same bytes; PDFs, nearly the same text."""
    seen, wanted = _members(result), _members(expected)
    wrong = [f"{shown(each)} is missing" for each in sorted(wanted.keys() - seen.keys())]
    wrong += [f"{shown(each)} is there too" for each in sorted(seen.keys() - wanted.keys())]
    for name in [] if wrong else sorted(wanted):
        one, other = seen[name], wanted[name]
        if one == other:
            continue
        pdf = name.lower().endswith(".pdf")
        if not pdf or alike(pdf_text(one, name), pdf_text(other, name)) < SAME_TEXT:
            wrong.append(f"{shown(name)} differs")
    return verdict(wrong, f"all {len(wanted)} files are equal")


@metric(
    repairs=(
        "Files of the book that have no partner count nothing: upstream counts only as many as the "
        "result has, so a book without its chapters can be whole.",
    )
)
def compare_epub(result: Path, expected: Path, *, strict: bool) -> Score:
    """How alike the lines of two books' files are: table of contents, description (without
    identifiers) and pages, pair by pair."""
    seen, wanted = _book(result), _book(expected)
    ratios = [lines_alike(one, other).value for one, other in zip(seen, wanted, strict=False)]
    count = max(len(seen), len(wanted)) if strict else len(seen)
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
