"""Tools that convert pictures and videos between files, with Pillow and ffmpeg."""

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

MAX_PIXELS = 60_000_000
"""Maximum number of pixels of a picture."""
ALPHA_FORMATS = {".png": "PNG", ".webp": "WEBP", ".tif": "TIFF", ".tiff": "TIFF"}
FORMATS: dict[str, tuple[str, tuple[str, ...]]] = {
    "png": ("PNG", ("1", "L", "LA", "P", "RGB", "RGBA", "I;16")),
    "jpg": ("JPEG", ("L", "RGB", "CMYK")),
    "jpeg": ("JPEG", ("L", "RGB", "CMYK")),
    "pdf": ("PDF", ("1", "L", "RGB", "CMYK")),
    "webp": ("WEBP", ("RGB", "RGBA")),
    "gif": ("GIF", ("1", "L", "P", "RGB", "RGBA")),
    "bmp": ("BMP", ("1", "L", "P", "RGB")),
    "tiff": ("TIFF", ("1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I;16")),
}
"""Pillow's name of each format and the image modes it can store."""
MAX_SECONDS = 120.0
"""Maximum length of an animation, in seconds."""
WITHIN = 90.0

Source = Annotated[str, Field(min_length=1, description="the picture, such as ~/Pictures/a.png")]
Output = Annotated[str, Field(min_length=1, description="the file to write; its folder must exist")]
Moment = float | str


@dataclass(frozen=True)
class ConvertedImage:
    """A converted picture; `notes` say what was lost in the conversion."""

    path: str
    format: str
    width: int
    height: int
    bytes: int
    notes: list[str]


@dataclass(frozen=True)
class CutOut:
    """A picture whose background was made transparent, and the share of the area removed."""

    path: str
    width: int
    height: int
    bytes: int
    background: str
    removed_percent: float


@dataclass(frozen=True)
class Animation:
    """An animated GIF that was written."""

    path: str
    width: int
    height: int
    frames: int
    seconds: float
    bytes: int


@contextmanager
def open_image(path: str) -> Iterator[Image]:
    """Open a picture, turned upright; `ToolError` if it is invalid or too large."""
    from PIL import Image, ImageOps, UnidentifiedImageError

    file = files.existing_path(path)
    with files.os_errors(), warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # checked below
        try:
            with Image.open(file) as opened:
                if opened.width * opened.height > MAX_PIXELS:
                    size = f"{opened.width} x {opened.height}"
                    raise ToolError(f"{file} is too large: {size}.", code="too_large")
                opened.load()
                ImageOps.exif_transpose(opened, in_place=True)
                yield opened
        except UnidentifiedImageError:
            raise ToolError(f"Not a readable picture: {file}.", code="no_image") from None
        except (OSError, SyntaxError, ValueError, EOFError) as error:
            if isinstance(error, OSError) and error.errno:
                raise  # an error of the system, not of the picture
            raise ToolError(f"{file} is damaged: {error}.", code="no_image") from None
        except Image.DecompressionBombError as error:
            raise ToolError(f"{file} is too large: {error}.", code="too_large") from None


@contextmanager
def replacing(output: str, overwrite: bool) -> Iterator[Path]:
    """A temporary file that replaces `output` when the block succeeds."""
    target = files.check_target(files.absolute_path(output), overwrite)
    with files.os_errors(), tempfile.TemporaryDirectory(dir=target.parent, prefix=".") as folder:
        new = Path(folder, target.name)
        yield new
        os.replace(new, target)


def save(image: Image, output: str, kind: str, overwrite: bool) -> Path:
    """Write a picture in a format; return the path."""
    profile = image.info.get("icc_profile")
    options = (
        {"icc_profile": profile} if profile and kind in ("PNG", "JPEG", "WEBP", "TIFF") else {}
    )
    if kind == "JPEG":
        options |= {"quality": 92}
    with replacing(output, overwrite) as new:
        try:
            image.save(new, kind, **options)
        except (OSError, ValueError) as error:
            raise ToolError(f"{kind} cannot hold this picture: {error}.", code="failed") from None
    return files.absolute_path(output)


@app.tool(timeout=90)
def convert_image_format(
    image_path: Source,
    output_format: Annotated[
        Literal["png", "jpg", "jpeg", "pdf", "webp", "gif", "bmp", "tiff"],
        Field(description="target format; jpg and jpeg are the same"),
    ],
    output_path: Output,
    overwrite: files.Overwrite = False,
) -> ConvertedImage:
    """Convert a picture or photo to another image format (file type): png, jpg/JPEG, webp, bmp,
    gif, tiff or pdf. The source stays. Photos are turned upright, transparency becomes white in
    jpg, pdf and bmp, of animations the first frame is kept; see `notes`.
    """
    kind, modes = FORMATS[output_format]
    notes = []
    with open_image(image_path) as source:
        if getattr(source, "n_frames", 1) > 1:
            notes.append(f"only the first of {source.n_frames} frames was kept")  # type: ignore[attr-defined]
        image = source
        if source.has_transparency_data and not {"LA", "RGBA"} & set(modes):
            image = flatten_on_white(source)
            notes.append("transparent areas became white")
        if image.mode not in modes:
            image = to_mode(image, modes)
        path = save(image, output_path, kind, overwrite)
    extension = path.suffix.lower().removeprefix(".")
    if FORMATS.get({"tif": "tiff"}.get(extension, extension), ("", ()))[0] != kind:
        notes.append(f"the file's extension does not match its format, {kind}")
    return ConvertedImage(str(path), kind, image.width, image.height, path.stat().st_size, notes)


def flatten_on_white(image: Image) -> Image:
    """The picture on a white background, without transparency."""
    from PIL import Image

    background = Image.new("RGBA", image.size, "white")
    background.alpha_composite(image.convert("RGBA"))
    flat = background.convert("RGB")
    flat.info = dict(image.info)
    return flat


def to_rgba(image: Image) -> Image:
    """The picture converted to RGBA."""
    return (to_mode(image, ("RGBA",)) if image.mode.startswith("I") else image).convert("RGBA")


def to_mode(image: Image, modes: tuple[str, ...]) -> Image:
    """The picture converted to a mode that the format can store."""
    if image.mode.startswith("I"):  # 16-bit grey, which Pillow would clip at 255
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
    target = files.absolute_path(output_path)
    kind = ALPHA_FORMATS.get(target.suffix.lower())
    if kind is None:
        message = f"The format of {target.name} has no transparency."
        raise ToolError(message, code="bad_format", hint="Use .png, .webp or .tiff.")
    with open_image(image_path) as source:
        cut, colour, share = backgrounds.cut_out(to_rgba(source), tolerance)
        cut.info = {"icc_profile": source.info.get("icc_profile")}
        path = save(cut, output_path, kind, overwrite)
    size = path.stat().st_size
    return CutOut(str(path), cut.width, cut.height, size, colour, round(share * 100, 2))


def parse_seconds(value: Moment, argument: str) -> float:
    """Parse 7.5, "7.5", "7.5s", "1:07.5" or "0:01:07.5" into seconds."""
    text = str(value).strip().removesuffix("s")
    if not re.fullmatch(r"(\d{1,3}:){0,2}\d{1,6}(\.\d{1,9})?", text):
        hint = "Give seconds, such as 7.5, or a time such as 00:01:07.5."
        raise ToolError(f"Not a time: {argument}={value!r}.", code="bad_time", hint=hint)
    total = 0.0
    for part in text.split(":"):
        total = total * 60 + float(part)
    return total


def video_duration(file: Path) -> float:
    """Duration of a video in seconds, infinite if unknown; `ToolError` if it is not a video."""
    entries = "stream=codec_type:format=duration"
    argv = ["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", entries]
    result = commands.run([*argv, "-of", "json", f"file:{file}"], 30)
    info: dict[str, Any] = json.loads(result.output or "{}")
    if result.code or not info.get("streams"):
        raise ToolError(f"Not a video: {file}. {result.errors.strip()[-500:]}", code="no_video")
    duration = info.get("format", {}).get("duration", "")
    # Streams have no duration.
    return float(duration) if re.fullmatch(r"[\d.]+", duration) else math.inf


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
    file = files.existing_path(video_path)
    start, length = parse_seconds(start_time, "start_time"), parse_seconds(duration, "duration")
    if not 0 < length <= MAX_SECONDS:
        raise ToolError(f"A GIF may last up to {MAX_SECONDS:g} s, not {length:g}.", code="bad_time")
    total = video_duration(file)
    if start >= total:
        raise ToolError(f"{file} lasts only {total:g} s.", code="bad_time", hint="Start earlier.")
    palette = "split[a][b];[a]palettegen[p];[b][p]paletteuse"
    filters = f"fps={fps},scale={width}:-1:flags=lanczos,{palette}"
    argv = ["ffmpeg", "-nostdin", "-v", "error", "-ss", f"{start:.6f}", "-t", f"{length:.6f}"]
    argv += ["-i", f"file:{file}", "-an", "-filter_complex", filters, "-loop", "0", "-f", "gif"]
    with replacing(output_path, overwrite) as new:
        result = commands.run([*argv, f"file:{new}"], WITHIN)
        if result.code or not new.is_file() or not new.stat().st_size:
            raise ToolError(
                f"ffmpeg did not write a GIF: {result.errors.strip()[-1000:]}", code="no_video"
            )
    path = files.absolute_path(output_path)
    with open_image(str(path)) as gif:
        frames: int = gif.n_frames  # type: ignore[attr-defined]
        played = 0.0
        for number in range(frames):
            gif.seek(number)
            played += gif.info.get("duration", 0) / 1000
        return Animation(
            str(path), gif.width, gif.height, frames, round(played, 2), path.stat().st_size
        )
