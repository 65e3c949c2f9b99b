"""The sandbox provider: makes sandboxes, with snapshots of their files and spares."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from ambidex.vm import READY, MachineError, Place, Program, refuse_ready
from ambidex.vm.building.image import Image, silent
from ambidex.vm.closing import Closing
from ambidex.vm.machines.boot import wait_until_ready
from ambidex.vm.machines.machine import OwnedMachine
from ambidex.vm.machines.owner import Owner
from ambidex.vm.machines.spares import Spares
from ambidex.vm.sandbox.instance import STAGES, Sandbox, launch
from ambidex.vm.sandbox.kept import SandboxSnapshot, read_sandbox_snapshot, save_sandbox_snapshot
from ambidex.vm.sandbox.limits import ControlGroups, Limits

__all__ = ["SandboxMachine", "SandboxProvider"]

SandboxMachine = OwnedMachine[Sandbox]

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

        def switch(old: Sandbox | None, place: Place) -> Sandbox:
            return self.switch(old, image, _snapshot_name(place))

        def save(sandbox: Sandbox, _: Place, place: Place, programs: Sequence[Program]) -> None:
            self.save(sandbox, image, _snapshot_name(place), programs)

        def fork(sandbox: Sandbox) -> AbstractContextManager[Sandbox]:
            raise MachineError(
                "a running sandbox cannot be forked: its processes cannot be saved",
                hint="Use `--provider libvirt`.",
            )

        return SandboxMachine(switch, save, fork, self.drop, snapshot)

    def switch(self, old: Sandbox | None, image: Image, name: str) -> Sandbox:
        """A fresh sandbox in the state of the snapshot `name`; ends `old`."""
        snapshot = read_sandbox_snapshot(image, name)
        if old is not None:
            self.drop(old)
        kind = (image.id, name)
        sandbox = self._spares.take(kind)
        if sandbox is not None and not sandbox.running():
            sandbox.close()
            sandbox = None
        if sandbox is None:
            sandbox = self.fresh(image, snapshot)
        self._spares.refill(kind, lambda: self.fresh(image, snapshot))
        return sandbox

    def fresh(self, image: Image, snapshot: SandboxSnapshot) -> Sandbox:
        """Start a sandbox and its programs, and wait until it is ready."""
        if not image.base.tree.is_dir():
            raise MachineError(
                f"the image {image.base.name!r} cannot run as a sandbox: it is only a disk",
                hint="Use an image that is built from a recipe: `ambidex image build`.",
            )
        limits = self._limits or Limits(memory=image.base.memory << 20)
        lower = (*snapshot.layers, image.base.tree)
        sandbox = launch(self._owner.groups, self._owner.folder(), image, lower, limits)
        try:
            # Stages are not reported: this takes seconds, and most sandboxes are spares.
            wait_until_ready(
                sandbox, silent, bound=READY_WITHIN, every=POLL_INTERVAL, stages=STAGES
            )
            for program in snapshot.programs:
                sandbox.door.start(program.argv, program.window, WINDOW_WITHIN)
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
        self, sandbox: Sandbox, image: Image, name: str, programs: Sequence[Program] = ()
    ) -> None:
        """Save a sandbox's files as the snapshot `name`, with the programs to start again."""
        refuse_ready(name)
        save_sandbox_snapshot(sandbox, image, name, programs)
        self._spares.drop(lambda kind: kind == (image.id, name))

    def close(self) -> None:
        """End every sandbox of this provider."""
        self._spares.close()
        self._owner.close()


def _snapshot_name(place: Place) -> str:
    if isinstance(place, Path):
        raise MachineError(
            f"a sandbox has no checkpoints: its processes cannot be saved ({place})",
            hint="Use `--provider libvirt`.",
        )
    return place
