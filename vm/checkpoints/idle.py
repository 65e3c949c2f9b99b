"""Idle instances: machines launched on a base snapshot that wait for a state to be restored.

Checkpoints of an episode have most of their memory in common. So an instance that is prepared for
the next fork is preloaded with the memory of the last checkpoint that was restored; for another
checkpoint, only the differing pages are written.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from ambidex.vm.checkpoints.capture import CapturedMachine, choose_memory_method
from ambidex.vm.checkpoints.manifest import EMPTY_TABLE, Table
from ambidex.vm.checkpoints.memory import Mapping
from ambidex.vm.checkpoints.stream import write_stream
from ambidex.vm.machines.instance import Instance
from ambidex.vm.machines.snapshot import read_snapshot, wake
from ambidex.vm.process import run

__all__ = ["IdleInstance", "preload", "restore"]


@dataclass(frozen=True)
class IdleInstance:
    """An instance that waits for a state."""

    instance: Instance
    loaded: Table = field(default_factory=lambda: EMPTY_TABLE)
    """The blocks that have been written over the base snapshot in its memory."""

    def running(self) -> bool:
        """Whether QEMU is still running."""
        return self.instance.running()

    def close(self) -> None:
        """End it."""
        self.instance.close()


def preload(captured: CapturedMachine, instance: Instance, method: str = "") -> IdleInstance:
    """Make an idle instance on the captured machine's base snapshot, with that machine's memory
    where it may be written. Closes the instance on failure.
    """
    if (method or choose_memory_method(instance)) != "pages" or not len(captured.table):
        return IdleInstance(instance)
    try:
        memory = Mapping.of(instance.pid(), read_snapshot(captured.root).memory)
        for part in captured.pages(EMPTY_TABLE):
            memory.write(part)
    except BaseException:
        instance.close()
        raise
    return IdleInstance(instance, captured.table)


def restore(captured: CapturedMachine, idle: IdleInstance, method: str = "") -> Instance:
    """Restore a captured machine into an idle instance on the same base snapshot.

    Returns it running and ready, with a new identity and the right time. Closes the instance on
    failure. `method` is one of `MEMORY_METHODS`; by default the best one that is permitted.
    """
    instance = idle.instance
    root, state = read_snapshot(captured.root), instance.folder / "state"
    try:
        with ThreadPoolExecutor(1) as pool:
            disk = pool.submit(_replace_disk, captured.disk, instance, root.disk)
            _load_memory(
                idle, root.memory, captured, state, method or choose_memory_method(instance)
            )
        disk.result()
    except BaseException:
        instance.close()
        raise
    return wake(instance.with_token(captured.token), state, "a fork of a machine")


def _replace_disk(content: bytes, instance: Instance, backing: Path) -> None:
    """Give an idle instance another disk.

    The file is overwritten, not replaced: QEMU has it open, and reads it anew when it loads a
    state.
    """
    disk = instance.folder / "disk"
    disk.write_bytes(content)
    # The qcow2 names its backing file, which may have moved since.
    rebase = ["qemu-img", "rebase", "-u", "-f", "qcow2", "-F", "qcow2", "-b", backing, disk]
    run(rebase, what="setting a disk's backing file")
    instance.disk.write_bytes(disk.read_bytes())
    disk.unlink()


def _load_memory(
    idle: IdleInstance, base_memory: Path, captured: CapturedMachine, state: Path, method: str
) -> None:
    """Write a captured machine's memory into an idle instance, and its device state to `state`.

    With the method `whole`, memory becomes a part of the state, which QEMU loads.
    """
    pages = captured.pages(idle.loaded)
    if method == "pages":
        memory = Mapping.of(idle.instance.pid(), base_memory)
        for part in pages:
            memory.write(part)
        state.write_bytes(captured.state)
    else:
        with state.open("wb") as out:
            write_stream(captured.state, pages, out)
