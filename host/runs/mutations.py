"""Mutations of the evidence of a solved trial that destroy what a check looks at.

dropped    the piece of evidence is missing
emptied    it has no byte
cut        only its first half is left
planted    it exists, where the check wants it not to
untouched  it is the piece of a trial in which nothing was done, if the check fails on that trial
altered    the check expects another value in one place, which is the same as evidence with one
           wrong value, in any format; where it expects the rest of a file to be as before, one
           thing in the file before is another

Only a mutation after which the check *must* fail is made: `cut` of a format that cannot be read in
part (packages, JSON, pictures) or of a text that is compared as a whole, `emptied` not of a file
that need only exist, `altered` of arguments that name what is required. So every check that still
passes is a false pass.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, get_args

from ambidex.evaluators import Score
from ambidex.evaluators.formulas.recomputed import FOLDER
from ambidex.evaluators.registry import bind, evidence_name, named
from ambidex.tasks.spec import Check

__all__ = ["KINDS", "Kind", "Mutation", "mutations"]

Kind = Literal["dropped", "emptied", "cut", "planted", "untouched", "altered"]
KINDS: tuple[Kind, ...] = get_args(Kind)

ABSENT, EXISTS, SAME = "files.absent", "files.exists", "files.same_bytes"
WHOLE = (SAME, "files.text_equals")
"""Evaluators that compare all of a text or file."""
PACKAGE, PICTURE = b"PK\x03\x04", (b"\x89PNG", b"\xff\xd8\xff")
REQUIRED: Mapping[str, tuple[str, ...]] = {
    "spreadsheet.cells_equal": ("cells",),
    "spreadsheet.cells_formatted": ("bold", "fill", "font_color", "alignment"),
    "spreadsheet.formulas_equal": ("formulas",),
    "spreadsheet.frozen": ("rows", "columns"),
    "spreadsheet.sheets_equal": ("names",),
    "document.paragraphs_equal": ("paragraphs",),
    "document.contains": ("texts",),
    "document.formatted": ("bold", "italic", "underline", "size", "font", "color"),
    "document.aligned": ("alignment",),
    "document.headings_equal": ("headings",),
    "presentation.slides_equal": ("slides",),
    "presentation.notes_equal": ("notes",),
    "presentation.hidden": ("slides",),
    "presentation.slides_taken": ("slides",),
    "review.comments_equal": ("comments",),
    "review.comments_placed": ("places",),
    "answer.states": ("facts",),
    "sqlite.changes": ("added", "changed"),
    "sqlite.contains": ("rows",),
    "database.rows": ("rows",),
    "forge.changes": ("values",),
    "tracker.changes": ("values",),
    "company.chat": ("values",),
    "company.documents": ("values",),
    "company.calendar": ("values",),
    "files.text_equals": ("text",),
    "files.text_contains": ("texts",),
    "files.listing_equals": ("paths",),
    "files.archive_holds": ("texts",),
    "output.json_fields_equal": ("fields",),
    "output.setting_equals": ("value",),
    "vlc.playlist_equals": ("media",),
    "vlc.player_is": ("state", "media", "volume", "loop", "shuffle", "rate"),
    "image.size_equals": ("width", "height"),
}
"""Arguments by evaluator that evidence with a score of 1 must meet, each value of them."""


@dataclass(frozen=True)
class Mutation:
    """One way to destroy what a check looks at."""

    kind: Kind
    what: str
    """The piece of evidence, or the argument."""
    check: Callable[[Path], Score]
    """What judges the mutated evidence."""
    change: Callable[[Path], None]
    """Changes a copy of the evidence directory."""

    @contextmanager
    def applied(self, evidence: Path) -> Iterator[Path]:
        """A mutated copy of the evidence."""
        with TemporaryDirectory(prefix="ambidex-mutated-") as scratch:
            copy = Path(scratch) / "evidence"
            shutil.copytree(evidence, copy, symlinks=True)
            self.change(copy)
            yield copy


def mutations(
    check: Check,
    bound: Callable[[Path], Score],
    folder: Path,
    evidence: Path,
    untouched: Path | None,
) -> Iterator[Mutation]:
    """All mutations of the evidence that a check must refuse. `bound` is the check with its
    arguments, `folder` the task's directory, `untouched` the evidence of a trial in which nothing
    was done and on which the check fails; None if there is none."""
    name = evidence_name(check.use, check.with_)
    piece = evidence / name
    if check.use == ABSENT:
        yield Mutation("planted", name, bound, lambda copy: _write(copy, name, b"planted\n"))
        return
    if name and not piece.is_file():
        return
    if name:
        yield from _of_piece(check.use, bound, name, piece.read_bytes(), untouched)
    for what, arguments in _altered(check):
        try:
            altered = bind(check.use, arguments, folder)
        except ValueError:  # the argument does not take such a value
            continue
        yield Mutation("altered", what, altered, lambda copy: None)
    yield from _of_original(check, folder)


def _of_piece(
    use: str,
    bound: Callable[[Path], Score],
    name: str,
    content: bytes,
    untouched: Path | None,
) -> Iterator[Mutation]:
    """The mutations of the piece of evidence that a check reads."""
    yield Mutation("dropped", name, bound, lambda copy: _write(copy, name, None))
    if use != EXISTS and content.strip():
        yield Mutation("emptied", name, bound, lambda copy: _write(copy, name, b""))
        if _is_whole(use, content):
            half = content[: len(content) // 2]
            yield Mutation("cut", name, bound, lambda copy: _write(copy, name, half))
    if untouched is not None:
        other = (untouched / name).read_bytes() if (untouched / name).is_file() else None
        computed = untouched / FOLDER / name
        if other != content:
            recomputed = computed.read_bytes() if computed.is_file() else None
            yield Mutation(
                "untouched",
                name,
                bound,
                lambda copy: _write(copy, name, other, recomputed=recomputed),
            )


def _write(
    evidence: Path, name: str, content: bytes | None, *, recomputed: bytes | None = None
) -> None:
    """Replace a piece of evidence, or remove it; its recomputed copy goes with it."""
    for place, new in ((evidence / name, content), (evidence / FOLDER / name, recomputed)):
        place.unlink(missing_ok=True)
        if new is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(new)


def _is_whole(use: str, content: bytes) -> bool:
    """Whether half of the content can never do."""
    if content.startswith((PACKAGE, *PICTURE)) or use == SAME:
        return True
    if use in WHOLE:
        return len(content.strip()) > len(content) // 2 + 1
    return content.lstrip()[:1] in (b"{", b"[") and content.rstrip()[-1:] in (b"}", b"]")


def _altered(check: Check) -> Iterator[tuple[str, dict[str, object]]]:
    """The check's arguments with one required value changed, and where."""
    arguments: dict[str, Any] = check.with_
    for argument in REQUIRED.get(check.use, ()):
        if arguments.get(argument) is None:
            continue
        value = arguments[argument]
        choices = _choices(check.use, argument)
        match value:
            case dict():
                changed: list[tuple[str, object]] = [
                    (f"{argument}.{key}", {**value, key: _other(inner)})
                    for key, inner in value.items()
                ]
            case list():
                changed = [
                    (f"{argument}[{at}]", [*value[:at], _other(inner), *value[at + 1 :]])
                    for at, inner in enumerate(value)
                ]
            case _ if choices:
                others = [choice for choice in choices if choice != value]
                changed = [(argument, others[0])]
            case _:
                changed = [(argument, _other(value))]
        for where, new in changed:
            yield where, {**arguments, argument: new}


def _of_original(check: Check, folder: Path) -> Iterator[Mutation]:
    """A check of the rest of a file against an original in which one thing is another, each in
    turn. There are none if nothing in the original is certain to be compared, and none of .odt
    files, which are not written here.
    """
    arguments: dict[str, Any] = check.with_
    alter: Callable[[Path, str, Mapping[str, Any], Path], None]
    things: tuple[str, ...]
    match check.use:
        case "spreadsheet.rest_unchanged":
            original = folder / arguments["original"]
            alter, things = _alter_workbook, ("value", "fill", "bold", "comment", "row")
            if _fixed_cell(original, arguments) is None:
                return
        case "document.rest_unchanged":
            original = folder / arguments["original"]
            alter = _alter_document
            things = ("strike", "highlight", "size", "color", "alignment", "comment")
            if original.suffix.lower() != ".docx":
                return
        case _:
            return
    name = f"altered-{original.name}"
    judge = partial(_judge_beside, check.use, {**arguments, "original": name})
    for thing in things:
        if thing == "comment" and arguments.get("commented"):
            continue

        def change(copy: Path, thing: str = thing) -> None:
            alter(original, thing, arguments, copy / name)

        yield Mutation("altered", f"original, {thing}", judge, change)


def _judge_beside(use: str, arguments: dict[str, object], evidence: Path) -> Score:
    """The verdict on evidence that has the task's file beside it."""
    return bind(use, arguments, evidence)(evidence)


def _fixed_cell(original: Path, arguments: Mapping[str, Any]) -> tuple[str, str] | None:
    """Sheet and name of the first cell with a value that may not change; None if there is none."""
    import openpyxl
    from openpyxl.worksheet.cell_range import CellRange

    changed = arguments.get("changed") or {}
    for sheet in openpyxl.load_workbook(original).worksheets:
        free = [CellRange(area) for area in changed.get(sheet.title, ())]
        for row in sheet.iter_rows():
            for cell in row:
                if cell.value is not None and not any(cell.coordinate in area for area in free):
                    return sheet.title, cell.coordinate
    return None


def _alter_workbook(
    original: Path, thing: str, arguments: Mapping[str, Any], altered: Path
) -> None:
    """Save a workbook with one thing of the first cell changed that may not change."""
    import openpyxl
    from openpyxl.comments import Comment
    from openpyxl.styles import Font, PatternFill

    place = _fixed_cell(original, arguments)
    assert place
    book = openpyxl.load_workbook(original)
    sheet = book[place[0]]
    cell = sheet[place[1]]
    match thing:
        case "value":
            cell.value = f"{cell.value} altered"
        case "fill":
            cell.fill = PatternFill("solid", fgColor="FF12AB34")
        case "bold":
            cell.font = Font(name=cell.font.name, size=cell.font.size, bold=not cell.font.bold)
        case "comment":
            cell.comment = Comment("altered", "Ambidex")
        case _:
            sheet.row_dimensions[cell.row].hidden = True
    book.save(altered)


def _alter_document(
    original: Path, thing: str, arguments: Mapping[str, Any], altered: Path
) -> None:
    """Save a document with one thing changed in all paragraphs, since it is not known which of
    them the agent rewrote.
    """
    import docx
    from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_COLOR_INDEX
    from docx.oxml.ns import qn
    from docx.shared import Pt, RGBColor
    from docx.text.paragraph import Paragraph

    document = docx.Document(str(original))
    body = document.element.body.iter(qn("w:p"))
    paragraphs = [Paragraph(element, document._body) for element in body]
    for paragraph in paragraphs:
        if paragraph.text.strip() in (arguments.get("restyled") or ()):
            continue
        if thing == "alignment":
            centred = paragraph.alignment == WD_ALIGN_PARAGRAPH.CENTER
            paragraph.alignment = WD_ALIGN_PARAGRAPH.LEFT if centred else WD_ALIGN_PARAGRAPH.CENTER
        for run in paragraph.runs:
            match thing:
                case "strike":
                    run.font.strike = not run.font.strike
                case "highlight":
                    run.font.highlight_color = WD_COLOR_INDEX.YELLOW
                case "size":
                    run.font.size = Pt(37)
                case "color":
                    run.font.color.rgb = RGBColor(0x12, 0xAB, 0x34)
    if thing == "comment":
        runs = next(paragraph.runs for paragraph in paragraphs if paragraph.runs)
        document.add_comment(runs, "altered", author="Ambidex")
    document.save(str(altered))


def _choices(use: str, argument: str) -> list[object]:
    """The values that an argument allows, if they are few."""
    annotation = named(use).model.model_fields[argument].annotation
    members = get_args(annotation)
    return [one for member in members for one in get_args(member) if isinstance(one, str)]


def _other(value: object) -> object:
    """A value of the same type that differs by more than any tolerance."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1000
        case str() if re.fullmatch("[0-9A-F]{6}", value):
            return "12AB34" if value != "12AB34" else "34AB12"
        case str():
            return f"{value} altered"
        case list():
            return [_other(inner) for inner in value]
        case dict():
            return {key: _other(inner) for key, inner in value.items()}
        case _:
            return json.dumps(str(value))
