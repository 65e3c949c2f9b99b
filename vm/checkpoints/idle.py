"""Empty machines over a root, and how one becomes what was captured.

Steps of an episode are alike in most of their memory. So one that is kept ahead for the next fork
has the memory of the last step that was asked for: of another one, what differs is put in place.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from ambidex.vm.checkpoints.capture import Captured, way_to
from ambidex.vm.checkpoints.manifest import NOTHING, Table
from ambidex.vm.checkpoints.memory import Mapping
from ambidex.vm.checkpoints.stream import with_pages
from ambidex.vm.machines.instance import Instance
from ambidex.vm.machines.snapshot import read_snapshot, woken
from ambidex.vm.process import run

__all__ = ["Empty", "lay", "start"]


@dataclass(frozen=True)
class Empty:
    """A machine that waits for a state."""

    instance: Instance
    laid: Table = field(default_factory=lambda: NOTHING)
    """Which blocks lie in its memory, over the root's."""

    def running(self) -> bool:
        """Whether QEMU is still there."""
        return self.instance.running()

    def close(self) -> None:
        """End it."""
        self.instance.close()


def lay(captured: Captured, instance: Instance, way: str = "") -> Empty:
    """An empty machine over the same root, with the memory of a captured one where that may be put
    there. It is ended where that fails.
    """
    if (way or way_to(instance)) != "pages" or not len(captured.table):
        return Empty(instance)
    try:
        memory = Mapping.of(instance.pid(), read_snapshot(captured.root).memory)
        for part in captured.pages(NOTHING):
            memory.write(part)
    except BaseException:
        instance.close()
        raise
    return Empty(instance, captured.table)


def start(captured: Captured, empty: Empty, way: str = "") -> Instance:
    """An empty machine over the same root as the captured one stood, running, with an identity of
    its own; it has said that it is ready, and its clock is right. It is ended where that fails.
    `way` is chosen by what is allowed.
    """
    instance = empty.instance
    root, state = read_snapshot(captured.root), instance.folder / "state"
    try:
        with ThreadPoolExecutor(1) as beside:
            disk = beside.submit(_lay_disk, captured.disk, instance, root.disk)
            _load(empty, root.memory, captured, state, way or way_to(instance))
        disk.result()
    except BaseException:
        instance.close()
        raise
    return woken(instance.with_token(captured.token), state, "a fork of a machine")


def _lay_disk(content: bytes, instance: Instance, root: Path) -> None:
    """Give an empty machine a disk: QEMU has opened the file that it has, and reads it anew when a
    state is loaded.
    """
    disk = instance.folder / "disk"
    disk.write_bytes(content)
    # It says where its root lies, and that may have moved since.
    over = ["qemu-img", "rebase", "-u", "-f", "qcow2", "-F", "qcow2", "-b", root, disk]
    run(over, what="laying a disk over its root")
    instance.disk.write_bytes(disk.read_bytes())
    disk.unlink()


def _load(empty: Empty, mapped: Path, captured: Captured, state: Path, way: str) -> None:
    """Put a captured machine's memory into an empty one, and write the state that it loads then;
    both at once, where its process is not ours.
    """
    pages = captured.pages(empty.laid)
    if way == "pages":
        memory = Mapping.of(empty.instance.pid(), mapped)
        for part in pages:
            memory.write(part)
        state.write_bytes(captured.state)
    else:
        with state.open("wb") as out:
            with_pages(captured.state, pages, out)
