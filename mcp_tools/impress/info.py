"""Descriptions of slides and their boxes: place, text, format and fill."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Optional

from ambidex.mcp_tools import colours
from ambidex.mcp_tools.impress import slides
from ambidex.mcp_tools.impress.undo import elements, portions

__all__ = ["BoxInfo", "Place", "SlideInfo", "place_of", "slide_info"]

MAX_TEXT = 1000
"""Maximum number of characters returned of a text."""
BOLD_WEIGHT = 110.0
"""Weights above this one count as bold."""

CHARACTER_PROPERTIES = (  # sorted, as getPropertyValues requires
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
class TextFormat:
    """Text format of a box; a field is null if the box has several values."""

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
    """A box on a slide; `index` is its box_index. `cells` are those of a table."""

    index: int
    kind: str
    name: str
    place: Place
    text: str
    look: Optional[TextFormat]
    fill: Optional[str]
    """#RRGGBB, or gradient, hatch or bitmap; null if there is no fill."""
    cells: Optional[list[list[str]]]


@dataclass(frozen=True)
class SlideInfo:
    """A slide; `index` is its slide_index or page_index."""

    index: int
    title: str
    background: Optional[str]
    """Like the fill of a box; null for the master slide's background."""
    notes: str
    boxes: list[BoxInfo]


def place_of(shape: Any) -> Place:
    """Place of a box."""
    position, size = shape.Position, shape.Size
    return Place(
        *(round(length / 1000, 2) for length in (position.X, position.Y, size.Width, size.Height))
    )


def fill_of(properties: Any) -> Optional[str]:
    """Fill of a box or background; None if there is none."""
    if not properties.getPropertySetInfo().hasPropertyByName("FillStyle"):
        return None
    style = properties.FillStyle.value
    if style == "SOLID":
        return colours.written(properties.FillColor)
    return None if style == "NONE" else str(style).lower()


def _common_value(values: Iterable[Any]) -> Any:
    """The value that all have in common; None if they differ."""
    first, *rest = values
    return first if all(value == first for value in rest) else None


def text_format(text: Any) -> TextFormat:
    """Format of a text that is not empty."""
    parts = [portion.getPropertyValues(CHARACTER_PROPERTIES) for portion in portions(text)]
    adjust = _common_value(portion.ParaAdjust for portion in elements(text))
    color, font, size, slant, strike, underline, weight = map(
        _common_value, zip(*parts, strict=True)
    )
    sides = ("left", "right", "justify", "center", "justify")
    return TextFormat(
        font,
        None if size is None else round(size, 1),
        None if color is None else "automatic" if color < 0 else colours.written(color),
        None if weight is None else weight > BOLD_WEIGHT,
        None if slant is None else slant.value != "NONE",
        None if underline is None else underline != 0,
        None if strike is None else strike != 0,
        None if adjust is None else sides[adjust],
    )


def box_info(index: int, shape: Any) -> BoxInfo:
    """Describe a box."""
    rows = slides.cells(shape)
    texts = list(slides.texts(shape))
    content = "\n".join(text.String for text in texts if text.String)
    has_format = len(texts) == 1 and not rows and texts[0].String
    return BoxInfo(
        index,
        slides.kind_of(shape),
        shape.Name,
        place_of(shape),
        "" if rows else content[:MAX_TEXT],
        text_format(texts[0]) if has_format else None,
        fill_of(shape),
        [[cell.String[:MAX_TEXT] for cell in row] for row in rows] or None,
    )


def slide_info(page: Any, max_boxes: int) -> SlideInfo:
    """Describe a slide with at most `max_boxes` boxes."""
    background = page.Background
    notes = slides.notes_of(page)
    boxes = [box_info(index, page.getByIndex(index)) for index in range(min(page.Count, max_boxes))]
    return SlideInfo(
        page.Number,
        slides.title_of(page)[:MAX_TEXT],
        fill_of(background) if background is not None else None,
        notes.String[:MAX_TEXT] if notes is not None else "",
        boxes,
    )
