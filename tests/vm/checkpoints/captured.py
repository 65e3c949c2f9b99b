"""Machines to save: made from seeds, without a machine."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from ambidex.vm.building.image import Base, Image
from ambidex.vm.building.recipe import Screen
from ambidex.vm.checkpoints.capture import CapturedMachine, pages_to_write
from ambidex.vm.checkpoints.manifest import EMPTY_TABLE, Table
from ambidex.vm.checkpoints.memory import PAGE, Pages
from ambidex.vm.machines.domain import Shape
from ambidex.vm.machines.snapshot import write_snapshot

__all__ = ["captured", "make_root", "memory", "root", "same", "size", "the_image"]

SHAPE = Shape("qemu", 2, 1, (1280, 720))
"""Hardware with one MiB of memory."""


def make_root(cache: Path, token: str = "first") -> Path:
    """Make a base snapshot in which only the memory file has content."""
    folder = cache / "snapshots" / "desk-1" / "ready"
    folder.mkdir(parents=True, exist_ok=True)
    for part in ("state", "disk.qcow2"):
        (folder / part).touch()
    (folder / "memory").write_bytes(np.random.default_rng(0).bytes(256 * PAGE))
    write_snapshot(folder, "ready", the_image(), token, SHAPE, stood_still=0.1)
    return folder


def the_image() -> Image:
    base = Base("desk", "1", Path("/nowhere"), "3.11", 1, Screen(), "user")
    return Image(base, None, "id")


def captured(root: Path, seed: int, pages: int = 20) -> CapturedMachine:
    """A machine that shares half of its pages with the machine of any other seed."""
    random = np.random.default_rng(seed)
    numbers = np.sort(random.choice(256, pages, replace=False))
    content = random.integers(0, 256, (pages, PAGE), dtype=np.uint8)
    content[: pages // 2] = np.arange(PAGE, dtype=np.uint8)
    disk = bytes(5 * PAGE) + random.bytes(3 * PAGE) + b"end"
    state = random.bytes(2 * PAGE + seed % PAGE)
    parts = [Pages(numbers[part], content[part]) for part in (slice(7), slice(7, None))]
    return CapturedMachine(
        root=root,
        shape=SHAPE,
        token=f"token-{seed}",
        way="pages",
        stood_still=lambda: 0.25,
        pages=partial(pages_to_write, lambda: parts, root / "memory"),
        state=state,
        disk=disk,
    )


def same(one: CapturedMachine, other: CapturedMachine) -> bool:
    same_pause = one.stood_still() == other.stood_still()
    same_fields = replace(one, pages=other.pages, stood_still=other.stood_still) == other
    return same_pause and same_fields and memory(one) == memory(other)


def memory(captured: CapturedMachine, loaded: Table = EMPTY_TABLE) -> dict[int, bytes]:
    """The content of each page that differs from the base snapshot with `loaded` over it."""
    return {
        int(number): content.tobytes()
        for part in captured.pages(loaded)
        for number, content in zip(part.numbers, part.content, strict=True)
    }


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AMBIDEX_CACHE", str(tmp_path / "cache"))
    return make_root(tmp_path / "cache")
