"""The sandbox provider: makes sandboxes, with snapshots of their files and spares."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ambidex.vm import READY, MachineError, Place, Program, refuse_ready
from ambidex.vm.building.image import Image, silent
from ambidex.vm.closing import Closing
from ambidex.vm.machines.boot import wait_until_ready
from ambidex.vm.machines.machine import OwnedMachine, Services
from ambidex.vm.machines.owner import Owner
from ambidex.vm.machines.spares import Spares
from ambidex.vm.sandbox.instance import STAGES, Sandbox, launch
from ambidex.vm.sandbox.kept import (
    SandboxSnapshot,
    copy_files,
    read_sandbox_snapshot,
    refuse_memory,
    save_sandbox_checkpoint,
    save_sandbox_snapshot,
)
from ambidex.vm.sandbox.limits import ControlGroups, Limits

__all__ = ["SandboxMachine", "SandboxProvider"]

SandboxMachine = OwnedMachine[Sandbox]


class SpareKind(NamedTuple):
    """What distinguishes spares from each other."""

    image: str
    snapshot: str
    services: tuple[str, ...]


KINDS = 2
"""Number of snapshots that spares are kept of: each spare takes half a GiB."""
READY_WITHIN = 120.0
"""Seconds in which a sandbox must become ready; alone on two processors it takes four."""
WINDOW_WITHIN = 120.0
"""Seconds in which a program must open its window."""
POLL_INTERVAL = 0.03


class SandboxOwner(Owner):
    """An owner with control groups."""

    @functools.cached_property
    def groups(self) -> ControlGroups:
        """The control groups of its sandboxes."""
        return ControlGroups(self.tag)

    def folders(self) -> list[Path]:
        """See `Owner.folders`."""
        return [*super().folders(), *self.groups.folders()]

    def close(self) -> None:
        """Remove the groups, then do as `Owner.close`."""
        self.groups.close()
        super().close()


class SandboxProvider(Closing):
    """Makes sandboxes of an image and owns them: `close` ends all. A context manager.

    `spares` is the number of sandboxes of the snapshot in use that are prepared for the next
    revert. `limits` apply to each sandbox; by default, its memory is the image's.
    """

    def __init__(
        self,
        *,
        spares: int = 1,
        limits: Limits | None = None,
        say: Callable[[str], None] = silent,
    ) -> None:
        self._owner = SandboxOwner()
        self._limits = limits
        self._say = say
        self._spares: Spares[Sandbox] = Spares(spares, say, kinds=KINDS)
        self.limited = self._owner.groups.limited
        """The resources that control groups limit here: `memory`, `pids`."""
        if "memory" not in self.limited:
            say("no control group is available: a sandbox may use all of the memory")

    def machine(self, image: Image, snapshot: str = READY) -> SandboxMachine:
        """A machine of `image`, not booted yet."""

        def switch(old: Sandbox | None, place: Place, services: Services) -> Sandbox:
            return self.switch(old, image, place, services)

        def save(sandbox: Sandbox, _: Place, place: Place, programs: Sequence[Program]) -> None:
            self.save(sandbox, image, place, programs)

        @contextmanager
        def fork(sandbox: Sandbox) -> Iterator[Sandbox]:
            yield self.fork(sandbox, image)

        return SandboxMachine(switch, save, fork, self.drop, snapshot)

    def switch(
        self, old: Sandbox | None, image: Image, place: Place, services: Services = None
    ) -> Sandbox:
        """A fresh sandbox in the state of a snapshot or checkpoint; ends `old`."""
        snapshot = read_sandbox_snapshot(image, place)
        if services is None:
            services = snapshot.services
        wanted = services_of(image, services)
        if old is not None:
            self.drop(old)
        kind = SpareKind(image.id, snapshot.name, wanted)
        sandbox = self._spares.take(kind)
        if sandbox is not None and not sandbox.running():
            sandbox.close()
            sandbox = None
        if sandbox is None:
            sandbox = self.fresh(image, snapshot, wanted)
        if not isinstance(place, Path):  # a checkpoint is started from once or twice
            self._spares.refill(kind, lambda: self.fresh(image, snapshot, wanted))
        return sandbox

    def fresh(self, image: Image, snapshot: SandboxSnapshot, services: tuple[str, ...]) -> Sandbox:
        """Start a sandbox and its programs, and wait until it is ready."""
        sandbox = self._start(image, snapshot.layers, services, self._owner.folder())
        try:
            for program in snapshot.programs:
                sandbox.door.start(program.argv, program.window, WINDOW_WITHIN)
        except BaseException:
            sandbox.close()
            raise
        return sandbox

    def fork(self, sandbox: Sandbox, image: Image) -> Sandbox:
        """A second sandbox on a copy of the files of a running one, which the caller must end."""
        refuse_memory(sandbox, image)
        folder = self._owner.folder()
        copy_files(sandbox, folder / "forked")
        layers = (folder / "forked", *sandbox.lower[:-1])
        return self._start(image, layers, sandbox.services, folder)

    def _start(
        self, image: Image, layers: tuple[Path, ...], services: tuple[str, ...], folder: Path
    ) -> Sandbox:
        if not image.base.tree.is_dir():
            raise MachineError(
                f"the image {image.base.name!r} cannot run as a sandbox: it is only a disk",
                hint="Use an image that is built from a recipe: `ambidex image build`.",
            )
        limits = self._limits or Limits(memory=image.base.memory << 20)
        lower = (*layers, image.base.tree)
        sandbox = launch(self._owner.groups, folder, image, lower, limits, services)
        try:
            # Stages are not reported: this takes seconds, and most sandboxes are spares.
            wait_until_ready(
                sandbox, silent, bound=READY_WITHIN, every=POLL_INTERVAL, stages=STAGES
            )
        except BaseException:
            sandbox.close()
            raise
        return sandbox

    def wait_for_spares(self) -> None:
        """Wait until every spare that is being made is ready or has failed."""
        self._spares.wait()

    def drop(self, sandbox: Sandbox) -> None:
        """End a sandbox in the background."""
        self._spares.end(sandbox)

    def save(
        self, sandbox: Sandbox, image: Image, place: Place, programs: Sequence[Program] = ()
    ) -> None:
        """Save a sandbox's files as a snapshot, with the programs to start again, or checkpoint."""
        if isinstance(place, Path):
            save_sandbox_checkpoint(sandbox, image, place)
            return
        refuse_ready(place)
        save_sandbox_snapshot(sandbox, image, place, programs)
        self._spares.drop(
            lambda kind: isinstance(kind, SpareKind) and kind[:2] == (image.id, place)
        )

    def close(self) -> None:
        """End every sandbox of this provider."""
        self._spares.close()
        self._owner.close()


def services_of(image: Image, names: Services) -> tuple[str, ...]:
    """The services to start: those named, by default all of the image's, and those they need.

    `MachineError` names one that the image does not have.
    """
    declared = {service.name: service for service in image.base.services}
    wanted: set[str] = set()
    waiting = list(declared if names is None else names)
    while waiting:
        name = waiting.pop()
        if name not in declared:
            raise MachineError(
                f"the image {image.base.name!r} has no service {name!r}",
                hint=f"Its services: {', '.join(declared) or 'none'}.",
            )
        if name not in wanted:
            wanted.add(name)
            waiting += declared[name].after
    return tuple(name for name in declared if name in wanted)
