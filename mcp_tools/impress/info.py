"""What slides look like, as values: boxes with place, text, font and fill."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Optional

from ambidex.mcp_tools import colours
from ambidex.mcp_tools.impress import slides
from ambidex.mcp_tools.impress.undo import elements, portions

__all__ = ["BoxInfo", "Place", "SlideInfo", "place", "slide_info"]

LONG = 1000
"""Characters of a text that are shown."""
BOLD = 110.0
"""What an office calls bold begins above this weight."""

LOOK = (  # in this order, which is the one UNO asks for
    "CharColor",
    "CharFontName",
    "CharHeight",
    "CharPosture",
    "CharStrikeout",
    "CharUnderline",
    "CharWeight",
)


@dataclass(frozen=True)
class Place:
    """Where a box is, in centimetres from the slide's upper left corner."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Look:
    """The font of a box; a field is null where the box mixes values."""

    font: Optional[str]
    size: Optional[float]
    color: Optional[str]
    bold: Optional[bool]
    italic: Optional[bool]
    underline: Optional[bool]
    strikethrough: Optional[bool]
    alignment: Optional[str]


@dataclass(frozen=True)
class BoxInfo:
    """A box of a slide; `index` is what tools take as box_index. `cells` are a table's."""

    index: int
    kind: str
    name: str
    place: Place
    text: str
    look: Optional[Look]
    fill: Optional[str]
    """#RRGGBB, or gradient, hatch or bitmap; null where the slide shows through."""
    cells: Optional[list[list[str]]]


@dataclass(frozen=True)
class SlideInfo:
    """A slide; `index` is what tools take as slide_index or page_index."""

    index: int
    title: str
    background: Optional[str]
    """Like the fill of a box; null where the master's shows."""
    notes: str
    boxes: list[BoxInfo]


def place(shape: Any) -> Place:
    """Where the box is."""
    at, size = shape.Position, shape.Size
    return Place(*(round(each / 1000, 2) for each in (at.X, at.Y, size.Width, size.Height)))


def fill(properties: Any) -> Optional[str]:
    """What an area is filled with."""
    if not properties.getPropertySetInfo().hasPropertyByName("FillStyle"):
        return None
    style = properties.FillStyle.value
    if style == "SOLID":
        return colours.written(properties.FillColor)
    return None if style == "NONE" else str(style).lower()


def _common(values: Iterable[Any]) -> Any:
    """The one value they all have; None if they differ."""
    first, *rest = values
    return first if all(each == first for each in rest) else None


def look(text: Any) -> Look:
    """How a text that is not empty looks."""
    parts = [each.getPropertyValues(LOOK) for each in portions(text)]
    adjust = _common(each.ParaAdjust for each in elements(text))
    color, font, size, slant, strike, underline, weight = map(_common, zip(*parts, strict=True))
    sides = ("left", "right", "justify", "center", "justify")
    return Look(
        font,
        None if size is None else round(size, 1),
        None if color is None else "automatic" if color < 0 else colours.written(color),
        None if weight is None else weight > BOLD,
        None if slant is None else slant.value != "NONE",
        None if underline is None else underline != 0,
        None if strike is None else strike != 0,
        None if adjust is None else sides[adjust],
    )


def box_info(index: int, shape: Any) -> BoxInfo:
    """What is to know of a box."""
    rows = slides.cells(shape)
    found = list(slides.texts(shape))
    said = "\n".join(each.String for each in found if each.String)
    plain = len(found) == 1 and not rows and found[0].String
    return BoxInfo(
        index,
        slides.kind_of(shape),
        shape.Name,
        place(shape),
        "" if rows else said[:LONG],
        look(found[0]) if plain else None,
        fill(shape),
        [[cell.String[:LONG] for cell in row] for row in rows] or None,
    )


def slide_info(page: Any, most: int) -> SlideInfo:
    """What is to know of a slide, with so many boxes at most."""
    background = page.Background
    notes = slides.notes_of(page)
    boxes = [box_info(index, page.getByIndex(index)) for index in range(min(page.Count, most))]
    return SlideInfo(
        page.Number,
        slides.title_of(page)[:LONG],
        fill(background) if background is not None else None,
        notes.String[:LONG] if notes is not None else "",
        boxes,
    )
