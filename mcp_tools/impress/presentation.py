"""LibreOffice Impress: what presentations hold, and their files. Changes are in `slide_text`,
`slide_boxes` and `slide_order`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.impress import app, slides
from ambidex.mcp_tools.impress.info import SlideInfo, slide_info
from ambidex.mcp_tools.impress.slides import PRESENTATION, Slide
from ambidex.mcp_tools.impress.undo import changing, kept
from ambidex.mcp_tools.office import connection, documents
from ambidex.mcp_tools.office.documents import Document, Saved
from ambidex.mcp_tools.waiting import wait_for

BOXES = 300
"""Boxes that one call describes at most."""
FOUND = 200
"""Places that one search lists at most."""
NOTES_PLACE = (2000, 14000, 17000, 10000)
"""Where notes go on a page from which their box was deleted: x, y, width, height in 1/100 mm."""


@dataclass(frozen=True)
class Deck:
    """An open presentation; sizes in centimetres; `path` is None if it was never saved."""

    title: str
    path: Optional[str]
    modified: bool
    slide_count: int
    current_slide: int
    width: float
    height: float
    slides: list[SlideInfo]
    left_out: list[int]
    """Slides that were asked for and are too many for one answer: ask for them by number."""


@dataclass(frozen=True)
class Found:
    """Where a text stands: a box of a slide, or its notes if `box_index` is null."""

    slide_index: int
    box_index: Optional[int]
    text: str


@dataclass(frozen=True)
class Notes:
    """The notes of a slide."""

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
    kept().clear()
    model = documents.find(PRESENTATION, document)
    with connection.answering():
        every = slides.pages(model)
        asked = page_indices if page_indices is not None else range(1, len(every) + 1)
        chosen = [slides.slide_at(model, number) for number in asked]
        listed: list[SlideInfo] = []
        left = BOXES
        for page in chosen:
            if page.Count > left and listed:
                break
            listed.append(slide_info(page, left))
            left -= page.Count
        file = documents.file_of(model)
        return Deck(
            model.Title,
            str(file) if file else None,
            model.isModified(),
            len(every),
            slides.current(model),
            every[0].Width / 1000,
            every[0].Height / 1000,
            listed,
            [page.Number for page in chosen[len(listed) :]],
        )


@app.tool(reads_only=True)
def get_slide_count(document: Document = None) -> int:
    """Count the slides: how many pages the presentation has, hidden ones included."""
    model = documents.find(PRESENTATION, document)
    with connection.answering():
        count: int = model.DrawPages.Count
        return count


@app.tool(reads_only=True, timeout=60)
def find_text(
    text: Annotated[str, Field(min_length=1, description="within one line")],
    match_case: Annotated[bool, Field(description="case-sensitive")] = False,
    document: Document = None,
) -> list[Found]:
    """Search for a word or phrase: find on which slides text appears, in boxes, tables and notes.
    Returns at most 200 lines with slide and box.
    """
    model = documents.find(PRESENTATION, document)

    def folded(line: str) -> str:
        return line if match_case else line.casefold()

    found: list[Found] = []
    with connection.answering():
        for page in slides.pages(model):
            boxes = [(index, page.getByIndex(index)) for index in range(page.Count)]
            said = [(index, each) for index, box in boxes for each in slides.texts(box)]
            for index, each in [*said, (None, slides.notes_of(page))]:
                for line in each.String.split("\n") if each is not None else ():
                    if folded(text) in folded(line):
                        found.append(Found(page.Number, index, line[:500]))
    return found[:FOUND]


@app.tool(reads_only=True)
def get_notes(slide_index: Slide, document: Document = None) -> Notes:
    """Read the speaker notes (presenter notes) of a slide."""
    model = documents.find(PRESENTATION, document)
    with connection.answering():
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
        said = box.String + notes if append else notes
        changes.rewrite(box, lambda: box.setString(said))
    return get_notes(slide_index, document)


def _nothing(_: object) -> None:
    """A new box needs no more."""


@app.tool()
def undo(document: Document = None) -> str:
    """Undo the last change to a presentation (Ctrl+Z), whoever made it: take back an edit to the
    slides. A tool call is one step.
    """
    model = documents.find(PRESENTATION, document)
    try:
        return documents.undo(model)
    except ToolError as error:
        # An office that has just lost a connection may need a moment for the next.
        if error.code != "gone" or not wait_for(connection.listens, 5.0):
            raise
        message = "What made the last changes is gone, so they cannot be taken back."
        raise ToolError(message, code="too_late", hint="Change it by hand.") from None


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
