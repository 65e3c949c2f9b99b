"""HTTP responses for frames (full size or thumbnail) and for pictures that tools returned."""

from __future__ import annotations

import io
import re
from functools import lru_cache
from pathlib import Path

from starlette.responses import FileResponse, Response

from ambidex.host.records.frame_files import read_frame, read_frame_png

__all__ = ["frame_response"]

HASH = re.compile("[0-9a-f]{32}")
PICTURE = re.compile(r"[0-9a-f]{32}\.[a-z]{3,4}")
WIDTHS = ("240", "480")
FOREVER = {"cache-control": "private, max-age=31536000, immutable"}


def frame_response(folder: Path, name: str, width: str) -> Response:
    """The frame or picture of this name, scaled down if `width` is one of `WIDTHS`. Raises
    `FileNotFoundError` if there is none."""
    if PICTURE.fullmatch(name) and not HASH.fullmatch(name.removesuffix(".png")):
        return FileResponse(folder / name, headers=FOREVER)
    if not HASH.fullmatch(name := name.removesuffix(".png")):
        raise FileNotFoundError(name)
    if width in WIDTHS:
        small = _thumbnail(folder, name, int(width))
        return Response(small, media_type="image/webp", headers=FOREVER)
    return Response(read_frame_png(folder, name), media_type="image/png", headers=FOREVER)


@lru_cache(maxsize=2000)
def _thumbnail(folder: Path, name: str, width: int) -> bytes:
    picture = read_frame(folder, name)
    small = picture.resize((width, round(width * picture.height / picture.width)), reducing_gap=2.0)
    target = io.BytesIO()
    small.save(target, "WEBP", quality=70)
    return target.getvalue()
