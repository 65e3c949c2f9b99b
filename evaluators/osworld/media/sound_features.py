"""The distance of two sounds: their spectra frame by frame, along the best alignment in time.

Frames are mel cepstra (20 coefficients, 2048 samples every 512, Slaney's scale of 128 bands). The
alignment is FastDTW (Salvador and Chan 2007, radius 1) with the cosine distance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dct, rfft

__all__ = ["alignment_distance", "cepstra"]

Array = NDArray[np.float64]
Path = list[tuple[int, int]]
WINDOW, HOP, BANDS, COEFFICIENTS = 2048, 512, 128, 20
DYNAMIC_RANGE = 80.0
"""Decibels below the loudest band at which levels are cut off."""
AT_ONCE = 4096


def cepstra(samples: NDArray[np.float32], rate: int) -> Array:
    """Mel cepstra, shape (frames, COEFFICIENTS), one row per `HOP` samples, columns scaled to 1."""
    padded = np.pad(samples, WINDOW // 2)
    windows = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP]
    shape = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)
    bands = _bands(rate)
    power = np.concatenate(
        [
            np.abs(rfft(windows[start : start + AT_ONCE] * shape, axis=1)) ** 2 @ bands.T
            for start in range(0, len(windows), AT_ONCE)
        ]
    )
    loudness = 10 * np.log10(np.maximum(power, 1e-10))
    loudness = np.maximum(loudness, loudness.max() - DYNAMIC_RANGE)
    rows: Array = dct(loudness, axis=1, norm="ortho")[:, :COEFFICIENTS]
    largest = np.abs(rows).max(axis=0)
    return rows / np.where(largest < np.finfo(np.float64).tiny, 1, largest)


def alignment_distance(one: Array, other: Array) -> float:
    """Mean distance along the best alignment; 0 for identical sounds."""
    path, total = _aligned(one, other)
    return max(total, 0.0) / len(path)


def _bands(rate: int) -> Array:
    """Triangular filters over a spectrum's frequencies, of unit area, evenly spaced in mel."""

    def hertz(mel: Array) -> Array:
        step = 200 / 3  # linear below 1 kHz; above, a factor of 6.4 in 27 steps
        high = 1000.0 * np.exp(np.log(6.4) / 27 * (mel - 15.0))
        return np.where(mel < 15.0, mel * step, high)

    top = 15.0 + np.log(rate / 2 / 1000) * 27 / np.log(6.4)
    edges = hertz(np.linspace(0, top, BANDS + 2))
    spectrum = np.fft.rfftfreq(WINDOW, 1 / rate)
    low, middle, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    rise, fall = (spectrum - low) / (middle - low), (high - spectrum) / (high - middle)
    triangles: Array = np.maximum(0, np.minimum(rise, fall)) * 2 / (high - low)
    return triangles


def _aligned(one: Array, other: Array) -> tuple[Path, float]:
    if min(len(one), len(other)) < 3:
        return _best(one, other, [(0, len(other))] * len(one))
    coarse, _ = _aligned(_halved(one), _halved(other))
    return _best(one, other, _around(coarse, len(one), len(other)))


def _halved(rows: Array) -> Array:
    even = len(rows) - len(rows) % 2
    return (rows[:even:2] + rows[1:even:2]) / 2


def _around(coarse: Path, rows: int, columns: int) -> list[tuple[int, int]]:
    """For every row, the range of columns within one coarse step of the coarse path."""
    start, end = [columns] * rows, [0] * rows
    for row, column in coarse:
        first, last = max(0, 2 * (column - 1)), min(columns, 2 * (column + 2))
        for fine_row in range(max(0, 2 * (row - 1)), min(rows, 2 * (row + 2))):
            start[fine_row], end[fine_row] = min(start[fine_row], first), max(end[fine_row], last)
    return list(zip(start, end, strict=True))


def _best(one: Array, other: Array, around: list[tuple[int, int]]) -> tuple[Path, float]:
    """The cheapest path through the given columns of each row, with its cost."""
    first, second = _unit(one), _unit(other)
    costs: list[list[float]] = []
    for row, (start, end) in enumerate(around):
        distances = (1 - second[start:end] @ first[row]).tolist()
        above, offset = (costs[-1], around[row - 1][0]) if costs else ([], 0)
        line: list[float] = []
        for place, distance in enumerate(distances):
            column = start + place - offset
            before = [line[-1]] if line else []
            before += above[max(0, column - 1) : column + 1] if column >= 0 else []
            if before:
                line.append(distance + min(before))
            else:
                line.append(distance if row == 0 and start + place == 0 else np.inf)
        costs.append(line)
    return _path(costs, around), costs[-1][-1]


def _path(costs: list[list[float]], around: list[tuple[int, int]]) -> Path:
    def cost(row: int, column: int) -> float:
        if row < 0 or not around[row][0] <= column < around[row][1]:
            return np.inf
        return costs[row][column - around[row][0]]

    at = len(costs) - 1, around[-1][1] - 1
    path = [at]
    while at != (0, 0):
        row, column = at
        steps = [(row - 1, column - 1), (row - 1, column), (row, column - 1)]
        at = min(steps, key=lambda step: cost(*step))
        path.append(at)
    return path[::-1]


def _unit(rows: Array) -> Array:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Array = rows / np.where(lengths == 0, 1, lengths)
    return unit
