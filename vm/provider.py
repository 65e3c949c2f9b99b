"""The libvirt provider: templates, forks, spares, and the machines made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, TypeVar

from ambidex.vm import READY, MachineError, Place, Program, plain_name, refuse_ready
from ambidex.vm.acceleration import kvm_runs
from ambidex.vm.building.image import Image, silent
from ambidex.vm.checkpoints.capture import WAYS, Captured, capture, standing, store
from ambidex.vm.checkpoints.collection import keep, load
from ambidex.vm.checkpoints.disk_blocks import disk_blocks
from ambidex.vm.checkpoints.idle import Empty, lay, start
from ambidex.vm.machines.boot import BOUNDS, wait_until_quiet, wait_until_ready
from ambidex.vm.machines.domain import Memory, Shape
from ambidex.vm.machines.door import new_token
from ambidex.vm.machines.hypervisor import FORK_NEEDS, qemu_version
from ambidex.vm.machines.inplace import (
    inplace_folder,
    keep_inplace,
    revert_inplace,
    save_template,
    start_inplace,
)
from ambidex.vm.machines.instance import Instance, launch
from ambidex.vm.machines.machine import OwnedMachine
from ambidex.vm.machines.owner import LibvirtOwner
from ambidex.vm.machines.snapshot import (
    Snapshot,
    empty,
    fork,
    freeze_template,
    read_snapshot,
    snapshots_folder,
)
from ambidex.vm.machines.spares import Spares
from ambidex.vm.store import once

__all__ = ["LibvirtMachine", "LibvirtProvider"]

LibvirtMachine = OwnedMachine[Instance]

KINDS = 8
"""Snapshots that spares are kept of: a fork takes little memory until it writes."""
ROOTS = 2
"""Those that empty machines are kept over: one has all that a step has of its own."""
SPARE_WITHIN = 60.0
"""Seconds a spare may take to answer that it is ready."""


S = TypeVar("S", Instance, Empty)


class Kind(NamedTuple):
    """What a spare is."""

    folder: Path
    """Of the snapshot that it lies over."""
    token: str
    """The snapshot's: another one, where it was made again."""
    network: bool


class LibvirtProvider:
    """Makes machines of an image, and owns them: after `close` none is left. A context manager.

    `uri` empty means libvirt's embedded driver. `accel` is `auto`, `kvm` or `tcg`. `spares` is how
    many forks of the snapshot in use are kept ready ahead of the next revert. `revert` is `fork`,
    `loadvm` (the way of an older QEMU), or `auto`: a fork where QEMU can. `way` is how the memory
    of a running machine is taken: `pages`, `whole`, or `auto` (`vm.checkpoints.capture.WAYS`).
    """

    def __init__(
        self,
        *,
        uri: str = "",
        accel: str = "auto",
        cpus: int = 2,
        spares: int = 1,
        revert: str = "auto",
        way: str = "auto",
        say: Callable[[str], None] = silent,
    ) -> None:
        if way not in {"auto", *WAYS}:
            raise MachineError(f"no way to take memory is called {way!r}", hint=", ".join(WAYS))
        self._owner = LibvirtOwner(uri)
        self._accel = accel
        self._way = "" if way == "auto" else way
        self._cpus = cpus
        self._say = say
        self._ready: Spares[Instance] = Spares(spares, say, kinds=KINDS)
        """Of snapshots: they ran, and were suspended."""
        self._empty: Spares[Empty] = Spares(spares, say, kinds=ROOTS)
        """For steps."""
        self.qemu = qemu_version(self._owner.connection)
        """Version of QEMU."""
        self.forks = self._decide(revert)
        """Whether a revert is a fork."""

    def __enter__(self) -> LibvirtProvider:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def machine(
        self, image: Image, snapshot: str = READY, *, network: bool = False
    ) -> LibvirtMachine:
        """A machine of `image`, not booted yet; `network` lets its guest out."""

        def turn(old: Instance | None, place: Place) -> Instance:
            return self.turn(old, image, place, network)

        def kept(
            instance: Instance, last: Place, place: Place, programs: Sequence[Program]
        ) -> None:
            self.keep(instance, image, last, place)

        def split(instance: Instance) -> AbstractContextManager[Instance]:
            return self.split(instance, image)

        return LibvirtMachine(turn, kept, split, self.drop, snapshot)

    def shape(self, image: Image) -> Shape:
        """The hardware that this provider gives to `image`."""
        kind = self._kind(image)
        screen = image.base.screen.default if kind == "kvm" else image.base.screen.emulation
        return Shape(kind, self._cpus, image.base.memory, screen)

    def _kind(self, image: Image) -> str:
        if self._accel == "tcg":
            return "qemu"
        verdict = kvm_runs(image.base.kernel, image.base.initrd)
        if self._accel == "kvm" and not verdict.usable:
            raise MachineError(f"KVM was asked for: {verdict.seen}", hint="`--accel auto`")
        return "kvm" if verdict.usable else "qemu"

    def _decide(self, revert: str) -> bool:
        if revert not in {"auto", "fork", "loadvm"}:
            raise MachineError(
                f"no way to revert is called {revert!r}", hint="auto, fork or loadvm"
            )
        if revert == "fork" and self.qemu < FORK_NEEDS:
            raise MachineError(
                f"QEMU {'.'.join(map(str, self.qemu))} cannot fork a warm machine",
                hint=f"That takes QEMU {'.'.join(map(str, FORK_NEEDS))} or later.",
            )
        return revert != "loadvm" and self.qemu >= FORK_NEEDS

    def snapshot(self, image: Image, name: str = READY) -> Snapshot:
        """The snapshot `name` of `image`; `ready` is made by a cold boot if need be."""
        folder = snapshots_folder(image, self.shape(image), self.qemu)
        folder = (folder if self.forks else inplace_folder(folder)) / plain_name(name)
        if name == READY:
            once(folder, lambda staging: self._make_template(image, staging), self._say)
            if self.forks:  # nobody waits for it once an episode runs
                disk_blocks(image.base, self._say)
        return read_snapshot(folder)

    def _make_template(self, image: Image, staging: Path) -> None:
        self._say("booting the template of this image (once; kept for later runs)")
        for part in ("memory", "state", "disk.qcow2"):
            (staging / part).unlink(missing_ok=True)
        memory = Memory(staging / "memory", shared=True) if self.forks else None
        freeze = freeze_template if self.forks else save_template
        with self.cold(image, memory) as instance:
            wait_until_ready(instance, self._say, bound=BOUNDS[instance.shape.kind])
            wait_until_quiet(instance)
            freeze(instance, image, staging, READY)
        self._say("the template is frozen")

    def cold(
        self,
        image: Image,
        memory: Memory | None = None,
        *,
        ssh_key: str = "",
        token: str | None = None,
    ) -> AbstractContextManager[Instance]:
        """A machine started from its disk, not from a snapshot; a context manager of the
        `Instance`. It is handed a new token unless `token` is given; empty, it is handed none.
        """
        return closing(
            launch(
                self._owner,
                image,
                self.shape(image),
                token=new_token() if token is None else token,
                backing=image.base.disk,
                memory=memory,
                ssh_key=ssh_key,
            )
        )

    def turn(self, old: Instance | None, image: Image, place: Place, network: bool) -> Instance:
        """A running machine in the state of a snapshot or a step, in place of `old`."""
        if isinstance(place, Path):
            self._refuse_older("start from a step")
            # Not ended yet: a step that is refused leaves the machine as it is.
            with nullcontext() if old is None else old.aside():
                instance = self._started(self._loaded(place, image), image, network)
            if old is not None:
                self.drop(old)
            return instance
        snapshot = self.snapshot(image, place)
        if not self.forks:
            if old is not None and old.running():
                return revert_inplace(old, snapshot)
            return start_inplace(self._owner, snapshot, image, snapshot.shape, network=network)
        if old is not None:
            self.drop(old)
        return self._take(image, snapshot, network)

    def _loaded(self, step: Path, image: Image) -> Captured:
        return load(step, image.id, disk_blocks(image.base, self._say))

    def _started(self, captured: Captured, image: Image, network: bool) -> Instance:
        root = read_snapshot(captured.root)

        def make() -> Instance:
            return empty(self._owner, root, image, network=network)

        def prepare() -> Empty:
            return lay(captured, make(), self._way)

        kind = Kind(root.folder, root.token, network)
        spare = _running(self._empty.take(kind)) or Empty(make())
        instance = start(captured, spare, self._way)
        self._empty.refill(kind, prepare)
        return instance

    def _take(self, image: Image, snapshot: Snapshot, network: bool) -> Instance:
        def make() -> Instance:
            return fork(self._owner, snapshot, image, network=network)

        def prepare() -> Instance:
            instance = make()
            try:
                wait_until_ready(instance, silent, bound=SPARE_WITHIN)
                instance.domain.suspend()
            except BaseException:
                instance.close()
                raise
            return instance

        kind = Kind(snapshot.folder, snapshot.token, network)
        instance = _running(self._ready.take(kind))
        if instance is None:
            instance = make()
        else:
            instance.domain.resume()
            instance = instance.with_door(instance.door.renew())
        self._ready.refill(kind, prepare)
        return instance

    def wait_for_spares(self) -> None:
        """Return when every spare that is being made is ready, or has failed."""
        self._ready.wait()
        self._empty.wait()

    def drop(self, instance: Instance) -> None:
        """End a machine behind the scenes: QEMU's own end takes longer than a fork."""
        self._ready.end(instance)

    def keep(self, instance: Instance, image: Image, last: Place, place: Place) -> None:
        """Keep a running fork at a place, which was at `last` before; spares of an older snapshot
        there are ended.
        """
        if isinstance(place, Path):
            self._refuse_older("keep a step")
            parent = last if isinstance(last, Path) else None
            disk = disk_blocks(image.base, self._say)
            with standing(instance, self._way) as captured:
                keep(captured, place, parent, disk)
            return
        refuse_ready(place)
        folder = self.snapshot(image).folder.with_name(plain_name(place))
        if self.forks:
            store(capture(instance, self._way), image, folder)
        else:
            keep_inplace(instance, image, folder)
        for spares in (self._ready, self._empty):
            spares.drop(lambda kind: isinstance(kind, Kind) and kind.folder == folder)

    @contextmanager
    def split(self, instance: Instance, image: Image) -> Iterator[Instance]:
        """A second machine in the state of a running one; whoever takes it ends it."""
        self._refuse_older("fork a running machine")
        yield self._started(capture(instance, self._way), image, network=False)

    def _refuse_older(self, what: str) -> None:
        if not self.forks:
            needs = ".".join(map(str, FORK_NEEDS))
            raise MachineError(
                f"this QEMU cannot {what}", hint=f"That takes QEMU {needs} or later."
            )

    def close(self) -> None:
        """End every machine of this provider."""
        self._ready.close()
        self._empty.close()
        self._owner.close()


def _running(spare: S | None) -> S | None:
    """A spare, if it has not ended meanwhile."""
    if spare is not None and not spare.running():
        spare.close()
        return None
    return spare
