"""Tools that add, copy, move and delete slides, and set their transitions and orientation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.impress import app, slides
from ambidex.mcp_tools.impress.slides import PRESENTATION, Slide
from ambidex.mcp_tools.impress.undo import changing, place_restorer
from ambidex.mcp_tools.office import connection, documents
from ambidex.mcp_tools.office.documents import Document

__all__ = ["app"]

LAYOUTS = {
    "blank": 20,
    "title": 0,
    "title_content": 1,
    "title_two_contents": 3,
    "title_only": 19,
    "centered_text": 32,
}
"""LibreOffice's numbers of slide layouts."""
TRANSITIONS = {
    "none": ("", ""),
    "wipe": ("BARWIPE", "LEFTTORIGHT"),
    "push": ("PUSHWIPE", "FROMLEFT"),
    "cover": ("SLIDEWIPE", "FROMLEFT"),
    "fade": ("FADE", "CROSSFADE"),
    "fade_through_black": ("FADE", "FADEOVERCOLOR"),
    "dissolve": ("DISSOLVE", ""),
    "checkerboard": ("CHECKERBOARDWIPE", "ACROSS"),
    "random_bars": ("RANDOMBARWIPE", "HORIZONTAL"),
}
"""Type and subtype of each transition in com.sun.star.animations."""


@dataclass(frozen=True)
class SlideOrder:
    """The slides after a change: the number of the slide concerned, and all titles."""

    slide_index: int
    slide_count: int
    titles: list[str]


@dataclass(frozen=True)
class ShownSlide:
    """The slide shown in the window."""

    slide_index: int
    slide_count: int
    title: str


@dataclass(frozen=True)
class SlideSize:
    """The size of all slides before and after, in centimetres."""

    before: tuple[float, float]
    after: tuple[float, float]


@dataclass(frozen=True)
class Transition:
    """Transition of a slide before and after; the duration is in seconds."""

    slide_index: int
    before: str
    after: str
    duration: float


def slide_order(model: Any, number: int) -> SlideOrder:
    """The current order of slides."""
    all_slides = slides.pages(model)
    return SlideOrder(number, len(all_slides), [slides.title_of(page)[:100] for page in all_slides])


def show(model: Any, number: int) -> Any:
    """Show a slide in the window; `ToolError` if that fails."""
    page = slides.slide_at(model, number)
    controller = model.getCurrentController()
    controller.IsMasterPageMode = False
    controller.setCurrentPage(page)
    if slides.current(model) != number:
        raise no_effect(f"The window did not switch to slide {number}.")
    return page


@app.tool()
def goto_slide(slide_index: Slide, document: Document = None) -> ShownSlide:
    """Go to a slide: jump to it and show it in the editing window, to edit it by mouse and
    keyboard. Other tools do not need this.
    """
    model = documents.find(PRESENTATION, document)
    with connection.uno_errors():
        page = show(model, slide_index)
        return ShownSlide(slide_index, model.DrawPages.Count, slides.title_of(page))


@app.tool()
def insert_slide(
    position: Annotated[Optional[int], Field(ge=1, description="its number; default: last")] = None,
    layout: Annotated[
        Literal[
            "blank", "title", "title_content", "title_two_contents", "title_only", "centered_text"
        ],
        Field(description="which empty boxes it has"),
    ] = "blank",
    document: Document = None,
) -> SlideOrder:
    """Insert a new slide: add one more page to the presentation, blank or with a layout of empty
    title and content boxes for impress_write_text. It takes the design of the slide before it.
    Returns the order.
    """
    model = documents.find(PRESENTATION, document)
    with documents.editing(model, "Insert slide"):
        count = model.DrawPages.Count
        number = count + 1 if position is None else position
        if number > count + 1:
            hint = f"Allowed: 1 to {count + 1}."
            raise ToolError(f"Invalid position for a slide: {number}.", code="no_slide", hint=hint)
        page = _add_slide(model, slides.slide_at(model, max(number - 1, 1)), "InsertPage")
        page.Layout = LAYOUTS[layout]
        _move(model, page, number)
        return slide_order(model, number)


@app.tool(timeout=60)
def duplicate_slide(
    slide_index: Slide,
    target_position: Annotated[int, Field(ge=1, description="slide that the copy follows")],
    document: Document = None,
) -> SlideOrder:
    """Duplicate a slide: copy (clone) it with everything on it, notes included, after another slide
    (target_position 5 makes slide 6). Returns the copy's number and the order.
    """
    model = documents.find(PRESENTATION, document)
    with documents.editing(model, "Duplicate slide"):
        source = slides.slide_at(model, slide_index)
        slides.slide_at(model, target_position)
        copy = _add_slide(model, source, "DuplicatePage")
        _move(model, copy, target_position + 1)
        return slide_order(model, target_position + 1)


@app.tool()
def move_slide(
    slide_index: Slide,
    target_position: Annotated[int, Field(ge=1, description="its new number")],
    document: Document = None,
) -> SlideOrder:
    """Move a slide to another place to change the order of slides: first, last, before or after
    another. Returns the order.
    """
    model = documents.find(PRESENTATION, document)
    with documents.editing(model, "Move slide"):
        page = slides.slide_at(model, slide_index)
        slides.slide_at(model, target_position)
        _move(model, page, target_position)
        return slide_order(model, target_position)


# Slides are added and moved with commands of the window, which act on the slide it shows: UNO
# cannot move slides, and slides added through it cannot be undone.


def _add_slide(model: Any, page: Any, command: str) -> Any:
    """Run a command that adds a slide right after `page`; return the new slide."""
    before, number = model.DrawPages.Count, page.Number
    _select_only(model, page)
    slides.dispatch(model, command)
    if model.DrawPages.Count != before + 1:
        raise no_effect("LibreOffice did not add a slide.")
    return model.DrawPages.getByIndex(number)


def _move(model: Any, page: Any, number: int) -> None:
    """Move a slide to a number; the window shows it afterwards."""
    while page.Number != number:
        before = page.Number
        _select_only(model, page)
        slides.dispatch(model, "MovePageDown" if before < number else "MovePageUp")
        if abs(page.Number - number) != abs(before - number) - 1:
            raise no_effect(f"Slide {before} did not move.")


def _select_only(model: Any, page: Any) -> None:
    """Show a slide in the window and select no other."""
    count = model.DrawPages.Count
    if count > 1:  # via another slide: showing the current one again would keep the selection
        show(model, page.Number % count + 1)
    show(model, page.Number)


def no_effect(message: str) -> ToolError:
    """The error for a command of the window that had no effect."""
    hint = "This needs the normal view, without a slide show or a dialog: look at the screen."
    return ToolError(message, code="no_effect", hint=hint)


@app.tool()
def delete_slide(slide_index: Slide, document: Document = None) -> SlideOrder:
    """Delete a slide: remove (get rid of) a page and all on it; later slides move up. The only
    slide cannot be deleted. Returns the order.
    """
    model = documents.find(PRESENTATION, document)
    with documents.editing(model, "Delete slide"):
        page = slides.slide_at(model, slide_index)
        if model.DrawPages.Count == 1:
            raise ToolError("A presentation needs at least one slide.", code="last_slide")
        model.DrawPages.remove(page)
        return slide_order(model, min(slide_index, model.DrawPages.Count))


@app.tool(timeout=60)
def set_slide_orientation(
    orientation: Annotated[Literal["portrait", "landscape"], Field(description="upright or wide")],
    document: Document = None,
) -> SlideSize:
    """Set the page orientation of all slides: portrait (upright) or landscape (wide). Swaps width
    and height and refits the boxes. Returns the size before and after.
    """
    model = documents.find(PRESENTATION, document)
    with changing(model, "Slide orientation") as changes:
        page = model.DrawPages.getByIndex(0)
        before = (page.Width, page.Height)
        short, long = sorted(before)
        new_size = (short, long) if orientation == "portrait" else (long, short)
        if new_size != before:
            masters = [model.MasterPages.getByIndex(i) for i in range(model.MasterPages.Count)]
            all_pages = [*slides.pages(model), *masters]
            shapes = [drawn.getByIndex(i) for drawn in all_pages for i in range(drawn.Count)]
            with changes.without_undo():  # undoing LibreOffice's own record of it crashes (7.4)
                restorers = [place_restorer(shape) for shape in shapes]
                changes.do(
                    lambda: _resize(model, *new_size),
                    lambda: _restore(model, before, restorers),
                )
        after = (page.Width, page.Height)
        if after != new_size:
            raise no_effect(f"The slides did not change to {orientation}.")
        return SlideSize((before[0] / 1000, before[1] / 1000), (after[0] / 1000, after[1] / 1000))


def _restore(model: Any, size: tuple[int, int], restorers: list[Callable[[], None]]) -> None:
    _resize(model, *size)
    for restore in restorers:
        restore()


def _resize(model: Any, width: int, height: int) -> None:
    """Resize all slides, in 1/100 mm, and fit their boxes to the new size."""
    size = {"AttributePageSize.Width": width, "AttributePageSize.Height": height}
    slides.dispatch(model, "AttributePageSize", **size)


@app.tool()
def set_transition(
    transition: Annotated[
        Literal[
            "none",
            "wipe",
            "push",
            "cover",
            "fade",
            "fade_through_black",
            "dissolve",
            "checkerboard",
            "random_bars",
        ],
        Field(description="the effect; none removes it"),
    ],
    slide_index: Annotated[
        Optional[int], Field(ge=1, description="1 is the first; default: all slides")
    ] = None,
    duration: Annotated[float, Field(gt=0, le=60, description="seconds")] = 1.0,
    document: Document = None,
) -> list[Transition]:
    """Set the slide transition, the effect by which one slide or every slide changes to the next:
    fade, dissolve, wipe and so on, with duration. Returns the old and new one of each.
    """
    model = documents.find(PRESENTATION, document)
    kind, subtype = TRANSITIONS[transition]
    with changing(model, "Slide transition") as changes:
        all_slides = slides.pages(model)
        selected = all_slides if slide_index is None else [slides.slide_at(model, slide_index)]
        changed = []
        for page in selected:
            before = _transition_name(page)
            changes.set(
                page,
                TransitionType=_animation_constant("TransitionType", kind),
                TransitionSubtype=_animation_constant("TransitionSubType", subtype),
                TransitionDuration=duration,
            )
            changed.append(Transition(page.Number, before, _transition_name(page), duration))
        return changed


def _animation_constant(kind: str, name: str) -> int:
    import uno

    value: int = uno.getConstantByName(f"com.sun.star.animations.{kind}.{name}") if name else 0
    return value


def _transition_name(page: Any) -> str:
    """Name of a slide's transition; "other" if we have no name for it."""
    current = (page.TransitionType, page.TransitionSubtype)
    for name, (kind, subtype) in TRANSITIONS.items():
        if current == (
            _animation_constant("TransitionType", kind),
            _animation_constant("TransitionSubType", subtype),
        ):
            return name
    return "other" if current[0] else "none"
