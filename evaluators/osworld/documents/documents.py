"""Metrics on the content of documents (docx, odt): texts, tables and pictures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docx.document import Document
from docx.oxml.ns import qn
from rapidfuzz import fuzz

from ambidex.evaluators import Score, UnreadableError, evidence
from ambidex.evaluators.bounded import PICTURES, BoundsError, open_picture
from ambidex.evaluators.osworld import given
from ambidex.evaluators.osworld.documents import odt, word
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.osworld.text import squeezed, texts_equal
from ambidex.evaluators.values import shown, verdict

MOST_CHARACTERS = 1_000_000
"""Maximum length of texts to compare by similarity: the time grows with the product of both."""

FORMATS = (*PICTURES, "TIFF", "PPM")
MOST_PIXELS = 40_000_000
Switch = bool | None
"""An option of a task; null means off."""


@dataclass(frozen=True)
class TextOptions:
    """Options for comparing the paragraphs of two documents."""

    ignore_blanks: Switch = True
    ignore_case: Switch = False
    ignore_order: Switch = False
    content_only: Switch = False
    fuzzy_match: Switch = False
    delete_empty_lines: Switch = False


def similarity(one: str, other: str) -> float:
    """The similarity of two texts, from 0 to 1, by insertions and deletions."""
    if max(len(one), len(other)) > MOST_CHARACTERS:
        raise UnreadableError(f"there are more than {MOST_CHARACTERS} characters to compare")
    return float(fuzz.ratio(one, other)) / 100


def texts(content: bytes, name: str, *, strict: bool) -> list[str]:
    """The paragraphs of a docx or odt; with `strict`, a docx's tables too (an odt's always
    count)."""
    package = evidence.package(content, name)
    if name.endswith(".docx"):
        return word.read_texts(package, name, tables=strict)
    if name.endswith(".odt"):
        return odt.read_texts(package, name, complete=strict)
    raise UnreadableError(f"{name} is neither .docx nor .odt")


def paragraphs(file: Path, *, strict: bool) -> list[str]:
    """The paragraphs of a collected document; see `texts`."""
    return texts(given.read_bytes(file), given.file(file).name, strict=strict)


TABLES = (
    "Text in the tables of a docx, and headings, tabs and links of an odt, count: upstream skips "
    "all of these."
)


@metric(
    repairs=(
        TABLES,
        "With `ignore_order` and `ignore_case`, case is dropped before sorting: upstream sorts "
        "first, so that case still matters.",
    )
)
def compare_docx_files(
    result: Path,
    expected: Path,
    *,
    ignore_blanks: Switch = True,
    ignore_case: Switch = False,
    ignore_order: Switch = False,
    content_only: Switch = False,
    fuzzy_match: Switch = False,
    delete_empty_lines: Switch = False,
    strict: bool,
) -> Score:
    """Two documents of one format (docx, odt) have the same text: as one text with white space
    collapsed, or paragraph by paragraph (`ignore_blanks: false`). With `content_only` or
    `fuzzy_match`, the score is their similarity."""
    options = TextOptions(
        ignore_blanks, ignore_case, ignore_order, content_only, fuzzy_match, delete_empty_lines
    )
    return same_text(result, expected, options, strict=strict)


def same_text(
    result: Path, expected: Path, options: TextOptions | None = None, *, strict: bool
) -> Score:
    """Compare the texts of two documents; other metrics start with this."""
    if given.file(result).suffix != given.file(expected).suffix:
        return Score(0.0, f"{result.name} and {expected.name} have different formats")
    actual, target = (paragraphs(file, strict=strict) for file in (result, expected))
    return compared(actual, target, options or TextOptions(), strict=strict)


def compared(actual: list[str], target: list[str], options: TextOptions, *, strict: bool) -> Score:
    """Compare the paragraphs of two documents."""
    if options.ignore_case and strict:
        actual, target = [text.lower() for text in actual], [text.lower() for text in target]
    if options.ignore_order:
        actual, target = sorted(actual), sorted(target)
    if options.ignore_case:
        actual, target = [text.lower() for text in actual], [text.lower() for text in target]
    if options.delete_empty_lines:
        actual, target = [e for e in actual if e.strip()], [e for e in target if e.strip()]
    if options.content_only or options.ignore_blanks:
        one, other = squeezed("\n".join(actual)), squeezed("\n".join(target))
        if options.content_only or options.fuzzy_match:
            ratio = similarity(one, other)
            return Score(ratio, f"the similarity of the texts is {ratio:.3f}")
        return texts_equal(one, other)
    if len(actual) != len(target):
        return Score(0.0, f"there are {len(actual)} paragraphs, not {len(target)}")
    if options.fuzzy_match:
        ratios = [similarity(one, other) for one, other in zip(actual, target, strict=True)]
        ratio = sum(ratios) / len(ratios) if ratios else 1.0
        return Score(ratio, f"the similarity of the paragraphs is {ratio:.3f}")
    wrong = [
        f"paragraph {number} is {shown(one)}, not {shown(other)}"
        for number, (one, other) in enumerate(zip(actual, target, strict=True), start=1)
        if one != other
    ]
    return verdict(wrong, f"all {len(target)} paragraphs are equal")


@metric(repairs=(TABLES, "Two odt files can be compared: upstream scores two odt files 0."))
def compare_docx_files_and_ignore_new_lines(
    result: Path, expected: Path, *, ignore_blanks: Switch = True, strict: bool
) -> Score:
    """Two documents have the same text, ignoring empty paragraphs."""
    kinds = {given.file(file).suffix for file in (result, expected)}
    if len(kinds) > 1 or (not strict and kinds != {".docx"}):
        return Score(0.0, f"{result.name} and {expected.name} have different formats")
    actual, target = (
        [paragraph for paragraph in paragraphs(file, strict=strict) if paragraph]
        for file in (result, expected)
    )
    return compared(actual, target, TextOptions(ignore_blanks=ignore_blanks), strict=strict)


@metric()
def compare_docx_tables(result: Path, expected: Path) -> Score:
    """Two documents have the same tables, with the same dimensions and the same text in cells."""
    actual, target = _tables(result), _tables(expected)
    if len(actual) != len(target):
        return Score(0.0, f"there are {len(actual)} tables, not {len(target)}")
    wrong = []
    for number, (one, other) in enumerate(zip(actual, target, strict=True), start=1):
        if [len(row) for row in one] != [len(row) for row in other]:
            wrong.append(f"table {number} does not have the expected dimensions")
            continue
        wrong += [
            f"row {row}, column {column} of table {number} reads {shown(left)}, not {shown(right)}"
            for row, (lefts, rights) in enumerate(zip(one, other, strict=True), start=1)
            for column, (left, right) in enumerate(zip(lefts, rights, strict=True), start=1)
            if left != right
        ]
    return verdict(wrong, f"all {len(target)} tables are equal")


def _document(file: Path) -> Document:
    return word.opened(given.office(file), given.file(file).name)


def _tables(file: Path) -> list[list[list[str]]]:
    with given.library(given.file(file).name):
        document: Any = _document(file)
        return [
            _rows(table._cells, len(table.rows), len(table.columns)) for table in document.tables
        ]


def _rows(cells: list[Any], rows: int, columns: int) -> list[list[str]]:
    """The texts of a table's cells as a grid."""
    return [
        [cells[row * columns + column].text.strip() for column in range(columns)]
        for row in range(rows)
    ]


@metric(
    repairs=(
        "Pictures are compared with their size, in the order of the text: upstream compares the "
        "bytes of all pictures in the file, shown or not, in the file's own order.",
    )
)
def compare_docx_images(result: Path, expected: Path, *, strict: bool) -> Score:
    """Two documents have the same pictures, pixel by pixel, in order."""
    actual, target = (_pictures(file, strict=strict) for file in (result, expected))
    if len(actual) != len(target):
        return Score(0.0, f"there are {len(actual)} pictures, not {len(target)}")
    wrong = [
        f"picture {number} differs"
        for number, (one, other) in enumerate(zip(actual, target, strict=True), start=1)
        if one[0] != other[0] or (strict and one[1] != other[1])
    ]
    return verdict(wrong, f"all {len(target)} pictures are equal")


def _pictures(file: Path, *, strict: bool) -> list[tuple[bytes, tuple[int, int]]]:
    """The pixels and the size of each picture."""
    with given.library(given.file(file).name):
        document = _document(file)
        parts = document.part.rels
        if strict:
            blips = document.element.body.iter(qn("a:blip"))
            images = [parts[name] for blip in blips if (name := blip.get(qn("r:embed")))]
        else:
            images = [part for part in parts.values() if "image" in part.reltype]
            if any(image.is_external for image in images):
                raise UpstreamRaisesError(f"a picture of {file.name} is stored outside the file")
        return [
            _pixels(image.target_part.blob, file.name) for image in images if not image.is_external
        ]


def _pixels(blob: bytes, name: str) -> tuple[bytes, tuple[int, int]]:
    try:
        with open_picture(blob, formats=FORMATS, pixels=MOST_PIXELS) as picture:
            return picture.tobytes(), picture.size
    except BoundsError as error:
        raise UnreadableError(f"a picture in {name} cannot be compared: {error}") from error
