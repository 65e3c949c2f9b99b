"""Blocks by number, and disks that hold them."""

from pathlib import Path

import numpy as np

from ambidex.vm.building.image import Base
from ambidex.vm.building.recipe import Screen
from ambidex.vm.checkpoints.block_names import BLOCK
from ambidex.vm.checkpoints.disk_blocks import DiskBlocks, disk_blocks
from ambidex.vm.checkpoints.pack import Rows
from ambidex.vm.process import run

__all__ = ["base_of", "opened", "rows"]


def rows(seeds: list[int]) -> Rows:
    """A block for each seed: the same for the same one, of zeros for 0."""
    made = [
        np.random.default_rng(seed).integers(0, 256 if seed % 2 else 2, BLOCK, dtype=np.uint8)
        * (seed > 0)
        for seed in seeds
    ]
    return np.array(made, dtype=np.uint8).reshape(-1, BLOCK)


def base_of(folder: Path, content: bytes, *how: str) -> Base:
    """A base whose disk holds that."""
    folder.mkdir(parents=True)
    (folder / "raw").write_bytes(content)
    base = Base("desk", "1", folder, "3.11", 1, Screen(), "user")
    run(["qemu-img", "convert", *how, "-O", "qcow2", folder / "raw", base.disk], what="a disk")
    return base


def opened(base: Base) -> DiskBlocks:
    return disk_blocks(base, lambda _: None)
