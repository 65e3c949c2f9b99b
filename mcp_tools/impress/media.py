"""LibreOffice Impress: images, sounds and films on slides, and what is behind everything."""

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
from ambidex.mcp_tools.impress.boxes import Length, measure
from ambidex.mcp_tools.impress.info import Place, fill, place
from ambidex.mcp_tools.impress.slides import PRESENTATION, Slide
from ambidex.mcp_tools.impress.undo import Changes, changing, elements
from ambidex.mcp_tools.office import connection, documents
from ambidex.mcp_tools.office.documents import Document

__all__ = ["app"]

ICON = 2000
"""Edge of the box of a sound, in 1/100 mm: there is nothing to see in it."""
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
class Inserted:
    """A new box; `box_index` is what tools take."""

    slide_index: int
    box_index: int
    kind: Literal["image", "audio", "video"]
    place: Place


@dataclass(frozen=True)
class Background:
    """What a slide has behind everything: a colour, bitmap, or null for the master's."""

    slide_index: int
    before: Optional[str]
    after: Optional[str]


def existing(path: str) -> Path:
    """The file; `ToolError` if there is none."""
    file = documents.absolute(path)
    if not file.is_file():
        hint = "Paths may start with ~."
        raise ToolError(f"There is no file {file}.", code="not_found", hint=hint)
    return file


def graphic(path: str) -> Any:
    """The image in a file, as it goes into the document itself."""
    file = existing(path)
    provider = connection.service("com.sun.star.graphic.GraphicProvider")
    found = provider.queryGraphic(documents.property_values(URL=file.as_uri()))
    if found is None or not found.SizePixel.Width:
        hint = "png, jpg, gif, bmp, tiff, webp and svg are."
        raise ToolError(f"{file} is no image that is known here.", code="bad_image", hint=hint)
    return found


def corner(page: Any, spot: Optional[Spot], width: int, height: int) -> tuple[int, int]:
    """The upper left corner in 1/100 mm."""
    x, y = (page.Width - width) // 2, (page.Height - height) // 2
    if spot is not None:
        x = x if spot.x is None else round(page.Width * spot.x / 100)
        y = y if spot.y is None else round(page.Height * spot.y / 100)
    return x, y


def natural(found: Any, page: Any) -> tuple[int, int]:
    """The size an image says it has, at 96 dpi if it says none, made to fit the slide."""
    size, pixels = found.Size100thMM, found.SizePixel
    wide, high = size.Width, size.Height
    if not wide or not high:
        wide, high = (round(each * 2540 / 96) for each in (pixels.Width, pixels.Height))
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
) -> Inserted:
    """Insert an image file (picture, photo, logo) on a slide; it is embedded. Given only width or
    height it keeps its proportions; default: its own size, shrunk to fit. Returns the new box.
    """
    model = documents.find(PRESENTATION, document)
    with changing(model, "Insert image") as changes:
        page = slides.slide_at(model, slide_index)
        found = graphic(image_path)
        wide, high = measure(width, height, *natural(found, page))
        shape = changes.add(
            page,
            lambda: model.createInstance("com.sun.star.drawing.GraphicObjectShape"),
            (*corner(page, position, wide, high), wide, high),
            lambda made: made.setPropertyValue("Graphic", found),
        )
        return Inserted(slide_index, page.Count - 1, "image", place(shape))


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
) -> Inserted:
    """Insert a video, movie or audio file on a slide; it is embedded and plays on click, or by
    itself with `autoplay`. For images use impress_insert_image. Returns the new box.
    """
    file = existing(file_path)
    kind = (mimetypes.guess_type(file.name)[0] or "").partition("/")[0]
    if kind not in ("audio", "video"):
        hint = "Its name should end in .mp3 .wav .ogg .mp4 .webm or the like."
        raise ToolError(f"{file} is neither sound nor film.", code="bad_media", hint=hint)
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
            (*corner(page, position, wide, high), wide, high),
            lambda made: _embed(made, file),
        )
        if autoplay:
            _start_with_slide(changes, page, shape)
        what: Literal["audio", "video"] = "audio" if kind == "audio" else "video"
        return Inserted(number, page.Count - 1, what, place(shape))


def _embed(shape: Any, file: Path) -> None:
    """Make the file's content the media of the box, under a name nothing else has."""
    from com.sun.star.uno import RuntimeException

    shape.MediaURL = f"vnd.sun.star.Package:Media/{uuid4().hex[:8]}-{quote(file.name)}"
    stream = connection.service("com.sun.star.ucb.SimpleFileAccess").openFileRead(file.as_uri())
    with contextlib.suppress(RuntimeException):  # it takes the stream, then complains (7.4)
        shape.PrivateStream = stream
    if shape.PrivateStream is None:
        raise ToolError(f"LibreOffice does not take {file}.", code="refused")


def _start_with_slide(changes: Changes, page: Any, shape: Any) -> None:
    """An animation that plays the media as soon as the slide is shown."""
    import uno

    def node(kind: str, node_type: str = "", **user: object) -> Any:
        made = connection.service(f"com.sun.star.animations.{kind}")
        data: dict[str, object] = dict(user)
        if node_type:
            data["node-type"] = uno.getConstantByName(
                f"com.sun.star.presentation.EffectNodeType.{node_type}"
            )
        made.UserData = tuple(_named(name, value) for name, value in data.items())
        return made

    root = page.AnimationNode
    main = next((each for each in elements(root) if _is_main(each)), None)
    if main is None:
        main = node("SequenceTimeContainer", "MAIN_SEQUENCE")
        changes.do(lambda: root.appendChild(main), lambda: root.removeChild(main))
    step, group = node("ParallelTimeContainer"), node("ParallelTimeContainer")
    preset = {"preset-id": "ooo-media-start", "preset-class": 6}
    effect = node("ParallelTimeContainer", "AFTER_PREVIOUS", **preset)
    play = node("Command")
    for each in (step, group, effect):
        each.Begin = 0.0
    play.Target = shape
    play.Command = uno.getConstantByName("com.sun.star.presentation.EffectCommands.PLAY")
    effect.appendChild(play)
    group.appendChild(effect)
    step.appendChild(group)
    changes.do(lambda: main.appendChild(step), lambda: main.removeChild(step))


def _named(name: str, value: object) -> Any:
    import uno
    from com.sun.star.beans import NamedValue

    made = NamedValue()
    made.Name = name
    made.Value = uno.Any("short", value) if isinstance(value, int) else value
    return made


def _is_main(node: Any) -> bool:
    import uno

    main = uno.getConstantByName("com.sun.star.presentation.EffectNodeType.MAIN_SEQUENCE")
    return any(each.Name == "node-type" and each.Value == main for each in node.UserData or ())


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
        every = slides.pages(model)
        chosen = every if slide_index is None else [slides.slide_at(model, slide_index)]
        image = None if image_path is None else graphic(image_path)
        done = []
        for page in chosen:
            old, new = page.Background, _background(model, value, image)
            if old is None:
                old = _background(model, None, None)
            before = fill(old)
            changes.do(_covering(page, new), _covering(page, old))
            done.append(Background(page.Number, before, fill(page.Background)))
        return done


def _covering(page: Any, background: Any) -> Any:
    return lambda: page.setPropertyValue("Background", background)


def _background(model: Any, value: Optional[int], image: Optional[Any]) -> Any:
    """A background of an image, of a colour, or none, which lets the master's through."""
    import uno

    made = model.createInstance("com.sun.star.drawing.Background")
    style = "BITMAP" if image is not None else "NONE" if value is None else "SOLID"
    if image is not None:
        made.FillBitmap = image
        made.FillBitmapMode = uno.Enum("com.sun.star.drawing.BitmapMode", "STRETCH")
    elif value is not None:
        made.FillColor = value
    made.FillStyle = uno.Enum("com.sun.star.drawing.FillStyle", style)
    return made
