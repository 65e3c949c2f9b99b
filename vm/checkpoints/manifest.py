"""A step's own files: what it lies over, and which blocks it is made of.

    <parent>/<name>/memory   which block lies at which page; a page not named is the root's
                    state    the same of what the devices held
                    disk     the same of the qcow2
                    step.json

Every file is under a hash, `step.json` under one of its own.
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
    "NOTHING",
    "PARTS",
    "Step",
    "Table",
    "apart",
    "damaged",
    "filled",
    "read_step",
    "read_table",
    "table",
    "torn",
]

PARTS = ("memory", "state", "disk")
PLACE = np.dtype([("number", "<u4"), ("name", f"V{NAME}")])
Table = NDArray[np.void]
"""Which block (`name`) lies at which place (`number`, in blocks from the start): of `PLACE`."""
NOTHING: Table = np.empty(0, dtype=PLACE)


class Step(BaseModel):
    """`step.json`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    root: str
    """The folder of the snapshot that it lies over, below that of all snapshots."""
    root_hash: str
    image: str
    shape: Shape
    token: str
    way: str
    stood_still: float
    kept: float
    """Seconds since 1970."""
    parent: str
    """Way to the step before it, from its own parent folder; empty for none."""
    added: int
    """Bytes that keeping it added."""
    state: int
    """Length of the state, in bytes."""
    disk: int
    parts: dict[str, str]
    """Hash of each other file."""
    hash: str = ""
    """Of everything else in here."""

    def sealed(self) -> Step:
        """The same with its hash."""
        plain = self.model_copy(update={"hash": ""}).model_dump_json()
        return self.model_copy(update={"hash": hashed(plain.encode())})

    def written(self) -> bytes:
        """The file. No other one says the same, though one of another last digit may mean it."""
        return self.model_dump_json(indent=1).encode()


def hashed(content: bytes) -> str:
    """What stands for some bytes in `step.json`."""
    return blake2b(content, digest_size=NAME).hexdigest()


def damaged(step: Path, what: str) -> MachineError:
    """The refusal of a step that is not what was written."""
    hint = "Drop it, and start from another one; the episode can be played again up to here."
    return MachineError(f"the step {step} is damaged: {what}", hint=hint)


def read_step(step: Path) -> Step:
    """The description of a step; `MachineError` if there is none, or it is damaged."""
    try:
        content = (step / "step.json").read_bytes()
        said = Step.model_validate_json(content)
    except (FileNotFoundError, NotADirectoryError):
        there = sorted(path.parent.name for path in step.parent.glob("[!.]*/step.json"))
        hint = f"In {step.parent} there are: {', '.join(there) or 'none'}."
        raise MachineError(f"there is no step {step}", hint=hint) from None
    except ValidationError:
        raise damaged(step, "step.json is not what was written") from None
    if said.sealed().written() != content:
        raise damaged(step, "step.json is not what was written")
    return said


def read_table(step: Path, part: str, said: Step) -> Table:
    """Which blocks a part of a step is made of; `MachineError` if it is damaged."""
    try:
        content = (step / part).read_bytes()
    except OSError as error:
        raise damaged(step, f"{part}: {error.strerror}") from None
    if hashed(content) != said.parts[part]:
        raise damaged(step, f"{part} is not what was written")
    return np.frombuffer(content, dtype=PLACE)


def table(numbers: NDArray[np.int64], names: Sequence[bytes]) -> Table:
    """Blocks of these names at these places."""
    made = np.empty(len(names), dtype=PLACE)
    made["number"] = numbers
    made["name"] = np.frombuffer(b"".join(names), dtype=f"V{NAME}")
    return made


def apart(one: Table, other: Table) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What of a table another one has not: which rows; and the places that only the other names."""
    gone = np.setdiff1d(other["number"], one["number"]).astype(np.int64)
    if not len(other):
        return np.arange(len(one)), gone
    order = np.argsort(other["number"], kind="stable")
    near = np.searchsorted(other["number"], one["number"], sorter=order)
    found = other[order[np.minimum(near, len(order) - 1)]]
    return np.flatnonzero(found != one), gone


def torn(content: bytes) -> tuple[NDArray[np.int64], Rows]:
    """Bytes as blocks: places and content of those that are not all zeros."""
    padded = content + bytes(-len(content) % BLOCK)
    rows = np.frombuffer(padded, dtype=np.uint8).reshape(-1, BLOCK)
    numbers = np.flatnonzero(rows.any(axis=1))
    return numbers, rows[numbers]


def filled(places: Table, rows: Rows, length: int) -> bytes:
    """The bytes that were torn."""
    whole = np.zeros((-(-length // BLOCK), BLOCK), dtype=np.uint8)
    whole[places["number"]] = rows
    return whole.tobytes()[:length]
