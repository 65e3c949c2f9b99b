"""Blocks of an image's disk: found by name, not stored again, and damage is detected."""

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
from ambidex.vm.checkpoints.blocks import BlockStore
from ambidex.vm.checkpoints.disk_blocks import DiskBlocks, disk_blocks
from ambidex.vm.checkpoints.pack import BlockError
from tests.vm.checkpoints.disks import make_base, open_disk, rows


def which_are_indexed(disk: DiskBlocks, seeds: list[int]) -> list[bool]:
    return [place >= 0 for place in disk.find(disk.names.of(rows(seeds).tobytes()))]


SEEDS = st.lists(st.integers(1, 40), max_size=100)


@given(on_disk=SEEDS.filter(bool), added=SEEDS)
@settings(max_examples=15)
def test_blocks_on_the_disk_are_read_from_there_and_not_stored(
    on_disk: list[int], added: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        disk = open_disk(make_base(Path(scratch) / "base", rows(on_disk).tobytes()))
        folder = Path(scratch) / "blocks"
        [names], size = BlockStore(folder, disk).add([rows(added)])
        assert (BlockStore(folder, disk).read(names) == rows(added)).all()
        stored = {*added} - {*on_disk}
        assert (size == 0) == (not stored)
        without_disk = BlockStore(folder)
        for name, seed in zip(names, added, strict=True):
            if seed in stored:
                assert (without_disk.read([name]) == rows([seed])).all()
            else:
                with pytest.raises(BlockError, match="in no pack"):
                    without_disk.read([name])


def test_zeros_and_compressed_blocks_are_not_indexed(tmp_path: Path) -> None:
    content = rows([1] * 16 + [0] * 48 + [3, 5] * 8).tobytes()
    disk = open_disk(make_base(tmp_path / "plain", content))
    assert which_are_indexed(disk, [0, 1, 3, 5, 7]) == [False, True, True, True, False]
    even = rows([2] * 16).tobytes()
    assert which_are_indexed(open_disk(make_base(tmp_path / "packed", even, "-c")), [2]) == [False]


def test_a_change_or_truncation_of_the_disk_is_detected(tmp_path: Path) -> None:
    base = make_base(tmp_path / "base", rows(list(range(1, 33))).tobytes())
    disk = open_disk(base)
    names = disk.names.of(rows([1, 2]).tobytes())
    places = disk.find(names)
    assert (disk.read(places, names) == rows([1, 2])).all()
    with base.disk.open("r+b") as file:
        file.seek(int(places[1]) * BLOCK + 7)
        file.write(b"!")
    with pytest.raises(BlockError, match="has changed"):
        disk.read(places, names)
    with base.disk.open("r+b") as file:
        file.truncate(BLOCK)
    with pytest.raises(BlockError, match="is truncated"):
        disk.read(places, names)


def test_the_index_is_built_once_and_a_damaged_one_is_refused(tmp_path: Path) -> None:
    messages: list[str] = []
    base = make_base(tmp_path / "base", rows([1, 2]).tobytes())
    for _ in range(2):
        disk_blocks(base, messages.append)
    assert len(messages) == 1
    copy = shutil.copytree(base.folder, tmp_path / "copy")
    index = copy / "block-names" / "index"
    content = bytearray(index.read_bytes())
    content[20] ^= 1
    index.write_bytes(content)
    with pytest.raises(MachineError, match="has changed since it was written") as caught:
        open_disk(Base("desk", "1", copy, "3.11", 1, Screen(), "user"))
    shutil.rmtree(index.parent)
    assert "built again" in caught.value.hint
    assert which_are_indexed(
        open_disk(Base("desk", "1", copy, "3.11", 1, Screen(), "user")), [1]
    ) == [True]


def test_an_empty_disk_has_no_blocks(tmp_path: Path) -> None:
    disk = open_disk(make_base(tmp_path / "base", bytes(16 * BLOCK)))
    assert disk.find([]).tolist() == []
    assert disk.find([bytes(16)]).tolist() == [-1]
    assert disk.read(np.empty(0, dtype=np.int64), []).shape == (0, BLOCK)
