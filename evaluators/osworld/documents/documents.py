"""Metrics on what documents (docx, odt) say: their texts, tables, pictures, references."""

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
"""Of a text that is compared by its ratio: the time grows with the product of both."""

FORMATS = (*PICTURES, "TIFF", "PPM")
MOST_PIXELS = 40_000_000
Switch = bool | None
"""Null is off."""


@dataclass(frozen=True)
class Compared:
    """How two documents are compared."""

    ignore_blanks: Switch = True
    ignore_case: Switch = False
    ignore_order: Switch = False
    content_only: Switch = False
    fuzzy_match: Switch = False
    delete_empty_lines: Switch = False


def alike(one: str, other: str) -> float:
    """How alike two texts are: 0 to 1, by insertions and deletions."""
    if max(len(one), len(other)) > MOST_CHARACTERS:
        raise UnreadableError(f"there are more than {MOST_CHARACTERS} characters to compare")
    return float(fuzz.ratio(one, other)) / 100


def texts(content: bytes, name: str, *, strict: bool) -> list[str]:
    """The paragraphs of a docx or odt; strictly, with those in tables (an odt's always are)."""
    package = evidence.package(content, name)
    if name.endswith(".docx"):
        return word.read_texts(package, name, tables=strict)
    if name.endswith(".odt"):
        return odt.read_texts(package, name, whole=strict)
    raise UnreadableError(f"{name} is neither .docx nor .odt")


def paragraphs(file: Path, *, strict: bool) -> list[str]:
    """The same of a collected file."""
    return texts(given.held(file), given.file(file).name, strict=strict)


TABLES = (
    "Text in a docx's tables counts, and an odt's headings, tabs and links: upstream passes them "
    "over."
)


@metric(
    repairs=(
        TABLES,
        "With `ignore_order` and `ignore_case`, case is dropped before the order: upstream sorts "
        "first, so that case still decides.",
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
    """Two documents of one kind (docx, odt) have the same text: as one text without its white
    space, or paragraph by paragraph (`ignore_blanks: false`). `content_only` and `fuzzy_match` give
    how alike they are."""
    options = Compared(
        ignore_blanks, ignore_case, ignore_order, content_only, fuzzy_match, delete_empty_lines
    )
    return same_text(result, expected, options, strict=strict)


def same_text(
    result: Path, expected: Path, options: Compared | None = None, *, strict: bool
) -> Score:
    """The comparison that other metrics begin with."""
    if given.file(result).suffix != given.file(expected).suffix:
        return Score(0.0, f"{result.name} and {expected.name} are not of one kind")
    actual, target = (paragraphs(file, strict=strict) for file in (result, expected))
    return compared(actual, target, options or Compared(), strict=strict)


def compared(actual: list[str], target: list[str], options: Compared, *, strict: bool) -> Score:
    """Two documents' paragraphs compared."""
    if options.ignore_case and strict:
        actual, target = [each.lower() for each in actual], [each.lower() for each in target]
    if options.ignore_order:
        actual, target = sorted(actual), sorted(target)
    if options.ignore_case:
        actual, target = [each.lower() for each in actual], [each.lower() for each in target]
    if options.delete_empty_lines:
        actual, target = [e for e in actual if e.strip()], [e for e in target if e.strip()]
    if options.content_only or options.ignore_blanks:
        one, other = squeezed("\n".join(actual)), squeezed("\n".join(target))
        if options.content_only or options.fuzzy_match:
            ratio = alike(one, other)
            return Score(ratio, f"the texts are alike by {ratio:.3f}")
        return texts_equal(one, other)
    if len(actual) != len(target):
        return Score(0.0, f"there are {len(actual)} paragraphs, not {len(target)}")
    if options.fuzzy_match:
        ratios = [alike(one, other) for one, other in zip(actual, target, strict=True)]
        ratio = sum(ratios) / len(ratios) if ratios else 1.0
        return Score(ratio, f"the paragraphs are alike by {ratio:.3f}")
    wrong = [
        f"paragraph {number} is {shown(one)}, not {shown(other)}"
        for number, (one, other) in enumerate(zip(actual, target, strict=True), start=1)
        if one != other
    ]
    return verdict(wrong, f"all {len(target)} paragraphs are equal")


@metric(repairs=(TABLES, "Two odt files can be compared: upstream gives 0 to them."))
def compare_docx_files_and_ignore_new_lines(
    result: Path, expected: Path, *, ignore_blanks: Switch = True, strict: bool
) -> Score:
    """Two documents have the same text, empty paragraphs left out."""
    kinds = {given.file(each).suffix for each in (result, expected)}
    if len(kinds) > 1 or (not strict and kinds != {".docx"}):
        return Score(0.0, f"{result.name} and {expected.name} are not of one kind")
    actual, target = (
        [paragraph for paragraph in paragraphs(file, strict=strict) if paragraph]
        for file in (result, expected)
    )
    return compared(actual, target, Compared(ignore_blanks=ignore_blanks), strict=strict)


@metric()
def compare_docx_tables(result: Path, expected: Path) -> Score:
    """Two documents have the same tables: as many, of the same shapes, cells with the same text."""
    actual, target = _tables(result), _tables(expected)
    if len(actual) != len(target):
        return Score(0.0, f"there are {len(actual)} tables, not {len(target)}")
    wrong = []
    for number, (one, other) in enumerate(zip(actual, target, strict=True), start=1):
        if [len(row) for row in one] != [len(row) for row in other]:
            wrong.append(f"table {number} is not of the expected shape")
            continue
        wrong += [
            f"row {row}, column {column} of table {number} says {shown(left)}, not {shown(right)}"
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
    """The cells of a table as its grid has them, each with its text."""
    return [
        [cells[row * columns + column].text.strip() for column in range(columns)]
        for row in range(rows)
    ]


@metric(
    repairs=(
        "Pictures are taken in the order in which the text shows them, with their size: upstream "
        "takes every picture the file holds, shown or not, in the file's own order, as bare bytes.",
    )
)
def compare_docx_images(result: Path, expected: Path, *, strict: bool) -> Score:
    """Two documents hold the same pictures, pixel by pixel, in order."""
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
    """Each picture's pixels and size."""
    with given.library(given.file(file).name):
        document = _document(file)
        parts = document.part.rels
        if strict:
            blips = document.element.body.iter(qn("a:blip"))
            asked = [parts[name] for blip in blips if (name := blip.get(qn("r:embed")))]
        else:
            asked = [part for part in parts.values() if "image" in part.reltype]
            if any(each.is_external for each in asked):
                raise UpstreamRaisesError(f"a picture of {file.name} lies elsewhere")
        return [_pixels(each.target_part.blob, file.name) for each in asked if not each.is_external]


def _pixels(blob: bytes, name: str) -> tuple[bytes, tuple[int, int]]:
    try:
        with open_picture(blob, formats=FORMATS, pixels=MOST_PIXELS) as picture:
            return picture.tobytes(), picture.size
    except BoundsError as error:
        raise UnreadableError(f"a picture of {name} is not judged: {error}") from error
