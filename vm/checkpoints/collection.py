"""Saves, loads, lists and deletes the checkpoints of an episode.

    <parent>/blocks/*.pack   the blocks of all checkpoints in this folder, each stored once
             <name>/         a checkpoint (vm.checkpoints.manifest)

A checkpoint depends on its parent folder and on its base snapshot, but on no other checkpoint. It
is complete, or its folder does not exist.
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
from ambidex.vm.checkpoints.blocks import BlockStore
from ambidex.vm.checkpoints.capture import CapturedMachine
from ambidex.vm.checkpoints.disk_blocks import NO_DISK, DiskBlocks
from ambidex.vm.checkpoints.manifest import (
    EMPTY_TABLE,
    PARTS,
    CheckpointManifest,
    Table,
    compare_tables,
    content_hash,
    damage_error,
    join_blocks,
    make_table,
    read_manifest,
    read_table,
    split_blocks,
)
from ambidex.vm.checkpoints.memory import Pages, read_pages
from ambidex.vm.checkpoints.pack import BlockError, Rows
from ambidex.vm.machines.snapshot import read_snapshot
from ambidex.vm.store import cache_folder, forget, locked

__all__ = [
    "CheckpointInfo",
    "RetentionRule",
    "apply_retention",
    "delete_checkpoint",
    "list_checkpoints",
    "load_checkpoint",
    "save_checkpoint",
]

BLOCKS = "blocks"
CHECKPOINTS = "[!.]*/step.json"
OF_SANDBOXES = "[!.]*/snapshot.json"
"""Those of sandboxes share no blocks (`vm.sandbox.kept`)."""


@dataclass(frozen=True)
class CheckpointInfo:
    """A stored checkpoint, as listed."""

    name: str
    bytes: int
    """Bytes that it added to its parent folder; blocks that were stored already do not count."""
    stood_still: float
    """Seconds for which the machine was paused."""
    parent: Path | None
    """The checkpoint that the machine was at before; None if that was a snapshot of the image."""


@dataclass(frozen=True)
class RetentionRule:
    """Which checkpoints to keep: those that meet any of these criteria. By default, all."""

    every: int = 1
    """Keep those whose name is a multiple of this number; 1 keeps every name, 0 none."""
    last: int = 0
    """Keep this many of the most recent ones."""
    named: frozenset[str] = frozenset()
    """Keep these, even beyond the budget."""

    def keeps(self, name: str) -> bool:
        """Whether a checkpoint of that name is kept regardless of how many follow it."""
        by_number = self.every > 0 and name.isdecimal() and int(name) % self.every == 0
        return self.every == 1 or by_number or name in self.named


def save_checkpoint(
    captured: CapturedMachine,
    checkpoint: Path,
    parent: Path | None = None,
    disk: DiskBlocks = NO_DISK,
) -> CheckpointInfo:
    """Save a captured machine in the folder `checkpoint`, replacing an existing checkpoint.

    `parent` is the checkpoint that the machine was at before. Blocks that are on `disk`, the
    image's, are not stored again.
    """
    checkpoint = checkpoint.absolute()
    if checkpoint.name == BLOCKS or checkpoint.name.startswith("."):
        raise MachineError(
            f"not a name for a checkpoint: {checkpoint.name!r}", hint="Use the step's number."
        )
    state_numbers, state_rows = split_blocks(captured.state)
    disk_numbers, disk_rows = split_blocks(captured.disk)
    page_numbers: list[NDArray[np.int64]] = []

    def memory_rows() -> Iterator[Rows]:
        for part in captured.pages(EMPTY_TABLE):
            page_numbers.append(part.numbers)
            yield part.content

    with _locked_folder(checkpoint.parent):
        blocks = BlockStore(checkpoint.parent / BLOCKS, disk)
        names, added = blocks.add(memory_rows(), [state_rows], [disk_rows])
        pages = np.concatenate(page_numbers) if page_numbers else np.empty(0, dtype=np.int64)
        staging = checkpoint.with_name(f".{checkpoint.name}.partial")
        staging.mkdir(mode=0o700)
        parts = {}
        positions = (pages, state_numbers, disk_numbers)
        for part, numbers, part_names in zip(PARTS, positions, names, strict=True):
            content = make_table(numbers, part_names).tobytes()
            (staging / part).write_bytes(content)
            parts[part] = content_hash(content)
            added += len(content)
        manifest = CheckpointManifest(
            root=str(captured.root.relative_to(_snapshots_folder())),
            root_hash=_snapshot_hash(captured.root),
            image=read_snapshot(captured.root).image_id,
            shape=captured.shape,
            token=captured.token,
            way=captured.way,
            stood_still=round(captured.stood_still(), 4),
            kept=time.time(),
            parent=os.path.relpath(parent, checkpoint.parent) if parent else "",
            added=added,
            state=len(captured.state),
            disk=len(captured.disk),
            parts=parts,
        )
        path = staging / "step.json"
        path.touch(mode=0o600)  # it holds the token
        path.write_bytes(manifest.sealed().to_bytes())
        forget(checkpoint)
        staging.rename(checkpoint)
    return _info(checkpoint, manifest)


def load_checkpoint(checkpoint: Path, image: str, disk: DiskBlocks = NO_DISK) -> CapturedMachine:
    """The machine that was saved as a checkpoint, for an image with the id `image`.

    `disk` is the one that it was saved with. `MachineError` says that the base snapshot is missing,
    or names the part that is damaged; damaged memory is detected when its pages are iterated.
    """
    checkpoint = checkpoint.absolute()
    manifest = read_manifest(checkpoint)
    root = _find_root(checkpoint, manifest, image)
    with _locked_folder(checkpoint.parent):
        blocks = BlockStore(checkpoint.parent / BLOCKS, disk)
        state, overlay = (
            _read_part(checkpoint, manifest, part, blocks) for part in ("state", "disk")
        )

    memory = read_table(checkpoint, "memory", manifest)

    def pages(loaded: Table) -> Iterator[Pages]:
        rows_to_write, stale = compare_tables(memory, loaded)
        table = memory[rows_to_write]
        with _locked_folder(checkpoint.parent), _report_damage(checkpoint, "memory"):
            for indices, rows in blocks.refreshed().read_in_parts(table["name"].tolist()):
                yield Pages(table["number"][indices].astype(np.int64), rows)
        if len(stale):
            yield read_pages(read_snapshot(root).memory, stale)

    return CapturedMachine(
        root=root,
        shape=manifest.shape,
        token=manifest.token,
        way=manifest.way,
        stood_still=lambda: manifest.stood_still,
        pages=pages,
        state=join_blocks(*state, manifest.state),
        disk=join_blocks(*overlay, manifest.disk),
        table=memory,
    )


def _read_part(
    checkpoint: Path, manifest: CheckpointManifest, part: str, blocks: BlockStore
) -> tuple[Table, Rows]:
    """The table of a part of a checkpoint, and the blocks in its order."""
    table = read_table(checkpoint, part, manifest)
    with _report_damage(checkpoint, part):
        return table, blocks.read(table["name"].tolist())


@contextmanager
def _report_damage(checkpoint: Path, part: str) -> Iterator[None]:
    """Turn a `BlockError` into a `MachineError` that names the damaged part."""
    try:
        yield
    except BlockError as error:
        raise damage_error(checkpoint, f"{part}: {error}") from None


def list_checkpoints(parent: Path) -> tuple[CheckpointInfo, ...]:
    """The checkpoints in a folder, the earliest first; `MachineError` names a damaged one."""
    folders = [path.parent for path in parent.absolute().glob(CHECKPOINTS)]
    pairs = [(folder, read_manifest(folder)) for folder in folders]
    return tuple(_info(*pair) for pair in sorted(pairs, key=lambda pair: pair[1].kept))


def delete_checkpoint(checkpoint: Path) -> int:
    """Delete a checkpoint, damaged or not, and the blocks that only it needs; the bytes freed."""
    checkpoint = checkpoint.absolute()
    if not (checkpoint / "step.json").exists():
        read_manifest(checkpoint)
    with _locked_folder(checkpoint.parent):
        before = _size(checkpoint.parent)
        forget(checkpoint)
        _delete_unused_blocks(checkpoint.parent)
        return before - _size(checkpoint.parent)


def apply_retention(
    parent: Path, rule: RetentionRule, budget: int | None = None
) -> tuple[str, ...]:
    """Delete the checkpoints in a folder that the rule does not keep, then the earliest ones until
    the rest takes at most `budget` bytes; the names of the deleted ones. Damaged ones are left
    alone.
    """
    parent = parent.absolute()
    with _locked_folder(parent):
        names = _names(parent)
        earlier = names[: max(0, len(names) - rule.last)]
        deleted = [name for name in earlier if not rule.keeps(name)]
        for name in deleted:
            forget(parent / name)
        if deleted:
            _delete_unused_blocks(parent)
        for name in names:
            if budget is None or _size(parent) <= budget:
                break
            if name not in deleted and name not in rule.named:
                forget(parent / name)
                _delete_unused_blocks(parent, slack=0)
                deleted.append(name)
    return tuple(deleted)


@contextmanager
def _locked_folder(parent: Path) -> Iterator[None]:
    """Hold the lock of a folder of checkpoints, after removing what killed processes left there."""
    with locked(parent / ".lock"):
        for pattern in (".*.partial", ".*.doomed"):
            for leftover in parent.glob(pattern):
                shutil.rmtree(leftover)
        for leftover in (parent / BLOCKS).glob("*.partial"):
            leftover.unlink()
        yield


def _readable(parent: Path) -> list[tuple[Path, CheckpointManifest]]:
    """The checkpoints that are not damaged, the earliest first."""
    pairs = []
    for path in parent.glob(CHECKPOINTS):
        with suppress(MachineError):
            pairs.append((path.parent, read_manifest(path.parent)))
    return sorted(pairs, key=lambda pair: pair[1].kept)


def _names(parent: Path) -> list[str]:
    """The names of the checkpoints that are not damaged, also of those of sandboxes, the earliest
    first."""
    moments = {folder.name: manifest.kept for folder, manifest in _readable(parent)}
    moments |= {path.parent.name: path.stat().st_mtime for path in parent.glob(OF_SANDBOXES)}
    return sorted(moments, key=lambda name: moments[name])


def _delete_unused_blocks(parent: Path, **options: float) -> None:
    """Delete the blocks that no checkpoint needs; those of a damaged checkpoint count as unused."""
    used: set[bytes] = set()
    for checkpoint, manifest in _readable(parent):
        with suppress(MachineError):
            for part in PARTS:
                used.update(read_table(checkpoint, part, manifest)["name"].tolist())
    BlockStore(parent / BLOCKS).keep_only(used, **options)


def _info(checkpoint: Path, manifest: CheckpointManifest) -> CheckpointInfo:
    parent = None
    if manifest.parent:
        parent = Path(os.path.normpath(checkpoint.parent / manifest.parent))
    return CheckpointInfo(checkpoint.name, manifest.added, manifest.stood_still, parent)


def _find_root(checkpoint: Path, manifest: CheckpointManifest, image: str) -> Path:
    """The folder of a checkpoint's base snapshot; `MachineError` if it is not the same any more."""
    parts = PurePosixPath(manifest.root).parts
    if len(parts) != 2 or any(part.startswith((".", "/")) for part in parts):
        raise MachineError(
            f"the checkpoint {checkpoint} is based on {manifest.root!r}, which is not a snapshot",
            hint="Ambidex did not write it: find out where it is from, and do not use it.",
        )
    root = _snapshots_folder() / manifest.root
    if manifest.image != image:
        raise MachineError(
            f"the checkpoint {checkpoint} needs the image {manifest.image}; "
            f"this machine's image is {image}",
            hint="The recipe, the tools or the guest code have changed: check out that version.",
        )
    if not (root / "snapshot.json").is_file():
        raise MachineError(
            f"the checkpoint {checkpoint} is based on the snapshot {root}, which was deleted",
            hint="It was pruned, or made on another computer. Replay the episode.",
        )
    if _snapshot_hash(root) != manifest.root_hash:
        raise MachineError(
            f"the checkpoint {checkpoint} is based on the snapshot {root}, "
            "which has been replaced since",
            hint="Replay the episode: its checkpoints will be based on the new snapshot.",
        )
    return root


def _snapshot_hash(root: Path) -> str:
    """Identifies one build of a snapshot: its description holds a token that is new in each."""
    return content_hash((root / "snapshot.json").read_bytes())


def _snapshots_folder() -> Path:
    return cache_folder() / "snapshots"


def _size(parent: Path) -> int:
    return sum(path.stat().st_size for path in parent.rglob("*") if path.is_file())
