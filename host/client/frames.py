"""The host's copy of the guest's screen: the last frame, updated by patches."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from ambidex.host import Frame
from ambidex.host.untrusted import MalformedError
from ambidex.host.untrusted.parsing import WIDEST, model, pixels

__all__ = ["Screen"]


WHAT = "the guest's screenshot"
Coordinate = Annotated[int, Field(ge=0, le=WIDEST)]


class Patch(BaseModel):
    """The `Ambidex-Frame` header of a screenshot."""

    model_config = ConfigDict(extra="ignore")

    id: str = Field(max_length=200)
    size: tuple[Coordinate, Coordinate]
    base: str | None = Field(None, max_length=200)
    rect: tuple[Coordinate, Coordinate, Coordinate, Coordinate] | None
    """x, y, width and height of the region that was sent; null if none was."""
    encoding: Literal["zlib", "raw"] = "zlib"
    still: bool = True
    waited: float = Field(0.0, ge=0, le=3600)
    focused: str = Field("", max_length=1000)

    @property
    def attributes(self) -> dict[str, Any]:
        """The fields of the frame other than its pixels."""
        return {"still": self.still, "waited": self.waited, "focused": self.focused}


class Screen:
    """Holds the last frame of a guest, so that unchanged pixels need not be sent again."""

    def __init__(self) -> None:
        self.known = ""
        """The guest's id of the last frame; empty before the first."""
        self._pixels: NDArray[np.uint8] = np.zeros((0, 0, 3), np.uint8)
        self._frame: Frame | None = None

    def update(self, unchanged: bool, header: str | None, body: bytes) -> Frame:
        """Apply an answer of the guest and return the new frame. `MalformedError` if the answer
        does not fit the last frame."""
        if unchanged:
            if self._frame is None:
                raise MalformedError(f"{WHAT} is said to be unchanged, but there was none before")
            if header:
                return replace(self._frame, **_patch(header).attributes)
            return replace(self._frame, still=True, waited=0.0)
        if not header:
            raise MalformedError(f"{WHAT} came without its Ambidex-Frame header")
        patch = _patch(header)
        frame = self._apply(patch, body)
        self.known, self._frame = patch.id, frame
        return frame

    def _apply(self, patch: Patch, body: bytes) -> Frame:
        if patch.rect is None:
            raise MalformedError(f"{WHAT} came without its rectangle")
        left, top, width, height = patch.rect
        whole = patch.base is None
        if whole and patch.rect != (0, 0, *patch.size):
            raise MalformedError(f"{WHAT} is a patch without a base frame")
        if not whole and patch.base != self.known:
            raise MalformedError(
                f"{WHAT} is a patch over frame {patch.base!r}, but the last one is {self.known!r}"
            )
        if not whole and patch.size != self._pixels.shape[1::-1]:
            raise MalformedError(f"{WHAT} changed its size to {patch.size} in a patch")
        if left + width > patch.size[0] or top + height > patch.size[1]:
            raise MalformedError(f"{WHAT}: patch at {patch.rect} exceeds the screen {patch.size}")
        content = pixels(body, patch.encoding, width, height, WHAT)
        bgrx = np.frombuffer(content, np.uint8).reshape(height, width, 4)
        if whole:
            self._pixels = np.empty((height, width, 3), np.uint8)
        self._pixels[top : top + height, left : left + width] = bgrx[:, :, 2::-1]
        frame = Frame.of(patch.size, self._pixels.tobytes())
        return replace(frame, **patch.attributes)


def _patch(header: str) -> Patch:
    return model(Patch, header, f"the header of {WHAT}")
