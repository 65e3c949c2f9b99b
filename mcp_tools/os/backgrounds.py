"""An even background cut out of a picture: what has its colour and is connected with the edge.

Works on runs of background pixels, row by row, so that large pictures take seconds without any
library for numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from ambidex.mcp_tools import ToolError

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["connected", "cut_out"]

RUN = re.compile(rb"\xff+")
RUNS = 6_000_000
"""Of one picture; more would not fit into memory."""
SHADES = 8
"""That count as one colour where the background is looked for."""


def cut_out(image: Image, tolerance: int) -> tuple[Image, str, float]:
    """The RGBA picture without its background, the background's colour, and which part it is."""
    from PIL import Image, ImageChops

    colour = edge_colour(image)
    near = [255 * (abs(value - wanted) <= tolerance) for wanted in colour for value in range(256)]
    alike, *others = image.convert("RGB").point(near).split()
    for each in others:
        alike = ImageChops.darker(alike, each)
    alpha = image.getchannel("A")
    clear = alpha.point([255, *[0] * 255])
    mask = ImageChops.lighter(alike, clear).tobytes()
    gone = connected(mask, image.width, image.height)
    kept = ImageChops.subtract(alpha, Image.frombytes("L", image.size, gone))
    if kept.getextrema() == (0, 0):
        hint = "Lower `tolerance`."
        raise ToolError("Nothing of the picture would be left.", code="nothing_left", hint=hint)
    result = image.copy()
    result.putalpha(kept)
    return result, "#{:02x}{:02x}{:02x}".format(*colour), gone.count(255) / len(gone)


def edge_colour(image: Image) -> tuple[int, int, int]:
    """The colour that most of the edge of an RGBA picture has; what is transparent has none."""
    width, height = image.size
    edges = ((0, 0, width, 1), (0, height - 1, width, height))
    sides = ((0, 0, 1, height), (width - 1, 0, width, height))
    found: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for box in (*edges, *sides):
        raw = image.crop(box).tobytes()
        for red, green, blue, alpha in zip(*(raw[band::4] for band in range(4)), strict=True):
            if alpha >= 128:
                shade = (red // SHADES, green // SHADES, blue // SHADES)
                found.setdefault(shade, []).append((red, green, blue))
    if not found:
        raise ToolError("The edge of the picture is transparent already.", code="no_background")
    most = max(found.values(), key=len)
    red, green, blue = (round(sum(band) / len(most)) for band in zip(*most, strict=True))
    return red, green, blue


def connected(mask: bytes, width: int, height: int) -> bytes:
    """Of the pixels that are 255 those that are connected with the edge, side by side."""
    edge = 0
    above = [edge]  # which run each run was found to belong to; the edge is the first

    def root(run: int) -> int:
        while above[run] != run:
            above[run] = above[above[run]]
            run = above[run]
        return run

    def join(one: int, other: int) -> None:
        one, other = sorted((root(one), root(other)))
        above[other] = one

    rows: list[list[tuple[int, int, int]]] = []
    for y in range(height):
        start = y * width
        row = []
        for match in RUN.finditer(mask, start, start + width):
            run = len(above)
            above.append(run)
            row.append((match.start() - start, match.end() - start, run))
            if y in (0, height - 1) or match.start() == start or match.end() == start + width:
                join(run, edge)
        if rows:
            meet(rows[-1], row, join)
        rows.append(row)
        if len(above) > RUNS:
            raise ToolError("The picture is too large and too uneven.", code="too_large")
    found = bytearray(len(mask))
    for y, row in enumerate(rows):
        for first, end, run in row:
            if root(run) == edge:
                found[y * width + first : y * width + end] = b"\xff" * (end - first)
    return bytes(found)


def meet(
    upper: list[tuple[int, int, int]],
    lower: list[tuple[int, int, int]],
    join: Callable[[int, int], None],
) -> None:
    """Join the runs of two rows that touch each other; both are in order."""
    one = other = 0
    while one < len(upper) and other < len(lower):
        first, end, run = upper[one]
        begin, stop, below = lower[other]
        if first < stop and begin < end:
            join(run, below)
        if end < stop:
            one += 1
        else:
            other += 1
