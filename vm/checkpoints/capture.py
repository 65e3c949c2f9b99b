"""Captures the state of a running machine: memory pages it has written, devices and disk.

All three are stored as differences from the base snapshot, however often the machine has been saved
and restored since. So no capture depends on an earlier one.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from ambidex.vm import MachineError
from ambidex.vm.building.image import Image
from ambidex.vm.checkpoints.manifest import EMPTY_TABLE, Table
from ambidex.vm.checkpoints.memory import Mapping, Pages, may_trace, read_pages, write_pages
from ambidex.vm.checkpoints.stream import add_configuration, differing_pages
from ambidex.vm.machines.binding import libvirt
from ambidex.vm.machines.domain import Shape
from ambidex.vm.machines.hypervisor import Domain, machine_type, qmp
from ambidex.vm.machines.instance import Instance
from ambidex.vm.machines.snapshot import (
    Snapshot,
    read_snapshot,
    wait_for_migration,
    write_snapshot,
)
from ambidex.vm.process import run
from ambidex.vm.store import forget, locked

__all__ = [
    "MEMORY_METHODS",
    "CapturedMachine",
    "capture",
    "choose_memory_method",
    "pages_to_write",
    "paused_capture",
    "store_snapshot",
]

MEMORY_METHODS = ("pages", "whole")
"""How memory is captured and restored.

`pages` reads the pages that the machine has written out of QEMU's process, and writes them into the
process of an idle instance. `whole` has QEMU save all memory, and load it as a part of the state:
for processes that belong to another user or may not be traced.
"""


@dataclass(frozen=True)
class CapturedMachine:
    """The state of a machine at one moment."""

    root: Path
    """Folder of its base snapshot."""
    shape: Shape
    token: str
    """The token that its guest accepts."""
    way: str
    """How its memory was captured: one of `MEMORY_METHODS`."""
    stood_still: Callable[[], float]
    """Seconds for which it was paused; until now if it still is."""
    pages: Callable[[Table], Iterable[Pages]]
    """The pages that differ from the base snapshot with the given blocks loaded over it, in parts.

    They are read when iterated; `MachineError` names a damaged part.
    """
    state: bytes
    """Its devices, as a new machine loads them (`vm.checkpoints.stream.add_configuration`)."""
    disk: bytes
    """Its qcow2, an overlay of the base snapshot's disk."""
    table: Table = field(default_factory=lambda: EMPTY_TABLE, compare=False)
    """The blocks of its memory over the base snapshot, if it was loaded from a checkpoint."""


@contextmanager
def paused_capture(instance: Instance, method: str = "") -> Iterator[CapturedMachine]:
    """Pause a forked machine and yield its state.

    The machine resumes once its pages have been read, at the latest when the block ends; they can
    be read once. `method` is one of `MEMORY_METHODS`; by default the best one that is permitted.
    """
    if instance.root is None:
        raise MachineError("a machine that was started from its disk cannot be saved")
    method = method or choose_memory_method(instance)
    base_memory = read_snapshot(instance.root).memory
    grant = instance.owner.account.grant
    state, stream = instance.folder / "state", instance.folder / "stream"

    def own_pages() -> Iterator[Pages]:
        if method == "pages":
            memory = Mapping.of(instance.pid(), base_memory)
            yield from memory.read(memory.own_pages())
            pause.end()
        else:
            _save_stream(instance.domain, grant(stream))
            pause.end()
            yield differing_pages(stream, base_memory)
            stream.unlink()

    with _Pause(instance.domain) as pause:
        # With `live`, QEMU would release the disk.
        qmp(instance.domain, "xen-save-devices-state", filename=str(grant(state)), live=False)
        devices = add_configuration(state.read_bytes(), machine_type(instance.domain))
        state.unlink()
        yield CapturedMachine(
            root=instance.root,
            shape=instance.shape,
            token=instance.door.token,
            way=method,
            stood_still=pause.seconds,
            pages=partial(pages_to_write, own_pages, base_memory),
            state=devices,
            disk=instance.disk.read_bytes(),
        )


def capture(instance: Instance, method: str = "") -> CapturedMachine:
    """The state of a machine, which resumes before this returns; its pages are held in memory."""
    with paused_capture(instance, method) as captured:
        parts = list(captured.pages(EMPTY_TABLE))
    base_memory = read_snapshot(captured.root).memory
    return replace(captured, pages=partial(pages_to_write, lambda: parts, base_memory))


def pages_to_write(
    own_pages: Callable[[], Iterable[Pages]], base_memory: Path, loaded: Table
) -> Iterator[Pages]:
    """The pages to write over memory in which `loaded` is in place: the machine's own pages, and
    pages of the base snapshot where `loaded` has changed them and the machine has not.
    """
    own_numbers = np.empty(0, dtype=np.int64)
    for part in own_pages():
        if len(loaded):
            own_numbers = np.concatenate((own_numbers, part.numbers))
        yield part
    if len(stale := np.setdiff1d(loaded["number"], own_numbers)):
        yield read_pages(base_memory, stale.astype(np.int64))


def choose_memory_method(instance: Instance) -> str:
    """The best of `MEMORY_METHODS` that is permitted for that machine."""
    try:
        return "pages" if may_trace(instance.pid()) else "whole"
    except MachineError:  # the process is on another host, or belongs to another user
        return "whole"


class _Pause:
    """Pauses a machine until the end of the block, or until `end`."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._began = time.monotonic()
        self._duration: float | None = None

    def __enter__(self) -> _Pause:
        _call_libvirt(self._domain.suspend)
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def end(self) -> None:
        """Resume the machine."""
        if self._duration is None:
            _call_libvirt(self._domain.resume)
            self._duration = time.monotonic() - self._began

    def seconds(self) -> float:
        """How long the machine was paused, until now if it still is."""
        return time.monotonic() - self._began if self._duration is None else self._duration


def _call_libvirt(operation: Callable[[], object]) -> None:
    try:
        operation()
    except libvirt.libvirtError as error:
        raise MachineError(f"a machine could not be saved: {error}") from None


def _save_stream(domain: Domain, stream: Path) -> None:
    off = [{"capability": "x-ignore-shared", "state": False}]
    qmp(domain, "migrate-set-capabilities", capabilities=off)
    qmp(domain, "migrate-set-parameters", **{"max-bandwidth": 0})
    qmp(domain, "migrate", uri=f"file:{stream}")
    wait_for_migration(domain)


def store_snapshot(captured: CapturedMachine, image: Image, final: Path) -> Snapshot:
    """Save a captured machine as a self-contained snapshot, replacing any in `final`."""
    staging = final.with_name(f".{final.name}.partial")
    with locked(final.with_name(f".{final.name}.lock")):
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(parents=True)
        memory = read_snapshot(captured.root).memory
        copy = ["cp", "--reflink=auto", "--sparse=always", memory, staging / "memory"]
        run(copy, what="copying memory")
        for part in captured.pages(EMPTY_TABLE):
            write_pages(part, staging / "memory")
        (staging / "state").write_bytes(captured.state)
        (staging / "disk.qcow2").write_bytes(captured.disk)
        token, shape, paused = captured.token, captured.shape, captured.stood_still()
        write_snapshot(staging, final.name, image, token, shape, stood_still=paused)
        forget(final)
        staging.rename(final)
    return read_snapshot(final)
