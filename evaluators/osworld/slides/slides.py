"""Single presentations: slides' shape, pictures, transitions, numbers and backgrounds."""

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
"""By so much a colour's own part is above the two others; all of black are below."""


class Transition(TypedDict):
    """The transition of a slide, counted from 0."""

    slide_idx: int
    transition_type: Annotated[str, Field(pattern=r"^[A-Za-z_][\w.-]*$")]


class NumberColour(TypedDict):
    """The colour of slide numbers."""

    color: Any
    """red, green, blue or black; any colour is another one, upstream."""


class Fill(TypedDict):
    """The colour that backgrounds should have, and the one that they had."""

    rgb: Rgb
    original_rgb: NotRequired[Rgb | None]


@metric()
def check_slide_orientation_Portrait(result: Value) -> Score:
    """The slides are higher than wide."""
    found = deck(result)
    width, height = found.slide_width, found.slide_height
    if width is None or height is None:
        raise UnreadableError("the presentation names no size of its slides")
    return Score(float(width < height), f"the slides are {width} wide and {height} high")


@metric()
def check_image_stretch_and_center(result: Value, expected: Path) -> Score:
    """The first picture of the expected (original) first slide fills the slide and is in its
    middle, to half an inch."""
    actual, original = deck(result), deck(expected)
    try:
        before, after = (_pictures(each.slides[0]) for each in (original, actual))
        if not before:
            return Score(0.0, "the original has no picture on its first slide")
        # Upstream looks at the last one that has the same bytes.
        same = [each for each in after if each.image.blob == before[0].image.blob]
    except MALFORMED as error:
        raise UnreadableError(f"a presentation is not whole: {error}") from error
    if not same:
        return Score(0.0, "the picture is not on the first slide")
    picture, width, height = same[-1], original.slide_width, original.slide_height
    off = {
        "width": picture.width - width,
        "height": picture.height - height,
        "left": picture.left - (width - picture.width) / 2,
        "top": picture.top - (height - picture.height) / 2,
    }
    wrong = [
        f"{side} is {each / 914400:.2f} inches off"
        for side, each in off.items()
        if abs(each) > CLOSE
    ]
    return verdict(wrong, "the picture fills the slide")


def _pictures(slide: Any) -> list[Any]:
    return [shape for shape in slide.shapes if kind(shape) == MSO_SHAPE_TYPE.PICTURE]


@metric(
    repairs=(
        "The slide is the one at that place of the presentation: upstream takes the file of that"
        " number in the package, which is another slide once slides were moved.",
        "Every transition of the slide counts: upstream looks at the first one alone, where there"
        " are alternatives.",
    )
)
def check_transition(result: Value, expected: Transition, *, strict: bool) -> Score:
    """The slide changes with this transition (`dissolve`, `fade`, … as the format names it)."""
    slide = (_shown if strict else _stored)(result, expected["slide_idx"])
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


def _shown(given: Value, place: int) -> Any:
    """The slide at a place, from 0."""
    slides = deck(given).slides
    return slides[place]._element if 0 <= place < len(slides) else None


def _stored(given: Value, place: int) -> Any:
    """The slide that the package stores under the number of that place."""
    with zipfile.ZipFile(office(given)) as archive:
        name = f"ppt/slides/slide{place + 1}.xml"
        return tree(archive.read(name), name) if name in archive.namelist() else None


@metric(
    repairs=(
        "Only the place of the slide number counts: upstream takes any coloured text of the master"
        " where the number has no colour of its own.",
    )
)
def check_page_number_colors(result: Value, expected: NumberColour, *, strict: bool) -> Score:
    """The slide number of the first master is red, green, blue (that part 50 above the others) or
    black (all parts below 50)."""
    if not strict:
        return _any_colour(result, expected["color"])
    found = deck(result)
    try:
        master = found.slide_masters[0]
    except IndexError as error:
        raise UnreadableError("the presentation has no master") from error
    places = [placeholder for placeholder in master.placeholders if _is_number(placeholder)]
    colours = [value for place in places for value in _colours(place._element)]
    right = any(_is(expected["color"], colour) for colour in colours)
    shown = ", ".join(colours) or "none of its own"
    return Score(float(right), f"the colour of the slide number is {shown}")


def _any_colour(result: Value, target: object) -> Score:
    """The last colour of the first master that is not black, of its texts before all else; with no
    other, the last one at all. Upstream looks for the slide number's in vain: inside its mark."""
    with zipfile.ZipFile(office(result)) as archive:
        name = "ppt/slideMasters/slideMaster1.xml"
        if name not in archive.namelist():
            raise UpstreamRaisesError(f"there is no {name}")
        master = tree(archive.read(name), name)
    fills = "//a:solidFill//a:srgbClr/@val"
    texts, all_ = (
        [str(each) for each in master.xpath(path, namespaces={"a": DRAWING})]
        for path in (f".//a:rPr{fills}", f".{fills}")
    )
    coloured = [each for held in (texts, all_) for each in reversed(held) if each != BLANK and each]
    actual = next(iter(coloured + all_[-1:]), "").lstrip("#")
    try:
        numbers = [int(actual[at : at + 2], 16) for at in (0, 2, 4)] if len(actual) == 6 else []
    except ValueError:
        numbers = []
    if not numbers:
        return Score(0.0, f"there is no colour in the master but {actual or 'none'}")
    parts = dict(zip(PARTS, numbers, strict=True))
    known = target == "black" or target in PARTS
    right = not known or _is_of(str(target), parts)
    return Score(float(right), f"the colour in the master is {actual}")


def _is_number(shape: Any) -> bool:
    place = shape._element.find(".//{*}nvPr/{*}ph")
    return place is not None and place.get("type") == "sldNum"


def _colours(element: Any) -> list[str]:
    """The RGB colours of texts."""
    fills = (
        fill
        for tag in ("rPr", "defRPr")
        for properties in element.iter(f"{{*}}{tag}")
        for fill in properties.iterfind("{*}solidFill/{*}srgbClr")
    )
    return [fill.get("val", "") for fill in fills]


def _is(target: str, colour: str) -> bool:
    try:
        parts = dict(zip(PARTS, bytes.fromhex(colour)[:3], strict=False))
    except ValueError:
        return False
    return _is_of(target, parts)


def _is_of(target: str, parts: dict[str, int]) -> bool:
    if target == "black":
        return all(part < CLEAR for part in parts.values())
    return all(
        parts.get(target, 0) > each + CLEAR for name, each in parts.items() if name != target
    )


@metric(
    repairs=(
        "A colour of the theme is the colour that it stands for: upstream gives nothing to a"
        " slide with such a background.",
    )
)
def evaluate_presentation_fill_to_rgb_distance(
    result: Value, expected: Fill, *, strict: bool
) -> Score:
    """How near the solid backgrounds are to a colour: a fraction, 1 less the mean distance.

    Black to white is a distance of 1, and so is a slide without such a background, or with the
    colour that it had.
    """
    slides = list(deck(result).slides)
    if not slides:
        raise UpstreamRaisesError("there is no slide to take a mean of")
    try:
        far = [_distance(slide, expected, strict) for slide in slides]
    except MALFORMED as error:
        raise UnreadableError(f"the presentation is not whole: {error}") from error
    score = max(0.0, 1 - sum(far) / len(far))
    return Score(score, f"the mean distance of {len(far)} slides is {1 - score:.3f}")


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
