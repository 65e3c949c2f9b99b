"""A running machine taken as it stands: by the pages it has of its own, its devices and its disk.

All three are told against the snapshot that it was made from, its root, however often it was taken
and started again since: so no capture depends on an earlier one.
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
from ambidex.vm.checkpoints.manifest import NOTHING, Table
from ambidex.vm.checkpoints.memory import Mapping, Pages, lay_pages, may_trace, pages_of
from ambidex.vm.checkpoints.stream import configured, differing_pages
from ambidex.vm.machines.binding import libvirt
from ambidex.vm.machines.domain import Shape
from ambidex.vm.machines.hypervisor import Domain, machine_type, qmp
from ambidex.vm.machines.instance import Instance
from ambidex.vm.machines.snapshot import Snapshot, migrated, read_snapshot, write_snapshot
from ambidex.vm.process import run
from ambidex.vm.store import forget, locked

__all__ = ["WAYS", "Captured", "capture", "differing", "standing", "store", "way_to"]

WAYS = ("pages", "whole")
"""How memory is taken: a machine's own pages, out of its process; or all of it, saved by QEMU,
where the process belongs to somebody else or may not be traced. And how it is put back: into an
empty machine's process; or as a part of the state that QEMU loads.
"""


@dataclass(frozen=True)
class Captured:
    """A machine as it stood."""

    root: Path
    """Folder of the snapshot that it lies over."""
    shape: Shape
    token: str
    """What its guest believes its token is."""
    way: str
    """One of `WAYS`."""
    stood_still: Callable[[], float]
    """Seconds for which it was stopped, until now if it is."""
    pages: Callable[[Table], Iterable[Pages]]
    """Where its memory is not the root's with those blocks laid over it, in parts; they are read
    when they are asked for, and `MachineError` names what is damaged.
    """
    state: bytes
    """Its devices, as a new machine loads them (`vm.checkpoints.stream.configured`)."""
    disk: bytes
    """Its qcow2, over the root's."""
    table: Table = field(default_factory=lambda: NOTHING, compare=False)
    """Which blocks its memory is, laid over the root's, if it was kept."""


@contextmanager
def standing(instance: Instance, way: str = "") -> Iterator[Captured]:
    """A machine that was forked, as it stands; it goes on once its pages have been read, which can
    be done once, or else after the block. `way` is chosen by what is allowed.
    """
    if instance.root is None:
        raise MachineError("a machine that was started from its disk cannot be kept")
    way = way or way_to(instance)
    mapped = read_snapshot(instance.root).memory
    given = instance.owner.account.given
    state, stream = instance.folder / "state", instance.folder / "stream"

    def own() -> Iterator[Pages]:
        if way == "pages":
            memory = Mapping.of(instance.pid(), mapped)
            yield from memory.read(memory.own())
            stop.end()
        else:
            _save(instance.domain, given(stream))
            stop.end()
            yield differing_pages(stream, mapped)
            stream.unlink()

    with _Stop(instance.domain) as stop:
        # Not `live`: that would have QEMU let go of the disk.
        qmp(instance.domain, "xen-save-devices-state", filename=str(given(state)), live=False)
        devices = configured(state.read_bytes(), machine_type(instance.domain))
        state.unlink()
        yield Captured(
            root=instance.root,
            shape=instance.shape,
            token=instance.door.token,
            way=way,
            stood_still=stop.seconds,
            pages=partial(differing, own, mapped),
            state=devices,
            disk=instance.disk.read_bytes(),
        )


def capture(instance: Instance, way: str = "") -> Captured:
    """The same of a machine that goes on at once: what it was is held in memory."""
    with standing(instance, way) as seen:
        parts = list(seen.pages(NOTHING))
    return replace(seen, pages=partial(differing, lambda: parts, read_snapshot(seen.root).memory))


def differing(own: Callable[[], Iterable[Pages]], mapped: Path, laid: Table) -> Iterator[Pages]:
    """A machine's own pages; and the root's, where something was laid that is not its own."""
    there = np.empty(0, dtype=np.int64)
    for part in own():
        there = np.concatenate((there, part.numbers)) if len(laid) else there
        yield part
    if len(gone := np.setdiff1d(laid["number"], there)):
        yield pages_of(mapped, gone.astype(np.int64))


def way_to(instance: Instance) -> str:
    """Which of `WAYS` is allowed with that machine."""
    try:
        return "pages" if may_trace(instance.pid()) else "whole"
    except MachineError:  # the process is not of this host, or not ours
        return "whole"


class _Stop:
    """A machine stands still, until the end of the block or sooner."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._began = time.monotonic()
        self._took: float | None = None

    def __enter__(self) -> _Stop:
        _told(self._domain.suspend)
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def end(self) -> None:
        """It goes on."""
        if self._took is None:
            _told(self._domain.resume)
            self._took = time.monotonic() - self._began

    def seconds(self) -> float:
        """For how long it was stopped, until now if it is."""
        return time.monotonic() - self._began if self._took is None else self._took


def _told(verb: Callable[[], object]) -> None:
    try:
        verb()
    except libvirt.libvirtError as error:
        raise MachineError(f"a machine could not be kept: {error}") from None


def _save(domain: Domain, stream: Path) -> None:
    off = [{"capability": "x-ignore-shared", "state": False}]
    qmp(domain, "migrate-set-capabilities", capabilities=off)
    qmp(domain, "migrate-set-parameters", **{"max-bandwidth": 0})
    qmp(domain, "migrate", uri=f"file:{stream}")
    migrated(domain)


def store(captured: Captured, image: Image, final: Path) -> Snapshot:
    """Keep a captured machine as a snapshot that stands by itself, in the folder `final`, replacing
    one that is there.
    """
    staging = final.with_name(f".{final.name}.partial")
    with locked(final.with_name(f".{final.name}.lock")):
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(parents=True)
        memory = read_snapshot(captured.root).memory
        copy = ["cp", "--reflink=auto", "--sparse=always", memory, staging / "memory"]
        run(copy, what="copying memory")
        for part in captured.pages(NOTHING):
            lay_pages(part, staging / "memory")
        (staging / "state").write_bytes(captured.state)
        (staging / "disk.qcow2").write_bytes(captured.disk)
        token, shape, still = captured.token, captured.shape, captured.stood_still()
        write_snapshot(staging, final.name, image, token, shape, stood_still=still)
        forget(final)
        staging.rename(final)
    return read_snapshot(final)
