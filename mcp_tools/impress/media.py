"""Tools that put images, audio and video on slides and set slide backgrounds."""

from __future__ import annotations

import contextlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Optional
from urllib.parse import quote
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.colours import AnyColour, colour
from ambidex.mcp_tools.impress import app, slides
from ambidex.mcp_tools.impress.boxes import Length, scaled_size
from ambidex.mcp_tools.impress.info import Place, fill_of, place_of
from ambidex.mcp_tools.impress.slides import PRESENTATION, Slide
from ambidex.mcp_tools.impress.undo import Changes, changing, elements
from ambidex.mcp_tools.office import connection, documents
from ambidex.mcp_tools.office.documents import Document

__all__ = ["app"]

ICON = 2000
"""Edge length of the box for an audio file, which has no picture, in 1/100 mm."""
Percent = Annotated[Optional[float], Field(ge=-200, le=200)]


class Spot(BaseModel):
    """Where the upper left corner goes."""

    model_config = ConfigDict(extra="forbid")
    x: Percent = Field(None, description="percent of the slide's width; centred if left out")
    y: Percent = Field(None, description="percent of the slide's height; centred if left out")


class Extent(BaseModel):
    """How large it gets."""

    model_config = ConfigDict(extra="forbid")
    width: Optional[float] = Field(None, gt=0, le=200, description="percent of the slide's width")
    height: Optional[float] = Field(None, gt=0, le=200, description="percent of its height")


Where = Annotated[
    Optional[Spot],
    Field(description="upper left corner in percent of the slide; default: centred"),
]


@dataclass(frozen=True)
class InsertedBox:
    """A new box and its box_index."""

    slide_index: int
    box_index: int
    kind: Literal["image", "audio", "video"]
    place: Place


@dataclass(frozen=True)
class Background:
    """Background of a slide before and after: a colour, bitmap, or null for the master's."""

    slide_index: int
    before: Optional[str]
    after: Optional[str]


def existing_file(path: str) -> Path:
    """Resolve the path of a file; `ToolError` if it does not exist."""
    file = documents.absolute_path(path)
    if not file.is_file():
        hint = "Paths may start with ~."
        raise ToolError(f"No such file: {file}.", code="not_found", hint=hint)
    return file


def load_image(path: str) -> Any:
    """Load an image file, for embedding in a document."""
    file = existing_file(path)
    provider = connection.service("com.sun.star.graphic.GraphicProvider")
    image = provider.queryGraphic(documents.property_values(URL=file.as_uri()))
    if image is None or not image.SizePixel.Width:
        hint = "Use png, jpg, gif, bmp, tiff, webp or svg."
        raise ToolError(
            f"Not an image that LibreOffice can read: {file}.", code="bad_image", hint=hint
        )
    return image


def upper_left(page: Any, spot: Optional[Spot], width: int, height: int) -> tuple[int, int]:
    """Upper left corner in 1/100 mm; centred by default."""
    x, y = (page.Width - width) // 2, (page.Height - height) // 2
    if spot is not None:
        x = x if spot.x is None else round(page.Width * spot.x / 100)
        y = y if spot.y is None else round(page.Height * spot.y / 100)
    return x, y


def natural_size(image: Any, page: Any) -> tuple[int, int]:
    """Size of an image in 1/100 mm, at 96 dpi if it has none, shrunk to fit the slide."""
    size, pixels = image.Size100thMM, image.SizePixel
    wide, high = size.Width, size.Height
    if not wide or not high:
        wide, high = (round(length * 2540 / 96) for length in (pixels.Width, pixels.Height))
    scale = min(1.0, page.Width / wide, page.Height / high)
    return max(1, round(wide * scale)), max(1, round(high * scale))


@app.tool(timeout=60)
def insert_image(
    slide_index: Slide,
    image_path: Annotated[str, Field(min_length=1, description="such as ~/Pictures/logo.png")],
    width: Length = None,
    height: Length = None,
    position: Where = None,
    document: Document = None,
) -> InsertedBox:
    """Insert an image file (picture, photo, logo) on a slide; it is embedded. Given only width or
    height it keeps its proportions; default: its own size, shrunk to fit. Returns the new box.
    """
    model = documents.find(PRESENTATION, document)
    with changing(model, "Insert image") as changes:
        page = slides.slide_at(model, slide_index)
        image = load_image(image_path)
        wide, high = scaled_size(width, height, *natural_size(image, page))
        shape = changes.add(
            page,
            lambda: model.createInstance("com.sun.star.drawing.GraphicObjectShape"),
            (*upper_left(page, position, wide, high), wide, high),
            lambda new_shape: new_shape.setPropertyValue("Graphic", image),
        )
        return InsertedBox(slide_index, page.Count - 1, "image", place_of(shape))


@app.tool(timeout=60)
def insert_file(
    file_path: Annotated[str, Field(min_length=1, description="audio or video file")],
    slide_index: Annotated[
        Optional[int], Field(ge=1, description="1 is the first; the one shown if left out")
    ] = None,
    position: Where = None,
    size: Annotated[
        Optional[Extent],
        Field(description="in percent of the slide; default: a small icon, or half the slide"),
    ] = None,
    autoplay: Annotated[bool, Field(description="plays when the slide is shown")] = False,
    document: Document = None,
) -> InsertedBox:
    """Insert a video, movie or audio file on a slide; it is embedded and plays on click, or by
    itself with `autoplay`. For images use impress_insert_image. Returns the new box.
    """
    file = existing_file(file_path)
    kind = (mimetypes.guess_type(file.name)[0] or "").partition("/")[0]
    if kind not in ("audio", "video"):
        hint = "Use a file such as .mp3, .wav, .ogg, .mp4 or .webm."
        raise ToolError(f"Not an audio or video file: {file}.", code="bad_media", hint=hint)
    model = documents.find(PRESENTATION, document)
    with changing(model, f"Insert {kind}") as changes:
        number = slide_index or slides.current(model)
        page = slides.slide_at(model, number)
        wide, high = (ICON, ICON) if kind == "audio" else (page.Width // 2, page.Height // 2)
        if size is not None:
            wide = wide if size.width is None else round(page.Width * size.width / 100)
            high = high if size.height is None else round(page.Height * size.height / 100)
        shape = changes.add(
            page,
            lambda: model.createInstance("com.sun.star.drawing.MediaShape"),
            (*upper_left(page, position, wide, high), wide, high),
            lambda new_shape: _embed(new_shape, file),
        )
        if autoplay:
            _start_with_slide(changes, page, shape)
        box_kind: Literal["audio", "video"] = "audio" if kind == "audio" else "video"
        return InsertedBox(number, page.Count - 1, box_kind, place_of(shape))


def _embed(shape: Any, file: Path) -> None:
    """Embed a file as the media of a box, under a unique name."""
    from com.sun.star.uno import RuntimeException

    shape.MediaURL = f"vnd.sun.star.Package:Media/{uuid4().hex[:8]}-{quote(file.name)}"
    stream = connection.service("com.sun.star.ucb.SimpleFileAccess").openFileRead(file.as_uri())
    with contextlib.suppress(RuntimeException):  # raised although the stream was accepted (7.4)
        shape.PrivateStream = stream
    if shape.PrivateStream is None:
        raise ToolError(f"LibreOffice did not accept {file}.", code="refused")


def _start_with_slide(changes: Changes, page: Any, shape: Any) -> None:
    """Add an animation that plays the media as soon as the slide is shown."""
    import uno

    def node(kind: str, node_type: str = "", **user_data: object) -> Any:
        element = connection.service(f"com.sun.star.animations.{kind}")
        data: dict[str, object] = dict(user_data)
        if node_type:
            data["node-type"] = uno.getConstantByName(
                f"com.sun.star.presentation.EffectNodeType.{node_type}"
            )
        element.UserData = tuple(_named_value(name, value) for name, value in data.items())
        return element

    root = page.AnimationNode
    main_sequence = next((child for child in elements(root) if _is_main(child)), None)
    if main_sequence is None:
        main_sequence = node("SequenceTimeContainer", "MAIN_SEQUENCE")
        changes.do(lambda: root.appendChild(main_sequence), lambda: root.removeChild(main_sequence))
    step, group = node("ParallelTimeContainer"), node("ParallelTimeContainer")
    preset = {"preset-id": "ooo-media-start", "preset-class": 6}
    effect = node("ParallelTimeContainer", "AFTER_PREVIOUS", **preset)
    play = node("Command")
    for container in (step, group, effect):
        container.Begin = 0.0
    play.Target = shape
    play.Command = uno.getConstantByName("com.sun.star.presentation.EffectCommands.PLAY")
    effect.appendChild(play)
    group.appendChild(effect)
    step.appendChild(group)
    changes.do(lambda: main_sequence.appendChild(step), lambda: main_sequence.removeChild(step))


def _named_value(name: str, value: object) -> Any:
    import uno
    from com.sun.star.beans import NamedValue

    named_value = NamedValue()
    named_value.Name = name
    named_value.Value = uno.Any("short", value) if isinstance(value, int) else value
    return named_value


def _is_main(node: Any) -> bool:
    import uno

    main_type = uno.getConstantByName("com.sun.star.presentation.EffectNodeType.MAIN_SEQUENCE")
    return any(
        entry.Name == "node-type" and entry.Value == main_type for entry in node.UserData or ()
    )


@app.tool(timeout=60)
def set_slide_background(
    slide_index: Annotated[
        Optional[int], Field(ge=1, description="1 is the first; default: all slides")
    ] = None,
    color: Optional[AnyColour] = None,
    image_path: Annotated[
        Optional[str], Field(description="image stretched over the slide; overrides color")
    ] = None,
    document: Document = None,
) -> list[Background]:
    """Set the background (backdrop) of one or all slides to a colour or picture. Returns the old
    and new one of each slide.
    """
    if color is None and image_path is None:
        raise ToolError("Give color or image_path.", code="bad_arguments")
    value = colour(color) if color is not None else 0
    model = documents.find(PRESENTATION, document)
    with changing(model, "Slide background") as changes:
        all_slides = slides.pages(model)
        selected = all_slides if slide_index is None else [slides.slide_at(model, slide_index)]
        image = None if image_path is None else load_image(image_path)
        changed = []
        for page in selected:
            old, new = page.Background, _background(model, value, image)
            if old is None:
                old = _background(model, None, None)
            before = fill_of(old)
            changes.do(_background_setter(page, new), _background_setter(page, old))
            changed.append(Background(page.Number, before, fill_of(page.Background)))
        return changed


def _background_setter(page: Any, background: Any) -> Any:
    return lambda: page.setPropertyValue("Background", background)


def _background(model: Any, value: Optional[int], image: Optional[Any]) -> Any:
    """A background from an image or a colour; without either, the master's shows."""
    import uno

    background = model.createInstance("com.sun.star.drawing.Background")
    style = "BITMAP" if image is not None else "NONE" if value is None else "SOLID"
    if image is not None:
        background.FillBitmap = image
        background.FillBitmapMode = uno.Enum("com.sun.star.drawing.BitmapMode", "STRETCH")
    elif value is not None:
        background.FillColor = value
    background.FillStyle = uno.Enum("com.sun.star.drawing.FillStyle", style)
    return background
