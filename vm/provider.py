"""The libvirt provider: makes virtual machines, with snapshots, checkpoints and spares."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple, TypeVar

from ambidex.vm import (
    READY,
    MachineError,
    Place,
    Program,
    UnforkableError,
    plain_name,
    refuse_ready,
)
from ambidex.vm.acceleration import kvm_runs
from ambidex.vm.building.image import Image, silent
from ambidex.vm.checkpoints.capture import (
    MEMORY_METHODS,
    CapturedMachine,
    capture,
    paused_capture,
    store_snapshot,
)
from ambidex.vm.checkpoints.collection import load_checkpoint, save_checkpoint
from ambidex.vm.checkpoints.disk_blocks import disk_blocks
from ambidex.vm.checkpoints.idle import IdleInstance, preload, restore
from ambidex.vm.closing import Closing
from ambidex.vm.disk.guest_disk import GuestDisk
from ambidex.vm.machines.boot import BOUNDS, wait_until_quiet, wait_until_ready
from ambidex.vm.machines.domain import Memory, Shape
from ambidex.vm.machines.door import new_token
from ambidex.vm.machines.hypervisor import FORK_NEEDS, qemu_version
from ambidex.vm.machines.inplace import (
    inplace_folder,
    revert_inplace,
    save_inplace,
    save_template,
    start_inplace,
)
from ambidex.vm.machines.instance import Instance, launch
from ambidex.vm.machines.machine import OwnedMachine, Services
from ambidex.vm.machines.owner import LibvirtOwner
from ambidex.vm.machines.snapshot import (
    Snapshot,
    fork,
    freeze_template,
    launch_idle,
    read_snapshot,
    snapshots_folder,
)
from ambidex.vm.machines.spares import Spares
from ambidex.vm.store import once

__all__ = ["LibvirtMachine", "LibvirtProvider"]

KINDS = 8
"""Number of snapshots that spares are kept of: a fork takes little memory until it writes."""
ROOTS = 2
"""Number of base snapshots that idle instances are kept on: each holds a checkpoint's memory."""
SPARE_WITHIN = 60.0
"""Seconds in which a spare must become ready."""


S = TypeVar("S", Instance, IdleInstance)


class SpareKind(NamedTuple):
    """What distinguishes spares from each other."""

    folder: Path
    """Folder of the snapshot."""
    token: str
    """The snapshot's token, which changes if it is made again."""
    network: bool


class LibvirtMachine(OwnedMachine[Instance]):
    """A virtual machine."""

    def disk(self) -> AbstractContextManager[GuestDisk]:
        """See `vm.disk.DiskOwner`."""
        return self.instance.paused_disk()


class LibvirtProvider(Closing):
    """Makes virtual machines of an image and owns them: `close` ends all. A context manager.

    An empty `uri` means libvirt's embedded driver. `accel` is `auto`, `kvm` or `tcg`. `spares` is
    the number of forks of the snapshot in use that are prepared for the next revert. `revert` is
    `fork`, `loadvm` (for an older QEMU), or `auto`: fork if QEMU can. `way` is the method by which
    memory is captured: `pages`, `whole`, or `auto` (`vm.checkpoints.capture.MEMORY_METHODS`).
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
        if way not in {"auto", *MEMORY_METHODS}:
            raise MachineError(
                f"unknown memory capture method: {way!r}",
                hint=f"Use auto, {' or '.join(MEMORY_METHODS)}.",
            )
        self._owner = LibvirtOwner(uri)
        self._accel = accel
        self._memory_method = "" if way == "auto" else way
        self._cpus = cpus
        self._say = say
        self._ready: Spares[Instance] = Spares(spares, say, kinds=KINDS)
        """Spares for snapshots: forks that became ready and were then suspended."""
        self._idle: Spares[IdleInstance] = Spares(spares, say, kinds=ROOTS)
        """Spares for checkpoints."""
        self.qemu = qemu_version(self._owner.connection)
        """Version of QEMU."""
        self.forks = self._can_fork(revert)
        """Whether a revert is a fork."""

    def machine(
        self, image: Image, snapshot: str = READY, *, network: bool = False
    ) -> LibvirtMachine:
        """A machine of `image`, not booted yet; `network` lets its guest reach the network."""

        def switch(old: Instance | None, place: Place, _: Services) -> Instance:
            return self.switch(old, image, place, network)

        def save(
            instance: Instance, last: Place, place: Place, programs: Sequence[Program]
        ) -> None:
            self.save(instance, image, last, place)

        def fork_running(instance: Instance) -> AbstractContextManager[Instance]:
            return self.fork(instance, image, network=network)

        return LibvirtMachine(switch, save, fork_running, self.drop, snapshot)

    def shape(self, image: Image) -> Shape:
        """The hardware of this provider's machines of `image`."""
        kind = self._domain_type(image)
        screen = image.base.screen.default if kind == "kvm" else image.base.screen.emulation
        return Shape(kind, self._cpus, image.base.memory, screen)

    def _domain_type(self, image: Image) -> str:
        if self._accel == "tcg":
            return "qemu"
        verdict = kvm_runs(image.base.kernel, image.base.initrd)
        if self._accel == "kvm" and not verdict.usable:
            raise MachineError(
                f"KVM is not usable: {verdict.seen}", hint="`--accel auto` emulates instead."
            )
        return "kvm" if verdict.usable else "qemu"

    def _can_fork(self, revert: str) -> bool:
        if revert not in {"auto", "fork", "loadvm"}:
            raise MachineError(
                f"unknown revert method: {revert!r}", hint="Use auto, fork or loadvm."
            )
        if revert == "fork" and self.qemu < FORK_NEEDS:
            raise MachineError(
                f"QEMU {'.'.join(map(str, self.qemu))} cannot fork a running machine",
                hint=f"Needs QEMU {'.'.join(map(str, FORK_NEEDS))} or later.",
            )
        return revert != "loadvm" and self.qemu >= FORK_NEEDS

    def snapshot(self, image: Image, name: str = READY) -> Snapshot:
        """The snapshot `name` of `image`; `ready` is made by a cold boot if it does not exist."""
        folder = snapshots_folder(image, self.shape(image), self.qemu)
        folder = (folder if self.forks else inplace_folder(folder)) / plain_name(name)
        if name == READY:
            once(folder, lambda staging: self._make_ready(image, staging), self._say)
            if self.forks:  # built now, so that no episode has to wait for it
                disk_blocks(image.base, self._say)
        return read_snapshot(folder)

    def _make_ready(self, image: Image, staging: Path) -> None:
        self._say("booting this image to make its base snapshot (once; later runs reuse it)")
        for part in ("memory", "state", "disk.qcow2"):
            (staging / part).unlink(missing_ok=True)
        memory = Memory(staging / "memory", shared=True) if self.forks else None
        freeze = freeze_template if self.forks else save_template
        with self.cold(image, memory) as instance:
            wait_until_ready(instance, self._say, bound=BOUNDS[instance.shape.kind])
            instance.door.start_servers()
            wait_until_quiet(instance)
            freeze(instance, image, staging, READY)
        self._say("the base snapshot is saved")

    def cold(
        self,
        image: Image,
        memory: Memory | None = None,
        *,
        ssh_key: str = "",
        token: str | None = None,
    ) -> AbstractContextManager[Instance]:
        """Start a machine from its disk instead of a snapshot; closes the `Instance` on exit.

        The guest gets `token`, by default a new one; with an empty token it uses the one on its
        disk.
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

    def switch(self, old: Instance | None, image: Image, place: Place, network: bool) -> Instance:
        """An instance in the state of a snapshot or checkpoint; ends `old`."""
        if isinstance(place, Path):
            self._require_forks("start from a checkpoint")
            # `old` ends last: a checkpoint that is refused leaves the machine as it was.
            with nullcontext() if old is None else old.suspended():
                instance = self._restore(self._load(place, image), image, network)
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
        return self._fork_snapshot(image, snapshot, network)

    def _load(self, checkpoint: Path, image: Image) -> CapturedMachine:
        return load_checkpoint(checkpoint, image.id, disk_blocks(image.base, self._say))

    def _restore(self, captured: CapturedMachine, image: Image, network: bool) -> Instance:
        root = read_snapshot(captured.root)

        def make() -> Instance:
            return launch_idle(self._owner, root, image, network=network)

        def prepare() -> IdleInstance:
            return preload(captured, make(), self._memory_method)

        kind = SpareKind(root.folder, root.token, network)
        spare = _if_running(self._idle.take(kind)) or IdleInstance(make())
        instance = restore(captured, spare, self._memory_method)
        self._idle.refill(kind, prepare)
        return instance

    def _fork_snapshot(self, image: Image, snapshot: Snapshot, network: bool) -> Instance:
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

        kind = SpareKind(snapshot.folder, snapshot.token, network)
        instance = _if_running(self._ready.take(kind))
        if instance is None:
            instance = make()
        else:
            instance.domain.resume()
            instance = instance.with_door(instance.door.renew())
        self._ready.refill(kind, prepare)
        return instance

    def wait_for_spares(self) -> None:
        """Wait until every spare that is being made is ready or has failed."""
        self._ready.wait()
        self._idle.wait()

    def drop(self, instance: Instance) -> None:
        """End an instance in the background: ending QEMU takes longer than a fork."""
        self._ready.end(instance)

    def save(self, instance: Instance, image: Image, last: Place, place: Place) -> None:
        """Save a running fork, which was at `last` before, as the snapshot or checkpoint `place`.

        Spares of a snapshot that this replaces are ended.
        """
        if isinstance(place, Path):
            self._require_forks("save a checkpoint")
            parent = last if isinstance(last, Path) else None
            disk = disk_blocks(image.base, self._say)
            with paused_capture(instance, self._memory_method) as captured:
                save_checkpoint(captured, place, parent, disk)
            return
        refuse_ready(place)
        folder = self.snapshot(image).folder.with_name(plain_name(place))
        if self.forks:
            store_snapshot(capture(instance, self._memory_method), image, folder)
        else:
            save_inplace(instance, image, folder)
        for spares in (self._ready, self._idle):
            spares.drop(lambda kind: isinstance(kind, SpareKind) and kind.folder == folder)

    @contextmanager
    def fork(
        self, instance: Instance, image: Image, *, network: bool = False
    ) -> Iterator[Instance]:
        """Start a second instance in the state of a running one; the caller must end it."""
        self._require_forks("fork a running machine")
        yield self._restore(capture(instance, self._memory_method), image, network)

    def _require_forks(self, what: str) -> None:
        if not self.forks:
            needs = ".".join(map(str, FORK_NEEDS))
            raise UnforkableError(f"this QEMU cannot {what}", hint=f"Needs QEMU {needs} or later.")

    def close(self) -> None:
        """End every machine of this provider."""
        self._ready.close()
        self._idle.close()
        self._owner.close()


def _if_running(spare: S | None) -> S | None:
    """The spare, or None if it has ended meanwhile."""
    if spare is not None and not spare.running():
        spare.close()
        return None
    return spare
