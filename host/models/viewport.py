"""The screen as a model sees it: a picture of another size perhaps, with coordinates of its own."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from PIL import Image

from ambidex.host import GUI, Frame, ToolCall
from ambidex.host.records.config import ModelConfig

__all__ = ["POINTS", "View", "data_url"]

POINTS = (("x", "y"), ("to_x", "to_y"))
"""The arguments of GUI tools that are points of the screen."""
FAR = 1e6
"""No screen reaches as far: numbers beyond it, and those that are none, are left to be refused."""


@dataclass(frozen=True)
class View:
    """How frames are shown to a model; sizes are (width, height) in pixels."""

    size: tuple[int, int] | None = None
    """None: as large as the screen."""
    grid: int | None = None
    """Coordinates run from 0 to this in both directions; None: pixels of the picture."""

    @classmethod
    def of(cls, config: ModelConfig) -> View:
        """The view that a configuration asks for."""
        return cls(config.view, config.grid)

    def shown(self, screen: tuple[int, int]) -> tuple[int, int]:
        """Size of the picture of a screen of that size."""
        return self.size or screen

    def extent(self, screen: tuple[int, int]) -> tuple[int, int]:
        """Where the model's coordinates end: width and height in its own unit."""
        return (self.grid, self.grid) if self.grid else self.shown(screen)

    def png(self, frame: Frame) -> bytes:
        """The picture of a frame."""
        if self.shown(frame.size) == frame.size:
            return frame.png()
        picture = Image.frombytes("RGB", frame.size, frame.rgb)
        target = io.BytesIO()
        picture.resize(self.shown(frame.size), Image.Resampling.LANCZOS).save(target, "PNG")
        return target.getvalue()

    def crop(self, frame: Frame, region: tuple[float, float, float, float]) -> bytes:
        """A part of a frame, named by its corners in the model's unit, as large as it fits into the
        picture of the whole."""
        left, top = self.on_screen(region[0], region[1], frame.size)
        right, bottom = self.on_screen(region[2], region[3], frame.size)
        box = (left, top, max(right, left + 1), max(bottom, top + 1))
        picture = Image.frombytes("RGB", frame.size, frame.rgb).crop(box)
        width, height = self.shown(frame.size)
        scale = min(width / picture.width, height / picture.height)
        size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
        target = io.BytesIO()
        picture.resize(size, Image.Resampling.LANCZOS).save(target, "PNG")
        return target.getvalue()

    def on_screen(self, x: float, y: float, screen: tuple[int, int]) -> tuple[int, int]:
        """A point that the model named, in pixels of the screen; not checked to be on it."""
        width, height = self.extent(screen)
        if (width, height) == screen:
            return round(x), round(y)
        # The far edge of the model's range is the last pixel, not the one after it.
        return (
            _scaled(x, width, screen[0]),
            _scaled(y, height, screen[1]),
        )

    def in_view(self, x: float, y: float, screen: tuple[int, int]) -> tuple[int, int]:
        """A pixel of the screen as the model would name it."""
        width, height = self.extent(screen)
        return round(x * width / screen[0]), round(y * height / screen[1])

    def call(self, call: ToolCall, screen: tuple[int, int]) -> ToolCall:
        """A call of a GUI tool with its points on the screen; any other call as it is."""
        if not call.name.startswith(f"{GUI}_"):
            return call
        arguments: Mapping[str, Any] = dict(call.arguments)
        moved: dict[str, Any] = {}
        for across, down in POINTS:
            x, y = arguments.get(across), arguments.get(down)
            if not (isinstance(x, int | float) and isinstance(y, int | float)):
                continue
            if abs(x) < FAR and abs(y) < FAR:
                moved[across], moved[down] = self.on_screen(x, y, screen)
        return replace(call, arguments={**arguments, **moved}) if moved else call


def data_url(png: bytes) -> str:
    """A PNG as a data URL."""
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"


def _scaled(value: float, extent: int, pixels: int) -> int:
    """The same place on another scale; what lies within the extent stays on the screen."""
    at = int(value * pixels / extent)
    return min(at, pixels - 1) if 0 <= value <= extent else at
