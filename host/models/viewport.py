"""The screen as a model sees it: possibly scaled, with coordinates in the model's own unit."""

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
"""The arguments of GUI tools that are screen coordinates."""
FAR = 1e6
"""Beyond any screen. Larger numbers, infinities and NaN are passed on for the guest to refuse."""


@dataclass(frozen=True)
class View:
    """How frames are shown to a model. Sizes are (width, height) in pixels."""

    size: tuple[int, int] | None = None
    """None: the size of the screen."""
    grid: int | None = None
    """Coordinates range from 0 to this in both directions; None: pixels of the scaled picture."""

    @classmethod
    def of(cls, config: ModelConfig) -> View:
        """The view that a model's configuration describes."""
        return cls(config.view, config.grid)

    def scaled_size(self, screen: tuple[int, int]) -> tuple[int, int]:
        """Size of the picture that shows a screen of that size."""
        return self.size or screen

    def extent(self, screen: tuple[int, int]) -> tuple[int, int]:
        """Upper end of the model's coordinates: width and height in the model's unit."""
        return (self.grid, self.grid) if self.grid else self.scaled_size(screen)

    def png(self, frame: Frame) -> bytes:
        """The frame as a scaled PNG."""
        if self.scaled_size(frame.size) == frame.size:
            return frame.png()
        picture = Image.frombytes("RGB", frame.size, frame.rgb)
        target = io.BytesIO()
        picture.resize(self.scaled_size(frame.size), Image.Resampling.LANCZOS).save(target, "PNG")
        return target.getvalue()

    def urls(self, frame: Frame | None) -> list[str]:
        """The frame as a data URL; empty if there is none."""
        return [data_url(self.png(frame))] if frame else []

    def crop(self, frame: Frame, region: tuple[float, float, float, float]) -> bytes:
        """A region of a frame as PNG, enlarged to fit the size of the whole picture. The region is
        (left, top, right, bottom) in the model's unit."""
        left, top = self.on_screen(region[0], region[1], frame.size)
        right, bottom = self.on_screen(region[2], region[3], frame.size)
        box = (left, top, max(right, left + 1), max(bottom, top + 1))
        picture = Image.frombytes("RGB", frame.size, frame.rgb).crop(box)
        width, height = self.scaled_size(frame.size)
        scale = min(width / picture.width, height / picture.height)
        size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
        target = io.BytesIO()
        picture.resize(size, Image.Resampling.LANCZOS).save(target, "PNG")
        return target.getvalue()

    def on_screen(self, x: float, y: float, screen: tuple[int, int]) -> tuple[int, int]:
        """Convert a point from the model's unit to screen pixels, without checking its range."""
        width, height = self.extent(screen)
        if (width, height) == screen:
            return round(x), round(y)
        # The far edge of the model's range is the last pixel, not the one after it.
        return (
            _scaled(x, width, screen[0]),
            _scaled(y, height, screen[1]),
        )

    def in_view(self, x: float, y: float, screen: tuple[int, int]) -> tuple[int, int]:
        """Convert a point from screen pixels to the model's unit."""
        width, height = self.extent(screen)
        return round(x * width / screen[0]), round(y * height / screen[1])

    def call(self, call: ToolCall, screen: tuple[int, int]) -> ToolCall:
        """Convert the points of a GUI tool's call to screen pixels; other calls are unchanged."""
        if not call.name.startswith(f"{GUI}_"):
            return call
        arguments: Mapping[str, Any] = dict(call.arguments)
        converted: dict[str, Any] = {}
        for x_name, y_name in POINTS:
            x, y = arguments.get(x_name), arguments.get(y_name)
            if not (isinstance(x, int | float) and isinstance(y, int | float)):
                continue
            if abs(x) < FAR and abs(y) < FAR:
                converted[x_name], converted[y_name] = self.on_screen(x, y, screen)
        return replace(call, arguments={**arguments, **converted}) if converted else call


def data_url(png: bytes) -> str:
    """A PNG as a data URL."""
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"


def _scaled(value: float, extent: int, pixels: int) -> int:
    """Scale a coordinate; a value within the extent stays on the screen."""
    pixel = int(value * pixels / extent)
    return min(pixel, pixels - 1) if 0 <= value <= extent else pixel
