"""The sandbox provider: fresh desktops, spares, and the machines made of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType

from ambidex.vm import READY, MachineError, Place, Program, refuse_ready
from ambidex.vm.building.image import Image, silent
from ambidex.vm.machines.boot import wait_until_ready
from ambidex.vm.machines.machine import OwnedMachine
from ambidex.vm.machines.owner import Owner
from ambidex.vm.machines.spares import Spares
from ambidex.vm.sandbox.instance import STAGES, Sandbox, launch
from ambidex.vm.sandbox.kept import Kept, keep, read_kept
from ambidex.vm.sandbox.limits import Groups, Limits

__all__ = ["SandboxMachine", "SandboxProvider"]

SandboxMachine = OwnedMachine[Sandbox]

KINDS = 2
"""Snapshots that spares are kept of: each takes half a GiB."""
READY_WITHIN = 120.0
"""Seconds a sandbox may take to get ready; alone on two processors it takes four."""
WINDOW_WITHIN = 120.0
LOOK_EVERY = 0.03


class SandboxOwner(Owner):
    """An owner with control groups."""

    @functools.cached_property
    def groups(self) -> Groups:
        """Those of its sandboxes."""
        return Groups(self.tag)

    def folders(self) -> list[Path]:
        """See `Owner.folders`."""
        return [*super().folders(), *self.groups.folders()]

    def close(self) -> None:
        """Remove the groups, then as every owner."""
        self.groups.close()
        super().close()


class SandboxProvider:
    """Makes sandboxes of an image, and owns them: after `close` none is left. A context manager.

    `spares` is how many fresh ones of the snapshot in use are kept ready ahead of the next revert.
    `limits` are each sandbox's; its memory is the image's where they are not given.
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
        self.bounded = self._owner.groups.bounded
        """Which of memory and pids a control group bounds here."""
        if "memory" not in self.bounded:
            say("no control group can be written here: a sandbox may take all of the memory")

    def __enter__(self) -> SandboxProvider:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def machine(self, image: Image, snapshot: str = READY) -> SandboxMachine:
        """A machine of `image`, not booted yet."""

        def turn(old: Sandbox | None, place: Place) -> Sandbox:
            return self.turn(old, image, _named(place))

        def kept(sandbox: Sandbox, _: Place, place: Place, programs: Sequence[Program]) -> None:
            self.keep(sandbox, image, _named(place), programs)

        def split(sandbox: Sandbox) -> AbstractContextManager[Sandbox]:
            raise MachineError(
                "a running sandbox cannot be forked: its programs' memory is not kept",
                hint="`--provider libvirt` can.",
            )

        return SandboxMachine(turn, kept, split, self.drop, snapshot)

    def turn(self, old: Sandbox | None, image: Image, name: str) -> Sandbox:
        """A sandbox fresh from the snapshot `name`, in place of `old`."""
        snapshot = read_kept(image, name)
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

    def fresh(self, image: Image, snapshot: Kept) -> Sandbox:
        """A new sandbox, ready, its programs started."""
        if not image.base.tree.is_dir():
            raise MachineError(
                f"the image {image.base.name!r} is a disk alone: no sandbox runs from it",
                hint="One that is built from a recipe has its files too: `ambidex image build`.",
            )
        limits = self._limits or Limits(memory=image.base.memory << 20)
        lower = (*snapshot.layers, image.base.tree)
        sandbox = launch(self._owner.groups, self._owner.folder(), image, lower, limits)
        try:
            # It takes seconds, and most of them are spares: their stages are nobody's progress.
            wait_until_ready(sandbox, silent, bound=READY_WITHIN, every=LOOK_EVERY, stages=STAGES)
            for program in snapshot.programs:
                sandbox.door.start(program.argv, program.window, WINDOW_WITHIN)
        except BaseException:
            sandbox.close()
            raise
        return sandbox

    def wait_for_spares(self) -> None:
        """Return when every spare that is being made is ready, or has failed."""
        self._spares.wait()

    def drop(self, sandbox: Sandbox) -> None:
        """End a sandbox behind the scenes."""
        self._spares.end(sandbox)

    def keep(
        self, sandbox: Sandbox, image: Image, name: str, programs: Sequence[Program] = ()
    ) -> None:
        """Keep a sandbox's files as the snapshot `name`, and which programs to start again."""
        refuse_ready(name)
        keep(sandbox, image, name, programs)
        self._spares.drop(lambda kind: kind == (image.id, name))

    def close(self) -> None:
        """End every sandbox of this provider."""
        self._spares.close()
        self._owner.close()


def _named(place: Place) -> str:
    if isinstance(place, Path):
        raise MachineError(
            f"a sandbox keeps no steps ({place}): its programs' memory is not kept",
            hint="`--provider libvirt` can.",
        )
    return place
