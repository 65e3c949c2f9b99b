"""LibreOffice Impress: slides come, go and move; how they follow each other; their format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.impress import app, slides
from ambidex.mcp_tools.impress.slides import PRESENTATION, Slide
from ambidex.mcp_tools.impress.undo import changing, keeping_place
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
"""An office's numbers of them."""
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
"""By name: the type and the subtype that com.sun.star.animations calls it."""


@dataclass(frozen=True)
class Order:
    """The slides after a change: the number of the one that was worked on, and all titles."""

    slide_index: int
    slide_count: int
    titles: list[str]


@dataclass(frozen=True)
class Shown:
    """The slide that the window shows."""

    slide_index: int
    slide_count: int
    title: str


@dataclass(frozen=True)
class Format:
    """The size of all slides before and after, in centimetres."""

    before: tuple[float, float]
    after: tuple[float, float]


@dataclass(frozen=True)
class Transition:
    """How a slide appears, before and after; seconds."""

    slide_index: int
    before: str
    after: str
    duration: float


def order(model: Any, number: int) -> Order:
    """How the slides follow each other now."""
    every = slides.pages(model)
    return Order(number, len(every), [slides.title_of(page)[:100] for page in every])


def show(model: Any, number: int) -> Any:
    """Have the window show a slide; `ToolError` if it does not."""
    page = slides.slide_at(model, number)
    controller = model.getCurrentController()
    controller.IsMasterPageMode = False
    controller.setCurrentPage(page)
    if slides.current(model) != number:
        raise in_the_way(f"Slide {number} is not shown.")
    return page


@app.tool()
def goto_slide(slide_index: Slide, document: Document = None) -> Shown:
    """Go to a slide: jump to it and show it in the editing window, to edit it by mouse and
    keyboard. Other tools do not need this.
    """
    model = documents.find(PRESENTATION, document)
    with connection.answering():
        page = show(model, slide_index)
        return Shown(slide_index, model.DrawPages.Count, slides.title_of(page))


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
) -> Order:
    """Insert a new slide: add one more page to the presentation, blank or with a layout of empty
    title and content boxes for impress_write_text. It takes the design of the slide before it.
    Returns the order.
    """
    model = documents.find(PRESENTATION, document)
    with documents.editing(model, "Insert slide"):
        count = model.DrawPages.Count
        number = count + 1 if position is None else position
        if number > count + 1:
            hint = f"It can become one of 1 to {count + 1}."
            raise ToolError(f"No slide can be number {number}.", code="no_slide", hint=hint)
        page = _added(model, slides.slide_at(model, max(number - 1, 1)), "InsertPage")
        page.Layout = LAYOUTS[layout]
        _move(model, page, number)
        return order(model, number)


@app.tool(timeout=60)
def duplicate_slide(
    slide_index: Slide,
    target_position: Annotated[int, Field(ge=1, description="slide that the copy follows")],
    document: Document = None,
) -> Order:
    """Duplicate a slide: copy (clone) it with everything on it, notes included, after another slide
    (target_position 5 makes slide 6). Returns the copy's number and the order.
    """
    model = documents.find(PRESENTATION, document)
    with documents.editing(model, "Duplicate slide"):
        source = slides.slide_at(model, slide_index)
        slides.slide_at(model, target_position)
        copy = _added(model, source, "DuplicatePage")
        _move(model, copy, target_position + 1)
        return order(model, target_position + 1)


@app.tool()
def move_slide(
    slide_index: Slide,
    target_position: Annotated[int, Field(ge=1, description="its new number")],
    document: Document = None,
) -> Order:
    """Move a slide to another place to change the order of slides: first, last, before or after
    another. Returns the order.
    """
    model = documents.find(PRESENTATION, document)
    with documents.editing(model, "Move slide"):
        page = slides.slide_at(model, slide_index)
        slides.slide_at(model, target_position)
        _move(model, page, target_position)
        return order(model, target_position)


# Slides are added and moved by commands of the window, which work on what it shows: through UNO
# they cannot be moved at all, and what is added cannot be undone.


def _added(model: Any, page: Any, command: str) -> Any:
    """The new slide that a command puts right after that one."""
    before, number = model.DrawPages.Count, page.Number
    _alone(model, page)
    slides.dispatch(model, command)
    if model.DrawPages.Count != before + 1:
        raise in_the_way("No slide was added.")
    return model.DrawPages.getByIndex(number)


def _move(model: Any, page: Any, number: int) -> None:
    """Have a slide that number; the window shows it then."""
    while page.Number != number:
        before = page.Number
        _alone(model, page)
        slides.dispatch(model, "MovePageDown" if before < number else "MovePageUp")
        if abs(page.Number - number) != abs(before - number) - 1:
            raise in_the_way(f"Slide {before} does not move.")


def _alone(model: Any, page: Any) -> None:
    """Have the window show a slide and no other one selected."""
    count = model.DrawPages.Count
    if count > 1:  # another one first: who is shown already keeps others selected beside it
        show(model, page.Number % count + 1)
    show(model, page.Number)


def in_the_way(message: str) -> ToolError:
    """A command of the window had no effect."""
    hint = "It needs the normal view, without a slide show or a dialog: look at the screen."
    return ToolError(message, code="no_effect", hint=hint)


@app.tool()
def delete_slide(slide_index: Slide, document: Document = None) -> Order:
    """Delete a slide: remove (get rid of) a page and all on it; later slides move up. The only
    slide cannot be deleted. Returns the order.
    """
    model = documents.find(PRESENTATION, document)
    with documents.editing(model, "Delete slide"):
        page = slides.slide_at(model, slide_index)
        if model.DrawPages.Count == 1:
            raise ToolError("A presentation keeps at least one slide.", code="last_slide")
        model.DrawPages.remove(page)
        return order(model, min(slide_index, model.DrawPages.Count))


@app.tool(timeout=60)
def set_slide_orientation(
    orientation: Annotated[Literal["portrait", "landscape"], Field(description="upright or wide")],
    document: Document = None,
) -> Format:
    """Set the page orientation of all slides: portrait (upright) or landscape (wide). Swaps width
    and height and refits the boxes. Returns the size before and after.
    """
    model = documents.find(PRESENTATION, document)
    with changing(model, "Slide orientation") as changes:
        page = model.DrawPages.getByIndex(0)
        before = (page.Width, page.Height)
        short, long = sorted(before)
        wanted = (short, long) if orientation == "portrait" else (long, short)
        if wanted != before:
            masters = [model.MasterPages.getByIndex(i) for i in range(model.MasterPages.Count)]
            every = [*slides.pages(model), *masters]
            shapes = [each.getByIndex(i) for each in every for i in range(each.Count)]
            with changes.unnoted():  # taking back what it notes itself ends the office (7.4)
                back = [keeping_place(shape) for shape in shapes]
                changes.do(
                    lambda: _resize(model, *wanted),
                    lambda: _restore(model, before, back),
                )
        now = (page.Width, page.Height)
        if now != wanted:
            raise in_the_way(f"The slides do not become {orientation}.")
        return Format((before[0] / 1000, before[1] / 1000), (now[0] / 1000, now[1] / 1000))


def _restore(model: Any, size: tuple[int, int], places: list[Callable[[], None]]) -> None:
    _resize(model, *size)
    for each in places:
        each()


def _resize(model: Any, width: int, height: int) -> None:
    """Give all slides this size and fit the boxes to it; in 1/100 mm."""
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
        every = slides.pages(model)
        chosen = every if slide_index is None else [slides.slide_at(model, slide_index)]
        done = []
        for page in chosen:
            before = _transition(page)
            changes.set(
                page,
                TransitionType=_constant("TransitionType", kind),
                TransitionSubtype=_constant("TransitionSubType", subtype),
                TransitionDuration=duration,
            )
            done.append(Transition(page.Number, before, _transition(page), duration))
        return done


def _constant(kind: str, name: str) -> int:
    import uno

    value: int = uno.getConstantByName(f"com.sun.star.animations.{kind}.{name}") if name else 0
    return value


def _transition(page: Any) -> str:
    """Its name here; "other" if it has none."""
    has = (page.TransitionType, page.TransitionSubtype)
    for name, (kind, subtype) in TRANSITIONS.items():
        if has == (_constant("TransitionType", kind), _constant("TransitionSubType", subtype)):
            return name
    return "other" if has[0] else "none"
