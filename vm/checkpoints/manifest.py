"""The files of one checkpoint: its manifest, and the tables of blocks that each part consists of.

    <parent>/<name>/memory      block per page; a page that is not listed is the base snapshot's
                    state       block per 4 KiB of the device state
                    disk        block per 4 KiB of the qcow2
                    step.json   the manifest

The manifest holds a hash of every other file and of itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from ambidex.vm import MachineError
from ambidex.vm.checkpoints.block_names import BLOCK, NAME
from ambidex.vm.checkpoints.pack import Rows
from ambidex.vm.machines.domain import Shape

__all__ = [
    "EMPTY_TABLE",
    "PARTS",
    "CheckpointManifest",
    "Table",
    "compare_tables",
    "content_hash",
    "damage_error",
    "join_blocks",
    "make_table",
    "read_manifest",
    "read_table",
    "split_blocks",
]

PARTS = ("memory", "state", "disk")
TABLE_ROW = np.dtype([("number", "<u4"), ("name", f"V{NAME}")])
Table = NDArray[np.void]
"""Rows of `TABLE_ROW`: the block `name` is at position `number`, in blocks from the start."""
EMPTY_TABLE: Table = np.empty(0, dtype=TABLE_ROW)


class CheckpointManifest(BaseModel):
    """The content of `step.json`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    root: str
    """Folder of the base snapshot, relative to the folder of all snapshots."""
    root_hash: str
    image: str
    shape: Shape
    token: str
    way: str
    """How memory was captured: one of `vm.checkpoints.capture.MEMORY_METHODS`."""
    stood_still: float
    """Seconds for which the machine was paused."""
    kept: float
    """When it was saved, in seconds since 1970."""
    parent: str
    """Path of the preceding checkpoint, relative to this one's parent folder; empty for none."""
    added: int
    """Bytes that saving it added to the parent folder."""
    state: int
    """Length of the device state, in bytes."""
    disk: int
    """Length of the qcow2, in bytes."""
    parts: dict[str, str]
    """Hash of each other file."""
    hash: str = ""
    """Hash of all other fields."""

    def sealed(self) -> CheckpointManifest:
        """A copy with its own hash filled in."""
        plain = self.model_copy(update={"hash": ""}).model_dump_json()
        return self.model_copy(update={"hash": content_hash(plain.encode())})

    def to_bytes(self) -> bytes:
        """The canonical bytes of the file.

        Only these are accepted: JSON that differs in the last digit of a float could parse as
        equal.
        """
        return self.model_dump_json(indent=1).encode()


def content_hash(content: bytes) -> str:
    """The hash of some bytes, as stored in `step.json`."""
    return blake2b(content, digest_size=NAME).hexdigest()


def damage_error(checkpoint: Path, reason: str) -> MachineError:
    """The error for a checkpoint whose files are not as they were written."""
    hint = "Delete it and start from another one; or replay the episode up to this step."
    return MachineError(f"the checkpoint {checkpoint} is damaged: {reason}", hint=hint)


def read_manifest(checkpoint: Path) -> CheckpointManifest:
    """The manifest of a checkpoint; `MachineError` if it is missing or damaged."""
    try:
        content = (checkpoint / "step.json").read_bytes()
        manifest = CheckpointManifest.model_validate_json(content)
    except (FileNotFoundError, NotADirectoryError):
        existing = sorted(path.parent.name for path in checkpoint.parent.glob("[!.]*/step.json"))
        hint = f"Checkpoints in {checkpoint.parent}: {', '.join(existing) or 'none'}."
        raise MachineError(f"not a checkpoint: {checkpoint}", hint=hint) from None
    except ValidationError:
        raise damage_error(checkpoint, "step.json has changed since it was written") from None
    if manifest.sealed().to_bytes() != content:
        raise damage_error(checkpoint, "step.json has changed since it was written")
    return manifest


def read_table(checkpoint: Path, part: str, manifest: CheckpointManifest) -> Table:
    """The blocks that a part of a checkpoint consists of; `MachineError` if the file is damaged."""
    try:
        content = (checkpoint / part).read_bytes()
    except OSError as error:
        raise damage_error(checkpoint, f"{part}: {error.strerror}") from None
    if content_hash(content) != manifest.parts[part]:
        raise damage_error(checkpoint, f"{part} has changed since it was written")
    return np.frombuffer(content, dtype=TABLE_ROW)


def make_table(numbers: NDArray[np.int64], names: Sequence[bytes]) -> Table:
    """A table of blocks with these names at these positions."""
    table = np.empty(len(names), dtype=TABLE_ROW)
    table["number"] = numbers
    table["name"] = np.frombuffer(b"".join(names), dtype=f"V{NAME}")
    return table


def compare_tables(table: Table, other: Table) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Indices of the rows of `table` that `other` lacks, and positions that only `other` has."""
    only_other = np.setdiff1d(other["number"], table["number"]).astype(np.int64)
    if not len(other):
        return np.arange(len(table)), only_other
    order = np.argsort(other["number"], kind="stable")
    nearest = np.searchsorted(other["number"], table["number"], sorter=order)
    counterparts = other[order[np.minimum(nearest, len(order) - 1)]]
    return np.flatnonzero(counterparts != table), only_other


def split_blocks(content: bytes) -> tuple[NDArray[np.int64], Rows]:
    """Split bytes into blocks: positions and contents of those that are not all zeros."""
    padded = content + bytes(-len(content) % BLOCK)
    rows = np.frombuffer(padded, dtype=np.uint8).reshape(-1, BLOCK)
    numbers = np.flatnonzero(rows.any(axis=1))
    return numbers, rows[numbers]


def join_blocks(table: Table, rows: Rows, length: int) -> bytes:
    """The bytes that `split_blocks` split: `rows` at the positions of `table`, zeros elsewhere."""
    blocks = np.zeros((-(-length // BLOCK), BLOCK), dtype=np.uint8)
    blocks[table["number"]] = rows
    return blocks.tobytes()[:length]
