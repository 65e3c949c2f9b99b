"""The base of an image on its way from a host that has it to one that lacks it.

The sender packs the base into one archive, once. The receiver reads it in pieces, continues after
an interruption where it was, compares the hash of the whole, and unpacks it under another name
first: a base is complete, or not there. Secrets of the sender's machines do not travel.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ambidex.host.cluster import PIECE
from ambidex.host.errors import HostError
from ambidex.vm.namespace import COMMAND
from ambidex.vm.process import run
from ambidex.vm.store import forget, locked, once

__all__ = ["Archive", "fetch_base", "pack_base", "read_archive"]

ARCHIVE = "base.tar"
LEFT_OUT = ("block-secret", "block-names", ".block-names.lock")
"""Names of blocks, and the secret that they are computed with: each host has its own."""
TAR = ("tar", "--numeric-owner", "--xattrs", "--xattrs-include=*")


@dataclass(frozen=True)
class Archive:
    """A packed base."""

    name: str
    """The name of the base's folder."""
    size: int
    hash: str
    """SHA-256."""


def pack_base(base: Path, store: Path) -> Archive:
    """Pack the folder `base` below `store`, unless that has been done, and describe the archive."""

    def build(staging: Path) -> None:
        skip = [f"--exclude=./{name}" for name in LEFT_OUT]
        archive = staging / ARCHIVE
        argv = [*COMMAND, *TAR, "--sort=name", "--sparse", *skip, "-C", base, "-cf", archive, "."]
        run(argv, what=f"packing {base.name}")
        (staging / "sha256").write_text(_hash(archive))

    folder = once(store / base.name, build, lambda text: None)
    size = (folder / ARCHIVE).stat().st_size
    return Archive(base.name, size, (folder / "sha256").read_text())


def read_archive(store: Path, name: str, offset: int) -> bytes:
    """A piece of the archive of the base with that name; empty at its end."""
    if Path(name).name != name:
        raise ValueError(f"not the name of a base: {name!r}")
    with (store / name / ARCHIVE).open("rb") as file:
        file.seek(offset)
        return file.read(PIECE)


def fetch_base(
    archive: Archive, read: Callable[[str, int], bytes], bases: Path, store: Path
) -> Path:
    """Fetch a base into the folder `bases` by `read(name, offset)` and return it. `HostError` if
    what arrived is not what was sent; the next call then starts again."""
    final = bases / archive.name
    if final.exists():
        return final
    partial = store / f"{archive.name}.{archive.hash[:16]}.arriving"
    with locked(store / f".{archive.name}.arriving.lock"):
        if final.exists():  # another worker of this host has fetched it
            return final
        with partial.open("ab") as file:
            while file.tell() < archive.size:
                piece = read(archive.name, file.tell())
                if not piece:
                    break
                file.write(piece)
        if _hash(partial) != archive.hash:
            partial.unlink()
            raise HostError(f"the image's base {archive.name} arrived damaged")
        staging = bases / f".{archive.name}.arriving"
        if staging.exists():
            forget(staging)
        staging.mkdir(parents=True)
        run([*COMMAND, *TAR, "-C", staging, "-xpf", partial], what=f"unpacking {archive.name}")
        os.rename(staging, final)
        partial.unlink()
    return final


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
