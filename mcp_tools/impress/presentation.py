"""Tools that open, describe, search, save and export presentations, and edit speaker notes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.impress import app, slides
from ambidex.mcp_tools.impress.info import SlideInfo, slide_info
from ambidex.mcp_tools.impress.slides import PRESENTATION, Slide
from ambidex.mcp_tools.impress.undo import changing, held_ranges
from ambidex.mcp_tools.office import connection, documents
from ambidex.mcp_tools.office.documents import Document, Saved
from ambidex.mcp_tools.waiting import wait_for

MAX_BOXES = 300
"""Maximum number of boxes that one call describes."""
MAX_MATCHES = 200
"""Maximum number of matches that a search returns."""
NOTES_PLACE = (2000, 14000, 17000, 10000)
"""Place of a new notes box if the old one was deleted: x, y, width, height in 1/100 mm."""


@dataclass(frozen=True)
class Deck:
    """An open presentation. Sizes are in centimetres; `path` is None if it was never saved."""

    title: str
    path: Optional[str]
    modified: bool
    slide_count: int
    current_slide: int
    width: float
    height: float
    slides: list[SlideInfo]
    left_out: list[int]
    """Requested slides that did not fit into the answer: request them by number."""


@dataclass(frozen=True)
class TextMatch:
    """A line that matches, in a box of a slide, or in its notes if `box_index` is null."""

    slide_index: int
    box_index: Optional[int]
    text: str


@dataclass(frozen=True)
class Notes:
    """The speaker notes of a slide."""

    slide_index: int
    notes: str


@app.tool(timeout=documents.OPENS_WITHIN)
def open_presentation(path: Annotated[str, Field(description="such as ~/talk.pptx")]) -> Deck:
    """Open or load a presentation file (pptx PowerPoint, odp) in Impress to edit it, and make it
    the active one. Returns its slides as impress_env_info does.
    """
    model = documents.open_file(PRESENTATION, path)
    return env_info(document=str(documents.file_of(model)))


@app.tool(reads_only=True, timeout=60)
def env_info(
    page_indices: Annotated[
        Optional[list[Slide]],
        Field(description="slide numbers, 1 is the first; default: all"),
    ] = None,
    document: Document = None,
) -> Deck:
    """Show what is on the slides: an overview of page size and, per slide, title, notes, background
    and boxes with index, position in cm, text, font and fill. Call it before changing slides and
    again to check. At most 300 boxes.
    """
    held_ranges().clear()
    try:
        return _deck(document, page_indices)
    finally:
        held_ranges().clear()


def _deck(document: Optional[str], page_indices: Optional[list[int]]) -> Deck:
    model = documents.find(PRESENTATION, document)
    with connection.uno_errors():
        all_slides = slides.pages(model)
        requested = page_indices if page_indices is not None else range(1, len(all_slides) + 1)
        selected = [slides.slide_at(model, number) for number in requested]
        listed: list[SlideInfo] = []
        boxes_left = MAX_BOXES
        for page in selected:
            if page.Count > boxes_left and listed:
                break
            listed.append(slide_info(page, boxes_left))
            boxes_left -= page.Count
        file = documents.file_of(model)
        return Deck(
            model.Title,
            str(file) if file else None,
            model.isModified(),
            len(all_slides),
            slides.current(model),
            all_slides[0].Width / 1000,
            all_slides[0].Height / 1000,
            listed,
            [page.Number for page in selected[len(listed) :]],
        )


@app.tool(reads_only=True)
def get_slide_count(document: Document = None) -> int:
    """Count the slides: how many pages the presentation has, hidden ones included."""
    model = documents.find(PRESENTATION, document)
    with connection.uno_errors():
        count: int = model.DrawPages.Count
        return count


@app.tool(reads_only=True, timeout=60)
def find_text(
    text: Annotated[str, Field(min_length=1, description="within one line")],
    match_case: Annotated[bool, Field(description="case-sensitive")] = False,
    document: Document = None,
) -> list[TextMatch]:
    """Search for a word or phrase: find on which slides text appears, in boxes, tables and notes.
    Returns at most 200 lines with slide and box.
    """
    model = documents.find(PRESENTATION, document)

    def folded(line: str) -> str:
        return line if match_case else line.casefold()

    matches: list[TextMatch] = []
    with connection.uno_errors():
        for page in slides.pages(model):
            boxes = [(index, page.getByIndex(index)) for index in range(page.Count)]
            texts = [(index, text_box) for index, box in boxes for text_box in slides.texts(box)]
            for index, text_box in [*texts, (None, slides.notes_of(page))]:
                for line in text_box.String.split("\n") if text_box is not None else ():
                    if folded(text) in folded(line):
                        matches.append(TextMatch(page.Number, index, line[:500]))
    return matches[:MAX_MATCHES]


@app.tool(reads_only=True)
def get_notes(slide_index: Slide, document: Document = None) -> Notes:
    """Read the speaker notes (presenter notes) of a slide."""
    model = documents.find(PRESENTATION, document)
    with connection.uno_errors():
        box = slides.notes_of(slides.slide_at(model, slide_index))
        return Notes(slide_index, box.String if box is not None else "")


@app.tool()
def set_notes(
    slide_index: Slide,
    notes: Annotated[str, Field(max_length=50000, description="a newline starts a paragraph")],
    append: Annotated[bool, Field(description="add to the existing notes")] = False,
    document: Document = None,
) -> Notes:
    """Write, add or replace the speaker notes (presenter notes) of a slide. Empty text deletes
    them; `append` adds to them. Returns the new notes.
    """
    model = documents.find(PRESENTATION, document)
    with changing(model, f"Notes of slide {slide_index}") as changes:
        page = slides.slide_at(model, slide_index)
        box = slides.notes_of(page)
        if box is None:
            box = changes.add(
                page.NotesPage, lambda: model.createInstance(slides.NOTES), NOTES_PLACE, _nothing
            )
        new_text = box.String + notes if append else notes
        changes.rewrite(box, lambda: box.setString(new_text))
    return get_notes(slide_index, document)


def _nothing(_: object) -> None:
    """A new notes box needs no further preparation."""


@app.tool()
def undo(document: Document = None) -> str:
    """Undo the last change to a presentation (Ctrl+Z), whoever made it: take back an edit to the
    slides. A tool call is one step.
    """
    model = documents.find(PRESENTATION, document)
    try:
        return documents.undo(model)
    except ToolError as error:
        # After losing a connection, LibreOffice may need a moment before it accepts another.
        if error.code != "gone" or not wait_for(connection.is_answering, 5.0):
            raise
        message = "The process that recorded the last changes is gone, so they cannot be undone."
        raise ToolError(message, code="too_late", hint="Revert them by hand.") from None


@app.tool(timeout=60)
def save(document: Document = None) -> Saved:
    """Save the presentation (Ctrl+S): write the slides to its own file, in its format, without a
    dialog.
    """
    return documents.save(documents.find(PRESENTATION, document))


@app.tool(timeout=60)
def save_as(
    file_path: Annotated[str, Field(description="ends in .pptx .odp .ppt .ppsx .otp or .fodp")],
    overwrite: Annotated[bool, Field(description="replace an existing file")] = False,
    document: Document = None,
) -> Saved:
    """Save a presentation under another name or in another format, which converts it (pptx
    PowerPoint, odp); the window then shows that file. For PDF use impress_export_to_pdf.
    """
    model = documents.find(PRESENTATION, document)
    return documents.save_as(model, PRESENTATION, file_path, overwrite)


@app.tool(timeout=120)
def export_to_pdf(
    file_path: Annotated[
        Optional[str], Field(description="default: next to the file itself")
    ] = None,
    overwrite: Annotated[bool, Field(description="replace an existing file")] = False,
    document: Document = None,
) -> Saved:
    """Export the presentation as PDF, one page per slide, to send or hand out; the presentation
    stays unchanged.
    """
    model = documents.find(PRESENTATION, document)
    return documents.export_pdf(model, "impress_pdf_Export", file_path, overwrite)
