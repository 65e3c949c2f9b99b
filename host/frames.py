"""The screen as the host knows it: the last frame, and patches over it."""

from __future__ import annotations

import zlib
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from host import Frame

__all__ = ["Screen"]


class Patch(BaseModel):
    """The `Ambidex-Frame` header of a screenshot."""

    model_config = ConfigDict(extra="ignore")

    id: str
    size: tuple[int, int]
    base: str | None = None
    rect: tuple[int, int, int, int] | None
    """x, y, width, height of what was sent; null where nothing was."""
    encoding: str = "zlib"
    still: bool = True
    waited: float = 0.0
    focused: str = ""

    @property
    def beside(self) -> dict[str, Any]:
        """What is known of a frame but its pixels."""
        return {"still": self.still, "waited": self.waited, "focused": self.focused}


class Screen:
    """Keeps the last frame of one guest, so that what has not changed need not be sent again."""

    def __init__(self) -> None:
        self.known = ""
        """The guest's name for the frame that is kept; empty before the first."""
        self._pixels: NDArray[np.uint8] = np.zeros((0, 0, 3), np.uint8)
        self._frame: Frame | None = None

    def update(self, unchanged: bool, header: str | None, body: bytes) -> Frame:
        """The frame after an answer of the guest; `ValueError` where the answer does not fit what
        is kept."""
        if unchanged:
            if self._frame is None:
                raise ValueError("nothing has changed, but nothing was known")
            if header:
                patch = Patch.model_validate_json(header)
                return replace(self._frame, **patch.beside)
            return replace(self._frame, still=True, waited=0.0)
        if not header:
            raise ValueError("the Ambidex-Frame header is missing")
        patch = Patch.model_validate_json(header)
        frame = self._apply(patch, _unpacked(patch.encoding, body))
        self.known, self._frame = patch.id, frame
        return frame

    def _apply(self, patch: Patch, body: bytes) -> Frame:
        if patch.rect is None:
            raise ValueError("a frame without its place")
        left, top, width, height = patch.rect
        if patch.base is None:
            if patch.rect != (0, 0, *patch.size):
                raise ValueError("a part of a frame without the frame it belongs to")
            self._pixels = np.empty((height, width, 3), np.uint8)
        elif patch.base != self.known:
            raise ValueError(f"a patch over frame {patch.base!r}, but {self.known!r} is kept")
        if len(body) != width * height * 4:
            raise ValueError(f"{len(body)} bytes for a part of {width}x{height}")
        if left < 0 or top < 0 or left + width > patch.size[0] or top + height > patch.size[1]:
            raise ValueError(f"a part at {patch.rect} of a screen of {patch.size}")
        bgrx = np.frombuffer(body, np.uint8).reshape(height, width, 4)
        self._pixels[top : top + height, left : left + width] = bgrx[:, :, 2::-1]
        frame = Frame.of(patch.size, self._pixels.tobytes())
        return replace(frame, **patch.beside)


def _unpacked(encoding: str, body: bytes) -> bytes:
    match encoding:
        case "zlib":
            try:
                return zlib.decompress(body)
            except zlib.error as error:
                raise ValueError(str(error)) from None
        case "raw":
            return body
    raise ValueError(f"unknown encoding {encoding!r}")
