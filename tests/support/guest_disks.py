"""Disks of guests, made without root and without mounting anything."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ambidex.host.client.disk_files import DiskFiles
from ambidex.vm.disk import Blocks
from ambidex.vm.disk.guest_disk import GuestDisk
from ambidex.vm.process import run

HOME = "home/user"


@dataclass(frozen=True)
class Raw:
    """The content of a raw image; see `vm.disk.Blocks`."""

    path: Path

    def read(self, offset: int, length: int) -> bytes:
        with self.path.open("rb") as file:
            file.seek(offset)
            return file.read(length).ljust(length, b"\0")


@dataclass(frozen=True)
class Bytes:
    """A disk in memory."""

    content: bytes

    def read(self, offset: int, length: int) -> bytes:
        return self.content[offset : offset + length].ljust(length, b"\0")


def make_tree(folder: Path) -> Path:
    """A system's folders with the account `user`, which has the tests' own ids; its home."""
    home = folder / HOME
    for path in (home, folder / "etc", folder / "tmp", folder / "var/tmp"):
        path.mkdir(parents=True)
    ids = f"{os.getuid()}:{os.getgid()}"
    (folder / "etc/passwd").write_text(
        f"root:x:0:0::/root:/bin/sh\nuser:x:{ids}::/{HOME}:/bin/sh\n"
    )
    (folder / "etc/group").write_text("audio:x:29:user\n")
    return home


def make_image(tree: Path, image: Path, *options: str, block: int = 4096) -> Path:
    """A raw image with an ext4 file system that holds that tree."""
    make = ["mke2fs", "-q", "-F", "-t", "ext4", "-b", block, "-d", tree, *options, image, "24M"]
    run(make, what="making a file system")
    return image


def debugfs(image: Path, *commands: str) -> None:
    """Change an image with commands of debugfs."""
    for command in commands:
        run(["debugfs", "-w", "-R", command, image], what="changing a file system")


def files_of(present: Path | Blocks, original: Path | Blocks | None = None) -> DiskFiles:
    """The files of a disk that was `original` before the agent acted; by default it is the same."""
    now = Raw(present) if isinstance(present, Path) else present
    before = Raw(original) if isinstance(original, Path) else original
    return DiskFiles(GuestDisk(now, before or now, "user"))
