"""A running machine taken as it stands: by the pages it has of its own, its devices and its disk.

All three are told against the snapshot that it was made from, its root, however often it was taken
and started again since: so no capture depends on an earlier one.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from vm import MachineError
from vm.binding import libvirt
from vm.domain import Memory, Shape
from vm.hypervisor import Domain, machine_type, qmp
from vm.image import Image
from vm.instance import Instance, launch
from vm.memory import Pages, lay_pages, may_read, own_pages, read_pages
from vm.owner import LibvirtOwner
from vm.process import run
from vm.snapshot import Snapshot, migrated, read_snapshot, woken, write_snapshot
from vm.store import forget, locked
from vm.stream import configured, differing_pages, with_pages

__all__ = ["WAYS", "Captured", "capture", "standing", "start", "store"]

WAYS = ("pages", "whole")
"""How memory is taken: a machine's own pages, out of its process; or all of it, saved by QEMU,
where the process belongs to somebody else or may not be traced.
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
    pages: Callable[[], Iterable[Pages]]
    """Where its memory is not the root's, in parts; they are read when they are asked for, and
    `MachineError` names what is damaged.
    """
    state: bytes
    """Its devices, as a new machine loads them (`vm.stream.configured`)."""
    disk: bytes
    """Its qcow2, over the root's."""


@contextmanager
def standing(instance: Instance, way: str = "") -> Iterator[Captured]:
    """A machine that was forked, as it stands; it goes on after the block, in which its pages can
    be read once. `way` is chosen by what is allowed.
    """
    if instance.root is None:
        raise MachineError("a machine that was started from its disk cannot be kept")
    way = way or ("pages" if _readable(instance) else "whole")
    mapped = read_snapshot(instance.root).memory
    state, stream = instance.folder / "state", instance.folder / "stream"

    def pages() -> Iterator[Pages]:
        if way == "pages":
            pid = instance.pid()
            yield from read_pages(pid, mapped, own_pages(pid, mapped))
        else:
            _save(instance.domain, stream)
            yield differing_pages(stream, mapped)
            stream.unlink()

    began = time.monotonic()
    with _standing_still(instance.domain):
        # Not `live`: that would have QEMU let go of the disk.
        qmp(instance.domain, "xen-save-devices-state", filename=str(state), live=False)
        devices = configured(state.read_bytes(), machine_type(instance.domain))
        state.unlink()
        yield Captured(
            root=instance.root,
            shape=instance.shape,
            token=instance.door.token,
            way=way,
            stood_still=lambda: time.monotonic() - began,
            pages=pages,
            state=devices,
            disk=instance.disk.read_bytes(),
        )


def capture(instance: Instance, way: str = "") -> Captured:
    """The same of a machine that goes on at once: what it was is held in memory."""
    with standing(instance, way) as seen:
        parts = list(seen.pages())
    still = seen.stood_still()
    return replace(seen, stood_still=lambda: still, pages=lambda: parts)


def _readable(instance: Instance) -> bool:
    try:
        return may_read(instance.pid())
    except MachineError:  # the process is not of this host, or not ours
        return False


@contextmanager
def _standing_still(domain: Domain) -> Iterator[None]:
    try:
        domain.suspend()
        try:
            yield
        finally:
            domain.resume()
    except libvirt.libvirtError as error:
        raise MachineError(f"a machine could not be kept: {error}") from None


def _save(domain: Domain, stream: Path) -> None:
    off = [{"capability": "x-ignore-shared", "state": False}]
    qmp(domain, "migrate-set-capabilities", capabilities=off)
    qmp(domain, "migrate-set-parameters", **{"max-bandwidth": 0})
    qmp(domain, "migrate", uri=f"file:{stream}")
    migrated(domain)


def start(
    owner: LibvirtOwner, captured: Captured, image: Image, *, network: bool = False
) -> Instance:
    """A new machine as the captured one stood, running, with an identity of its own; it has said
    that it is ready, and its clock is right.
    """
    root = read_snapshot(captured.root)
    folder = owner.folder()
    disk, state = folder / "disk.qcow2", folder / "state"
    disk.write_bytes(captured.disk)
    # It says where its root lies, and that may have moved since.
    over = ["qemu-img", "rebase", "-u", "-f", "qcow2", "-F", "qcow2", "-b", root.disk, disk]
    run(over, what="laying a disk over its root")

    def put_together() -> None:
        with state.open("wb") as out:
            with_pages(captured.state, captured.pages(), out)

    with ThreadPoolExecutor(1) as behind:
        ready = behind.submit(put_together)
        instance = launch(
            owner,
            image,
            captured.shape,
            token=captured.token,
            backing=root.disk,
            memory=Memory(root.memory, shared=False),
            root=root.folder,
            disk=disk,
            network=network,
            incoming=True,
        )
    try:
        ready.result()
        instance = woken(instance, state, "a fork of a machine")
        state.unlink()
        return instance.with_door(instance.door.settled())
    except BaseException:
        instance.close()
        raise


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
        for part in captured.pages():
            lay_pages(part, staging / "memory")
        (staging / "state").write_bytes(captured.state)
        (staging / "disk.qcow2").write_bytes(captured.disk)
        token, shape, still = captured.token, captured.shape, captured.stood_still()
        write_snapshot(staging, final.name, image, token, shape, stood_still=still)
        forget(final)
        staging.rename(final)
    return read_snapshot(final)
