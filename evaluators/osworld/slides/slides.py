"""Metrics on single presentations: orientation, pictures, transitions, numbers, backgrounds."""

from __future__ import annotations

import math
import zipfile
from pathlib import Path
from typing import Annotated, Any, NotRequired

from pptx.enum.shapes import MSO_SHAPE_TYPE
from pptx.util import Inches
from pydantic import Field
from typing_extensions import TypedDict

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.answers import tree
from ambidex.evaluators.osworld.given import office
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.osworld.slides.decks import MALFORMED, background, deck
from ambidex.evaluators.osworld.slides.slide_shapes import kind
from ambidex.evaluators.values import verdict

CLOSE = Inches(0.5)
BLACK = math.dist((0, 0, 0), (255, 255, 255))
Byte = Annotated[int, Field(ge=0, le=255)]
Rgb = Annotated[list[Byte], Field(min_length=3, max_length=3)]
MARKUP = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
PARTS = ("red", "green", "blue")
BLANK = "000000"
CLEAR = 50
"""A colour's own component exceeds the two others by this; all components of black are below it."""


class Transition(TypedDict):
    """The expected transition of a slide, counted from 0."""

    slide_idx: int
    transition_type: Annotated[str, Field(pattern=r"^[A-Za-z_][\w.-]*$")]


class NumberColour(TypedDict):
    """The expected colour of slide numbers."""

    color: Any
    """red, green, blue or black; upstream accepts any colour for other values."""


class Fill(TypedDict):
    """The colour that backgrounds should have, and the one they had originally."""

    rgb: Rgb
    original_rgb: NotRequired[Rgb | None]


@metric()
def check_slide_orientation_Portrait(result: Value) -> Score:
    """The slides are in portrait orientation: higher than wide."""
    presentation = deck(result)
    width, height = presentation.slide_width, presentation.slide_height
    if width is None or height is None:
        raise UnreadableError("the presentation does not set the size of its slides")
    return Score(float(width < height), f"the slides are {width} wide and {height} high")


@metric()
def check_image_stretch_and_center(result: Value, expected: Path) -> Score:
    """The first picture of the original's (the expected presentation's) first slide fills the slide
    and is centred, to within half an inch."""
    actual, original = deck(result), deck(expected)
    try:
        before, after = (_pictures(side.slides[0]) for side in (original, actual))
        if not before:
            return Score(0.0, "the original has no picture on its first slide")
        # Upstream takes the last one with the same bytes.
        same = [shape for shape in after if shape.image.blob == before[0].image.blob]
    except MALFORMED as error:
        raise UnreadableError(f"a presentation is damaged: {error}") from error
    if not same:
        return Score(0.0, "the picture is not on the first slide")
    picture, width, height = same[-1], original.slide_width, original.slide_height
    offsets = {
        "width": picture.width - width,
        "height": picture.height - height,
        "left": picture.left - (width - picture.width) / 2,
        "top": picture.top - (height - picture.height) / 2,
    }
    wrong = [
        f"{side} is {offset / 914400:.2f} inches off"
        for side, offset in offsets.items()
        if abs(offset) > CLOSE
    ]
    return verdict(wrong, "the picture fills the slide")


def _pictures(slide: Any) -> list[Any]:
    return [shape for shape in slide.shapes if kind(shape) == MSO_SHAPE_TYPE.PICTURE]


@metric(
    repairs=(
        "The slide is the one at that position: upstream takes the file with that number in the"
        " package, which is another slide once slides were moved.",
        "Every transition of the slide counts: upstream checks only the first of several"
        " alternatives.",
    )
)
def check_transition(result: Value, expected: Transition, *, strict: bool) -> Score:
    """The slide has this transition (`dissolve`, `fade`, … as named in the file format)."""
    slide = (_slide_at if strict else _slide_file)(result, expected["slide_idx"])
    if slide is None:
        return Score(0.0, f"there is no slide {expected['slide_idx'] + 1}")
    transitions = list(slide.iter(f"{MARKUP}transition"))
    kinds = [
        element.tag.removeprefix(MARKUP)
        for transition in (transitions if strict else transitions[:1])
        for element in transition.iterdescendants(f"{MARKUP}*")
    ]
    wrong = [] if expected["transition_type"] in kinds else [f"transitions: {kinds or 'none'}"]
    return verdict(wrong, f"the transition is {expected['transition_type']}")


def _slide_at(value: Value, place: int) -> Any:
    """The slide at a position, counted from 0."""
    slides = deck(value).slides
    return slides[place]._element if 0 <= place < len(slides) else None


def _slide_file(value: Value, place: int) -> Any:
    """The slide whose file in the package has the number of that position."""
    with zipfile.ZipFile(office(value)) as archive:
        name = f"ppt/slides/slide{place + 1}.xml"
        return tree(archive.read(name), name) if name in archive.namelist() else None


@metric(
    repairs=(
        "Only the placeholder of the slide number counts: upstream takes any coloured text of the"
        " master if the number has no colour of its own.",
    )
)
def check_page_number_colors(result: Value, expected: NumberColour, *, strict: bool) -> Score:
    """The slide number of the first master is red, green or blue (that component exceeds the others
    by 50) or black (all components below 50)."""
    if not strict:
        return _any_colour(result, expected["color"])
    presentation = deck(result)
    try:
        master = presentation.slide_masters[0]
    except IndexError as error:
        raise UnreadableError("the presentation has no master") from error
    places = [placeholder for placeholder in master.placeholders if _is_number(placeholder)]
    colours = [value for place in places for value in _colours(place._element)]
    right = any(_has_colour(expected["color"], colour) for colour in colours)
    description = ", ".join(colours) or "none of its own"
    return Score(float(right), f"the colour of the slide number is {description}")


def _any_colour(result: Value, target: object) -> Score:
    """Judge the last colour in the first master that is not black, preferably of text; if all are
    black, the last one. Upstream looks for the slide number's colour where there never is one."""
    with zipfile.ZipFile(office(result)) as archive:
        name = "ppt/slideMasters/slideMaster1.xml"
        if name not in archive.namelist():
            raise UpstreamRaisesError(f"there is no {name}")
        master = tree(archive.read(name), name)
    fills = "//a:solidFill//a:srgbClr/@val"
    texts, all_ = (
        [str(colour) for colour in master.xpath(path, namespaces={"a": DRAWING})]
        for path in (f".//a:rPr{fills}", f".{fills}")
    )
    coloured = [
        colour
        for values in (texts, all_)
        for colour in reversed(values)
        if colour != BLANK and colour
    ]
    actual = next(iter(coloured + all_[-1:]), "").lstrip("#")
    try:
        numbers = [int(actual[at : at + 2], 16) for at in (0, 2, 4)] if len(actual) == 6 else []
    except ValueError:
        numbers = []
    if not numbers:
        return Score(0.0, f"the master has no colour but {actual or 'none'}")
    parts = dict(zip(PARTS, numbers, strict=True))
    known = target == "black" or target in PARTS
    right = not known or _dominates(str(target), parts)
    return Score(float(right), f"the colour in the master is {actual}")


def _is_number(shape: Any) -> bool:
    place = shape._element.find(".//{*}nvPr/{*}ph")
    return place is not None and place.get("type") == "sldNum"


def _colours(element: Any) -> list[str]:
    """The RGB colours of texts in an element."""
    fills = (
        fill
        for tag in ("rPr", "defRPr")
        for properties in element.iter(f"{{*}}{tag}")
        for fill in properties.iterfind("{*}solidFill/{*}srgbClr")
    )
    return [fill.get("val", "") for fill in fills]


def _has_colour(target: str, colour: str) -> bool:
    try:
        parts = dict(zip(PARTS, bytes.fromhex(colour)[:3], strict=False))
    except ValueError:
        return False
    return _dominates(target, parts)


def _dominates(target: str, parts: dict[str, int]) -> bool:
    if target == "black":
        return all(part < CLEAR for part in parts.values())
    return all(
        parts.get(target, 0) > component + CLEAR
        for name, component in parts.items()
        if name != target
    )


@metric(
    repairs=(
        "Theme colours are resolved: upstream scores a slide with a theme colour as background 0.",
    )
)
def evaluate_presentation_fill_to_rgb_distance(
    result: Value, expected: Fill, *, strict: bool
) -> Score:
    """The closeness of solid backgrounds to a colour: 1 minus the mean distance.

    The distance of black and white is 1, and so is that of a slide without a solid background or
    with its original colour.
    """
    slides = list(deck(result).slides)
    if not slides:
        raise UpstreamRaisesError("there are no slides to average over")
    try:
        distances = [_distance(slide, expected, strict) for slide in slides]
    except MALFORMED as error:
        raise UnreadableError(f"the presentation is damaged: {error}") from error
    score = max(0.0, 1 - sum(distances) / len(distances))
    return Score(score, f"the mean distance of {len(distances)} slides is {1 - score:.3f}")


def _distance(slide: Any, target: Fill, strict: bool) -> float:
    try:
        colour = background(slide, strict=strict)
    except UpstreamRaisesError:
        return 1.0
    if colour is None:
        return 1.0
    actual = tuple(bytes.fromhex(colour))
    if list(actual) == target.get("original_rgb"):
        return 1.0
    return math.dist(actual, target["rgb"]) / BLACK
