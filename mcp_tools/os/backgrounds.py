"""Removing a plain background: pixels of its colour that are connected to the picture's edge.

Works on runs of background pixels, row by row, so that large pictures take seconds without a
numeric library.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from ambidex.mcp_tools import ToolError

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["connected_to_edge", "cut_out"]

RUN = re.compile(rb"\xff+")
RUNS = 6_000_000
"""Maximum number of runs in a picture; more would not fit into memory."""
SHADES = 8
"""Width of the colour bins used to find the background colour."""


def cut_out(image: Image, tolerance: int) -> tuple[Image, str, float]:
    """Make the background of an RGBA picture transparent; return it, the colour and its share."""
    from PIL import Image, ImageChops

    colour = edge_colour(image)
    near = [255 * (abs(value - channel) <= tolerance) for channel in colour for value in range(256)]
    similar, *rest = image.convert("RGB").point(near).split()
    for other in rest:
        similar = ImageChops.darker(similar, other)
    alpha = image.getchannel("A")
    clear = alpha.point([255, *[0] * 255])
    mask = ImageChops.lighter(similar, clear).tobytes()
    background = connected_to_edge(mask, image.width, image.height)
    remaining = ImageChops.subtract(alpha, Image.frombytes("L", image.size, background))
    if remaining.getextrema() == (0, 0):
        hint = "Use a lower `tolerance`."
        raise ToolError("Nothing would be left of the picture.", code="nothing_left", hint=hint)
    result = image.copy()
    result.putalpha(remaining)
    return result, "#{:02x}{:02x}{:02x}".format(*colour), background.count(255) / len(background)


def edge_colour(image: Image) -> tuple[int, int, int]:
    """The commonest colour along the edge of an RGBA picture, ignoring transparent pixels."""
    width, height = image.size
    edges = ((0, 0, width, 1), (0, height - 1, width, height))
    sides = ((0, 0, 1, height), (width - 1, 0, width, height))
    shades: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for box in (*edges, *sides):
        raw = image.crop(box).tobytes()
        for red, green, blue, alpha in zip(*(raw[band::4] for band in range(4)), strict=True):
            if alpha >= 128:
                shade = (red // SHADES, green // SHADES, blue // SHADES)
                shades.setdefault(shade, []).append((red, green, blue))
    if not shades:
        raise ToolError("The edge of the picture is already transparent.", code="no_background")
    commonest = max(shades.values(), key=len)
    red, green, blue = (round(sum(band) / len(commonest)) for band in zip(*commonest, strict=True))
    return red, green, blue


def connected_to_edge(mask: bytes, width: int, height: int) -> bytes:
    """Mask of the pixels of value 255 that are connected to the edge, through sides only."""
    edge = 0
    parent = [edge]  # union-find forest of runs; the edge is run 0

    def root(run: int) -> int:
        while parent[run] != run:
            parent[run] = parent[parent[run]]
            run = parent[run]
        return run

    def join(first: int, second: int) -> None:
        first, second = sorted((root(first), root(second)))
        parent[second] = first

    rows: list[list[tuple[int, int, int]]] = []
    for y in range(height):
        start = y * width
        row = []
        for match in RUN.finditer(mask, start, start + width):
            run = len(parent)
            parent.append(run)
            row.append((match.start() - start, match.end() - start, run))
            if y in (0, height - 1) or match.start() == start or match.end() == start + width:
                join(run, edge)
        if rows:
            join_touching(rows[-1], row, join)
        rows.append(row)
        if len(parent) > RUNS:
            raise ToolError("The picture is too large and too noisy.", code="too_large")
    result = bytearray(len(mask))
    for y, row in enumerate(rows):
        for first, end, run in row:
            if root(run) == edge:
                result[y * width + first : y * width + end] = b"\xff" * (end - first)
    return bytes(result)


def join_touching(
    upper: list[tuple[int, int, int]],
    lower: list[tuple[int, int, int]],
    join: Callable[[int, int], None],
) -> None:
    """Join the touching runs of two adjacent rows, each sorted from left to right."""
    i = j = 0
    while i < len(upper) and j < len(lower):
        first, end, run = upper[i]
        begin, stop, below = lower[j]
        if first < stop and begin < end:
            join(run, below)
        if end < stop:
            i += 1
        else:
            j += 1
