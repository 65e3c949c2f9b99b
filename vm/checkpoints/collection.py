"""Steps: a machine as it stood, again and again on its way, each a place to start from.

    <parent>/blocks/*.pack   what is in all the steps below this folder, each block once
             <name>/         a step (vm.checkpoints.manifest)

A step depends on its parent folder and on its root, the snapshot of the image that it lies over; on
no other step. It is whole, or it has no folder.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from ambidex.vm import MachineError
from ambidex.vm.checkpoints.blocks import Blocks
from ambidex.vm.checkpoints.capture import Captured
from ambidex.vm.checkpoints.disk_blocks import NO_DISK, DiskBlocks
from ambidex.vm.checkpoints.manifest import (
    NOTHING,
    PARTS,
    Step,
    Table,
    apart,
    damaged,
    filled,
    hashed,
    read_step,
    read_table,
    table,
    torn,
)
from ambidex.vm.checkpoints.memory import Pages, pages_of
from ambidex.vm.checkpoints.pack import BlockError, Rows
from ambidex.vm.machines.snapshot import read_snapshot
from ambidex.vm.store import cache_folder, forget, locked

__all__ = ["Kept", "Rule", "drop", "keep", "kept_steps", "load", "retain"]

BLOCKS = "blocks"
STEPS = "[!.]*/step.json"


@dataclass(frozen=True)
class Kept:
    """What is known of a step that is kept."""

    name: str
    bytes: int
    """What keeping it added to its parent folder: what it shares was there already."""
    stood_still: float
    """Seconds for which the machine was stopped."""
    parent: Path | None
    """The step that the machine was at before; none where that was a snapshot of the image."""


@dataclass(frozen=True)
class Rule:
    """Which steps stay; one stays for any of these reasons. As it is, all do."""

    every: int = 1
    """It is named by a multiple of this number; 1 is every name, 0 none."""
    last: int = 0
    """It is one of so many that were kept last."""
    named: frozenset[str] = frozenset()
    """It is named here: then it stays over the budget too."""

    def holds(self, name: str) -> bool:
        """Whether a step of that name stays, however many are kept after it."""
        by_number = self.every > 0 and name.isdecimal() and int(name) % self.every == 0
        return self.every == 1 or by_number or name in self.named


def keep(
    captured: Captured, step: Path, parent: Path | None = None, disk: DiskBlocks = NO_DISK
) -> Kept:
    """Keep a captured machine as the step in that folder, replacing one that is there; `parent` is
    the step that it was at before. What `disk` has, its image's, is not kept again.
    """
    step = step.absolute()
    if step.name == BLOCKS or step.name.startswith("."):
        raise MachineError(f"a step cannot be called {step.name!r}", hint="Number it.")
    (states, state), (places, overlay) = torn(captured.state), torn(captured.disk)
    numbers: list[NDArray[np.int64]] = []

    def memory() -> Iterator[Rows]:
        for part in captured.pages(NOTHING):
            numbers.append(part.numbers)
            yield part.content

    with _held(step.parent):
        names, added = Blocks(step.parent / BLOCKS, disk).add(memory(), [state], [overlay])
        pages = np.concatenate(numbers) if numbers else np.empty(0, dtype=np.int64)
        staging = step.with_name(f".{step.name}.partial")
        staging.mkdir(mode=0o700)
        parts = {}
        for part, where, named in zip(PARTS, (pages, states, places), names, strict=True):
            content = table(where, named).tobytes()
            (staging / part).write_bytes(content)
            parts[part] = hashed(content)
            added += len(content)
        said = Step(
            root=str(captured.root.relative_to(_snapshots())),
            root_hash=_hash_of(captured.root),
            image=read_snapshot(captured.root).image_id,
            shape=captured.shape,
            token=captured.token,
            way=captured.way,
            stood_still=round(captured.stood_still(), 4),
            kept=time.time(),
            parent=os.path.relpath(parent, step.parent) if parent else "",
            added=added,
            state=len(captured.state),
            disk=len(captured.disk),
            parts=parts,
        )
        path = staging / "step.json"
        path.touch(mode=0o600)  # of its token
        path.write_bytes(said.sealed().written())
        forget(step)
        staging.rename(step)
    return _kept(step, said)


def load(step: Path, image: str, disk: DiskBlocks = NO_DISK) -> Captured:
    """What was kept as that step, for a machine of the image of that id; `disk` is the one that it
    was kept with.

    `MachineError` says that its root is not there, or names the part that is damaged: blocks of
    memory when its pages are asked for.
    """
    step = step.absolute()
    said = read_step(step)
    root = _root(step, said, image)
    with _held(step.parent):
        blocks = Blocks(step.parent / BLOCKS, disk)
        state, overlay = (_content(step, said, part, blocks) for part in ("state", "disk"))

    memory = read_table(step, "memory", said)

    def pages(laid: Table) -> Iterator[Pages]:
        which, gone = apart(memory, laid)
        places = memory[which]
        with _held(step.parent), _damage_to(step, "memory"):
            for some, rows in blocks.now().parts(places["name"].tolist()):
                yield Pages(places["number"][some].astype(np.int64), rows)
        if len(gone):
            yield pages_of(read_snapshot(root).memory, gone)

    return Captured(
        root=root,
        shape=said.shape,
        token=said.token,
        way=said.way,
        stood_still=lambda: said.stood_still,
        pages=pages,
        state=filled(*state, said.state),
        disk=filled(*overlay, said.disk),
        table=memory,
    )


def _content(step: Path, said: Step, part: str, blocks: Blocks) -> tuple[Table, Rows]:
    """The blocks of a part of a step, and their places."""
    places = read_table(step, part, said)
    with _damage_to(step, part):
        return places, blocks.read(places["name"].tolist())


@contextmanager
def _damage_to(step: Path, part: str) -> Iterator[None]:
    """A block that is not there, or is not what it was, is damage to that part of the step."""
    try:
        yield
    except BlockError as error:
        raise damaged(step, f"{part}: {error}") from None


def kept_steps(parent: Path) -> tuple[Kept, ...]:
    """The steps that are kept below a folder, the earliest first; `MachineError` names one that is
    damaged.
    """
    steps = [path.parent for path in parent.absolute().glob(STEPS)]
    said = sorted(((step, read_step(step)) for step in steps), key=lambda each: each[1].kept)
    return tuple(_kept(*each) for each in said)


def drop(step: Path) -> int:
    """Forget a step, a damaged one too, and give back what no other one needs; how many bytes."""
    step = step.absolute()
    if not (step / "step.json").exists():
        read_step(step)
    with _held(step.parent):
        before = _size(step.parent)
        forget(step)
        _collect(step.parent)
        return before - _size(step.parent)


def retain(parent: Path, rule: Rule, budget: int | None = None) -> tuple[str, ...]:
    """Drop the steps below a folder that the rule does not hold, and then the earliest ones until
    all that is left takes no more than `budget` bytes; the names of the dropped. A damaged one is
    left to whoever wants it.
    """
    parent = parent.absolute()
    with _held(parent):
        names = [step.name for step, _ in _readable(parent)]
        earlier = names[: max(0, len(names) - rule.last)]
        gone = [name for name in earlier if not rule.holds(name)]
        for name in gone:
            forget(parent / name)
        if gone:
            _collect(parent)
        for name in names:
            if budget is None or _size(parent) <= budget:
                break
            if name not in gone and name not in rule.named:
                forget(parent / name)
                _collect(parent, slack=0)
                gone.append(name)
    return tuple(gone)


@contextmanager
def _held(parent: Path) -> Iterator[None]:
    """Hold what is below a folder, without what others left there that were killed."""
    with locked(parent / ".lock"):
        for pattern in (".*.partial", ".*.doomed"):
            for left in parent.glob(pattern):
                shutil.rmtree(left)
        for left in (parent / BLOCKS).glob("*.partial"):
            left.unlink()
        yield


def _readable(parent: Path) -> list[tuple[Path, Step]]:
    """The steps that are not damaged, the earliest first."""
    found = []
    for path in parent.glob(STEPS):
        with suppress(MachineError):
            found.append((path.parent, read_step(path.parent)))
    return sorted(found, key=lambda each: each[1].kept)


def _collect(parent: Path, **how: float) -> None:
    """Give back the blocks that no step needs; one that is damaged needs none any more."""
    wanted: set[bytes] = set()
    for step, said in _readable(parent):
        with suppress(MachineError):
            for part in PARTS:
                wanted.update(read_table(step, part, said)["name"].tolist())
    Blocks(parent / BLOCKS).keep_only(wanted, **how)


def _kept(step: Path, said: Step) -> Kept:
    parent = Path(os.path.normpath(step.parent / said.parent)) if said.parent else None
    return Kept(step.name, said.added, said.stood_still, parent)


def _root(step: Path, said: Step, image: str) -> Path:
    """The folder of the snapshot that a step lies over, as it was then."""
    parts = PurePosixPath(said.root).parts
    if len(parts) != 2 or any(part.startswith((".", "/")) for part in parts):
        raise MachineError(
            f"the checkpoint {step} is based on {said.root!r}, which is not a snapshot",
            hint="Ambidex wrote no such step: ask where it is from, and do not start from it.",
        )
    root = _snapshots() / said.root
    if said.image != image:
        raise MachineError(
            f"the step {step} was kept on the image {said.image}; this machine's is {image}",
            hint="Recipe, tools or the guest's code have changed since: go back to that version.",
        )
    if not (root / "snapshot.json").is_file():
        raise MachineError(
            f"the checkpoint {step} is based on the snapshot {root}, which was deleted",
            hint="It was pruned, or made on another computer. Play the episode again.",
        )
    if _hash_of(root) != said.root_hash:
        raise MachineError(
            f"the checkpoint {step} is based on the snapshot {root}, which has been replaced since",
            hint="Play the episode again: steps of the new snapshot fit it.",
        )
    return root


def _hash_of(root: Path) -> str:
    """Tells a snapshot from one that was made again: its token is in there."""
    return hashed((root / "snapshot.json").read_bytes())


def _snapshots() -> Path:
    return cache_folder() / "snapshots"


def _size(parent: Path) -> int:
    return sum(path.stat().st_size for path in parent.rglob("*") if path.is_file())
