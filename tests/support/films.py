"""A film for players to play."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy

__all__ = ["red_film"]


def red_film(folder: Path) -> bytes:
    """A red video of 30 seconds in AVI; `folder` is for a temporary file."""
    path = folder / "red.avi"
    film = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 5, (320, 180))
    for _ in range(150):
        film.write(numpy.full((180, 320, 3), (0, 0, 255), numpy.uint8))
    film.release()
    return path.read_bytes()
