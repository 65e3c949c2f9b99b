"""Frames on disk: stored once each, most of them as patches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from ambidex.host import Frame
from ambidex.host.records.frame_files import FrameWriter, read_frame, read_frame_png

SIZE = (320, 200)


def noise(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (SIZE[1], SIZE[0], 3), np.uint8)


def frame(pixels: np.ndarray) -> Frame:
    return Frame.of((pixels.shape[1], pixels.shape[0]), pixels.tobytes())


def kept(folder: Path, name: str) -> bytes:
    return read_frame(folder, name).tobytes()


def test_a_similar_frame_is_stored_as_a_patch(tmp_path: Path) -> None:
    pictures, pixels = FrameWriter(tmp_path), noise(1)
    first = frame(pixels)
    pixels[20:40, 30:90] = 7
    second = frame(pixels)
    for each in (first, second, first, second):
        pictures.add(each)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [f"{first.hash}.png", f"{second.hash}.patch.png"]
    )
    assert kept(tmp_path, first.hash) == first.rgb
    assert kept(tmp_path, second.hash) == second.rgb
    whole, patch = (
        (tmp_path / name).stat().st_size
        for name in (f"{first.hash}.png", f"{second.hash}.patch.png")
    )
    assert patch * 20 < whole
    assert read_frame_png(tmp_path, second.hash)[:4] == b"\x89PNG"


def test_pixels_between_distant_changes_are_not_stored_again(tmp_path: Path) -> None:
    pictures, pixels = FrameWriter(tmp_path), noise(1)
    first = pictures.add(frame(pixels))
    pixels[2:6, 2:9] ^= 255
    pixels[-6:-2, -9:-2] ^= 255
    second = pictures.add(frame(pixels))
    whole, patch = tmp_path / f"{first}.png", tmp_path / f"{second}.patch.png"
    assert patch.stat().st_size * 50 < whole.stat().st_size
    assert kept(tmp_path, second) == pixels.tobytes()


def test_a_resized_or_entirely_new_screen_is_stored_whole(tmp_path: Path) -> None:
    pictures = FrameWriter(tmp_path)
    for pixels in (noise(1), noise(2), noise(3)[:100]):
        pictures.add(frame(pixels))
    assert {path.name.partition(".")[2] for path in tmp_path.iterdir()} == {"png"}


def test_a_frame_is_whole_or_one_patch_over_a_whole_one(tmp_path: Path) -> None:
    pictures, pixels = FrameWriter(tmp_path), noise(1)
    names = []
    for at in range(0, SIZE[1], 4):
        pixels[at : at + 4] ^= 255
        names.append(pictures.add(frame(pixels)))
    assert len(list(tmp_path.glob("*[0-9a-f].png"))) > 1, "what has changed much is whole again"
    patches = list(tmp_path.glob("*.patch.png"))
    assert len(patches) > len(names) / 2
    for path in patches:
        with Image.open(path) as patch:
            assert (tmp_path / f"{patch.info['over']}.png").exists()
    assert kept(tmp_path, names[-1]) == pixels.tobytes()


def test_a_missing_frame_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="abc"):
        read_frame(tmp_path, "abc")


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(*[st.integers(0, 31)] * 4, st.integers(0, 3)), min_size=1, max_size=12))
def test_every_frame_is_read_back_unchanged(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, int, int, int, int]]
) -> None:
    folder = tmp_path_factory.mktemp("frames")
    pictures, pixels = FrameWriter(folder), np.zeros((32, 32, 3), np.uint8)
    stored = {}
    for left, top, width, height, colour in changes:
        pixels[top : top + height, left : left + width] = colour
        stored[pictures.add(frame(pixels))] = pixels.tobytes()
    assert {name: kept(folder, name) for name in stored} == stored
