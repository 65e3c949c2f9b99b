"""Blocks of an image's disk: they are found by name, not kept again, and damage is told."""

import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ambidex.vm import MachineError
from ambidex.vm.building.image import Base
from ambidex.vm.building.recipe import Screen
from ambidex.vm.checkpoints.block_names import BLOCK
from ambidex.vm.checkpoints.blocks import Blocks
from ambidex.vm.checkpoints.disk_blocks import DiskBlocks, disk_blocks
from ambidex.vm.checkpoints.pack import BlockError
from tests.machines.disks import base_of, opened, rows


def found(disk: DiskBlocks, seeds: list[int]) -> list[bool]:
    return [place >= 0 for place in disk.find(disk.names.of(rows(seeds).tobytes()))]


SEEDS = st.lists(st.integers(1, 40), max_size=100)


@given(below=SEEDS.filter(bool), kept=SEEDS)
@settings(max_examples=15)
def test_what_the_disk_has_is_read_from_there_and_not_kept(
    below: list[int], kept: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        disk = opened(base_of(Path(scratch) / "base", rows(below).tobytes()))
        folder = Path(scratch) / "blocks"
        [names], added = Blocks(folder, disk).add([rows(kept)])
        assert (Blocks(folder, disk).read(names) == rows(kept)).all()
        others = {*kept} - {*below}
        assert (added == 0) == (not others)
        alone = Blocks(folder)
        for name, seed in zip(names, kept, strict=True):
            if seed in others:
                assert (alone.read([name]) == rows([seed])).all()
            else:
                with pytest.raises(BlockError, match="in no pack"):
                    alone.read([name])


def test_zeros_and_what_is_compressed_are_not_looked_for(tmp_path: Path) -> None:
    content = rows([1] * 16 + [0] * 48 + [3, 5] * 8).tobytes()
    disk = opened(base_of(tmp_path / "plain", content))
    assert found(disk, [0, 1, 3, 5, 7]) == [False, True, True, True, False]
    even = rows([2] * 16).tobytes()
    assert found(opened(base_of(tmp_path / "packed", even, "-c")), [2]) == [False]


def test_a_disk_that_has_changed_is_told(tmp_path: Path) -> None:
    base = base_of(tmp_path / "base", rows(list(range(1, 33))).tobytes())
    disk = opened(base)
    names = disk.names.of(rows([1, 2]).tobytes())
    places = disk.find(names)
    assert (disk.read(places, names) == rows([1, 2])).all()
    with base.disk.open("r+b") as file:
        file.seek(int(places[1]) * BLOCK + 7)
        file.write(b"!")
    with pytest.raises(BlockError, match="not what it was"):
        disk.read(places, names)
    with base.disk.open("r+b") as file:
        file.truncate(BLOCK)
    with pytest.raises(BlockError, match="cut off"):
        disk.read(places, names)


def test_they_are_named_once_and_a_damaged_index_is_refused(tmp_path: Path) -> None:
    said: list[str] = []
    base = base_of(tmp_path / "base", rows([1, 2]).tobytes())
    for _ in range(2):
        disk_blocks(base, said.append)
    assert len(said) == 1
    copy = shutil.copytree(base.folder, tmp_path / "copy")
    index = copy / "block-names" / "index"
    content = bytearray(index.read_bytes())
    content[20] ^= 1
    index.write_bytes(content)
    with pytest.raises(MachineError, match="not what was written") as caught:
        opened(Base("desk", "1", copy, "3.11", 1, Screen(), "user"))
    shutil.rmtree(index.parent)
    assert "made again" in caught.value.hint
    assert found(opened(Base("desk", "1", copy, "3.11", 1, Screen(), "user")), [1]) == [True]


def test_an_empty_disk_has_no_blocks(tmp_path: Path) -> None:
    disk = opened(base_of(tmp_path / "base", bytes(16 * BLOCK)))
    assert disk.find([]).tolist() == []
    assert disk.find([bytes(16)]).tolist() == [-1]
    assert disk.read(np.empty(0, dtype=np.int64), []).shape == (0, BLOCK)
