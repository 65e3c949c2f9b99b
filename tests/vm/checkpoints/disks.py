"""Blocks made from seeds, and disks that contain them."""

from pathlib import Path

import numpy as np

from ambidex.vm.building.image import Base
from ambidex.vm.building.recipe import Screen
from ambidex.vm.checkpoints.block_names import BLOCK
from ambidex.vm.checkpoints.disk_blocks import DiskBlocks, disk_blocks
from ambidex.vm.checkpoints.pack import Rows
from ambidex.vm.process import run

__all__ = ["make_base", "open_disk", "rows"]


def rows(seeds: list[int]) -> Rows:
    """A block for each seed: equal for equal seeds, zeros for 0."""
    blocks = [
        np.random.default_rng(seed).integers(0, 256 if seed % 2 else 2, BLOCK, dtype=np.uint8)
        * (seed > 0)
        for seed in seeds
    ]
    return np.array(blocks, dtype=np.uint8).reshape(-1, BLOCK)


def make_base(folder: Path, content: bytes, *options: str) -> Base:
    """A base with this content on its disk; `options` are for qemu-img convert."""
    folder.mkdir(parents=True)
    (folder / "raw").write_bytes(content)
    base = Base("desk", "1", folder, "3.11", 1, Screen(), "user")
    convert = ["qemu-img", "convert", *options, "-O", "qcow2", folder / "raw", base.disk]
    run(convert, what="making a disk")
    return base


def open_disk(base: Base) -> DiskBlocks:
    return disk_blocks(base, lambda _: None)
