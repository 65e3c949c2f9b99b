"""Pictures and videos from file to file, by Pillow and ffmpeg."""

from __future__ import annotations

import json
import math
import os
import re
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from ambidex.mcp_tools import ToolError, commands
from ambidex.mcp_tools.files import files
from ambidex.mcp_tools.os import app, backgrounds

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["app"]

PIXELS = 60_000_000
"""Of the largest picture."""
WITH_ALPHA = {".png": "PNG", ".webp": "WEBP", ".tif": "TIFF", ".tiff": "TIFF"}
KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "png": ("PNG", ("1", "L", "LA", "P", "RGB", "RGBA", "I;16")),
    "jpg": ("JPEG", ("L", "RGB", "CMYK")),
    "jpeg": ("JPEG", ("L", "RGB", "CMYK")),
    "pdf": ("PDF", ("1", "L", "RGB", "CMYK")),
    "webp": ("WEBP", ("RGB", "RGBA")),
    "gif": ("GIF", ("1", "L", "P", "RGB", "RGBA")),
    "bmp": ("BMP", ("1", "L", "P", "RGB")),
    "tiff": ("TIFF", ("1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I;16")),
}
"""Pillow's name of each format, and which kinds of pixels it can hold."""
LONGEST = 120.0
"""Seconds of an animation."""
WITHIN = 90.0

Source = Annotated[str, Field(min_length=1, description="the picture, such as ~/Pictures/a.png")]
Output = Annotated[str, Field(min_length=1, description="the file to write; its folder must exist")]
Moment = float | str


@dataclass(frozen=True)
class Converted:
    """A picture that was written; `notes` say what could not be kept."""

    path: str
    format: str
    width: int
    height: int
    bytes: int
    notes: list[str]


@dataclass(frozen=True)
class CutOut:
    """A picture whose background became transparent, and how much of it that is."""

    path: str
    width: int
    height: int
    bytes: int
    background: str
    removed_percent: float


@dataclass(frozen=True)
class Animation:
    """A GIF that was written."""

    path: str
    width: int
    height: int
    frames: int
    seconds: float
    bytes: int


@contextmanager
def picture(path: str) -> Iterator[Image]:
    """The picture in a file, upright; `ToolError` if it is none or too large."""
    from PIL import Image, ImageOps, UnidentifiedImageError

    file = files.existing(path)
    with files.allowed(), warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # the size is bounded here
        try:
            with Image.open(file) as opened:
                if opened.width * opened.height > PIXELS:
                    size = f"{opened.width} x {opened.height}"
                    raise ToolError(f"{file} is too large: {size}.", code="too_large")
                opened.load()
                ImageOps.exif_transpose(opened, in_place=True)
                yield opened
        except UnidentifiedImageError:
            raise ToolError(f"{file} is no picture that can be read.", code="no_image") from None
        except (OSError, SyntaxError, ValueError, EOFError) as error:
            if isinstance(error, OSError) and error.errno:
                raise  # the system's, not the picture's
            raise ToolError(f"{file} is damaged: {error}.", code="no_image") from None
        except Image.DecompressionBombError as error:
            raise ToolError(f"{file} is too large: {error}.", code="too_large") from None


@contextmanager
def written(output: str, overwrite: bool) -> Iterator[Path]:
    """A new file to write into, which takes the place of `output` once that was done."""
    target = files.free(files.at(output), overwrite)
    with files.allowed(), tempfile.TemporaryDirectory(dir=target.parent, prefix=".") as folder:
        new = Path(folder, target.name)
        yield new
        os.replace(new, target)


def save(image: Image, output: str, kind: str, overwrite: bool) -> Path:
    """Write a picture in that format; where it is."""
    profile = image.info.get("icc_profile")
    given = {"icc_profile": profile} if profile and kind in ("PNG", "JPEG", "WEBP", "TIFF") else {}
    if kind == "JPEG":
        given |= {"quality": 92}
    with written(output, overwrite) as new:
        try:
            image.save(new, kind, **given)
        except (OSError, ValueError) as error:
            raise ToolError(f"{kind} cannot hold this picture: {error}.", code="failed") from None
    return files.at(output)


@app.tool(timeout=90)
def convert_image_format(
    image_path: Source,
    output_format: Annotated[
        Literal["png", "jpg", "jpeg", "pdf", "webp", "gif", "bmp", "tiff"],
        Field(description="target format; jpg and jpeg are the same"),
    ],
    output_path: Output,
    overwrite: files.Overwrite = False,
) -> Converted:
    """Convert a picture or photo to another image format (file type): png, jpg/JPEG, webp, bmp,
    gif, tiff or pdf. The source stays. Photos are turned upright, transparency becomes white in
    jpg, pdf and bmp, of animations the first frame is kept; see `notes`.
    """
    kind, modes = KINDS[output_format]
    notes = []
    with picture(image_path) as source:
        if getattr(source, "n_frames", 1) > 1:
            notes.append(f"only the first of {source.n_frames} frames was taken")  # type: ignore[attr-defined]
        image = source
        if source.has_transparency_data and not {"LA", "RGBA"} & set(modes):
            image = on_white(source)
            notes.append("what was transparent is white now")
        if image.mode not in modes:
            image = painted(image, modes)
        path = save(image, output_path, kind, overwrite)
    ending = path.suffix.lower().removeprefix(".")
    if KINDS.get({"tif": "tiff"}.get(ending, ending), ("", ()))[0] != kind:
        notes.append(f"the file's name does not say that it is {kind}")
    return Converted(str(path), kind, image.width, image.height, path.stat().st_size, notes)


def on_white(image: Image) -> Image:
    """The picture without transparency, on a white ground."""
    from PIL import Image

    ground = Image.new("RGBA", image.size, "white")
    ground.alpha_composite(image.convert("RGBA"))
    flat = ground.convert("RGB")
    flat.info = dict(image.info)
    return flat


def coloured(image: Image) -> Image:
    """The picture with red, green, blue and alpha."""
    return (painted(image, ("RGBA",)) if image.mode.startswith("I") else image).convert("RGBA")


def painted(image: Image, modes: tuple[str, ...]) -> Image:
    """The picture with pixels of a kind that the format holds."""
    if image.mode.startswith("I"):  # 16 bits of grey, which Pillow would cut off at 255
        return image.convert("I").point(lambda value: value * (1 / 257)).convert("L").convert("RGB")
    return image.convert("RGBA" if image.has_transparency_data and "RGBA" in modes else "RGB")


@app.tool(timeout=120)
def remove_image_background(
    image_path: Source,
    output_path: Annotated[
        str, Field(min_length=1, description="the file to write: .png, .webp or .tiff")
    ],
    tolerance: Annotated[
        int,
        Field(
            ge=0, le=255, description="how far red, green or blue may differ from the background's"
        ),
    ] = 32,
    overwrite: files.Overwrite = False,
) -> CutOut:
    """Remove the background of a picture: make a plain (white) background transparent and cut out
    the object, for drawings, logos, products; not for scenes, as nothing is recognised. The
    background is the commonest edge colour, within `tolerance`, connected to the edge. If
    `removed_percent` is too low raise the tolerance, if too high lower it.
    """
    target = files.at(output_path)
    kind = WITH_ALPHA.get(target.suffix.lower())
    if kind is None:
        message = f"{target.name} is of no format with transparency."
        raise ToolError(message, code="bad_format", hint="End it in .png, .webp or .tiff.")
    with picture(image_path) as source:
        cut, colour, part = backgrounds.cut_out(coloured(source), tolerance)
        cut.info = {"icc_profile": source.info.get("icc_profile")}
        path = save(cut, output_path, kind, overwrite)
    size = path.stat().st_size
    return CutOut(str(path), cut.width, cut.height, size, colour, round(part * 100, 2))


def seconds(given: Moment, what: str) -> float:
    """Seconds of 7.5, "7.5", "7.5s", "1:07.5" or "0:01:07.5"."""
    said = str(given).strip().removesuffix("s")
    if not re.fullmatch(r"(\d{1,3}:){0,2}\d{1,6}(\.\d{1,9})?", said):
        hint = "Give seconds, such as 7.5, or a time such as 00:01:07.5."
        raise ToolError(f"{what} {given!r} is no time.", code="bad_time", hint=hint)
    total = 0.0
    for part in said.split(":"):
        total = total * 60 + float(part)
    return total


def film(file: Path) -> float:
    """How long a video is in seconds; `ToolError` if it is none."""
    asked = "stream=codec_type:format=duration"
    argv = ["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", asked]
    ran = commands.run([*argv, "-of", "json", f"file:{file}"], 30)
    found: dict[str, Any] = json.loads(ran.output or "{}")
    if ran.code or not found.get("streams"):
        raise ToolError(f"{file} is no video: {ran.errors.strip()[-500:]}", code="no_video")
    lasts = found.get("format", {}).get("duration", "")
    return float(lasts) if re.fullmatch(r"[\d.]+", lasts) else math.inf  # a stream does not say


@app.tool(timeout=120)
def ffmpeg_video_to_gif(
    video_path: Annotated[str, Field(min_length=1, description="such as ~/Videos/film.mp4")],
    start_time: Annotated[Moment, Field(description="start: seconds or 00:01:07.5")],
    duration: Annotated[
        Moment, Field(description="length: seconds or 00:00:05; at most two minutes")
    ],
    output_path: Annotated[str, Field(min_length=1, description="the .gif file to write")],
    fps: Annotated[int, Field(ge=1, le=50, description="frames per second")] = 10,
    width: Annotated[
        int, Field(ge=16, le=1920, description="in pixels; height is proportional")
    ] = 480,
    overwrite: files.Overwrite = False,
) -> Animation:
    """Convert part of a video to an animated, looping GIF; the video stays. Returns size and number
    of frames. Stops at the video's end.
    """
    file = files.existing(video_path)
    start, length = seconds(start_time, "start_time"), seconds(duration, "duration")
    if not 0 < length <= LONGEST:
        raise ToolError(f"A GIF lasts up to {LONGEST:g} s, not {length:g}.", code="bad_time")
    whole = film(file)
    if start >= whole:
        raise ToolError(f"{file} lasts {whole:g} s.", code="bad_time", hint="Begin earlier.")
    palette = "split[a][b];[a]palettegen[p];[b][p]paletteuse"
    filters = f"fps={fps},scale={width}:-1:flags=lanczos,{palette}"
    argv = ["ffmpeg", "-nostdin", "-v", "error", "-ss", f"{start:.6f}", "-t", f"{length:.6f}"]
    argv += ["-i", f"file:{file}", "-an", "-filter_complex", filters, "-loop", "0", "-f", "gif"]
    with written(output_path, overwrite) as new:
        ran = commands.run([*argv, f"file:{new}"], WITHIN)
        if ran.code or not new.is_file() or not new.stat().st_size:
            raise ToolError(f"ffmpeg made no GIF: {ran.errors.strip()[-1000:]}", code="no_video")
    path = files.at(output_path)
    with picture(str(path)) as made:
        frames: int = made.n_frames  # type: ignore[attr-defined]
        shown = 0.0
        for number in range(frames):
            made.seek(number)
            shown += made.info.get("duration", 0) / 1000
        return Animation(
            str(path), made.width, made.height, frames, round(shown, 2), path.stat().st_size
        )
