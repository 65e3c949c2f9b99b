"""A machine of a provider that owns it: one running instance after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Generic, Protocol, TypeVar

from ambidex.vm import MachineError, Place, Program
from ambidex.vm.machines.door import Door

__all__ = ["OwnedMachine", "Running"]


class Running(Protocol):
    """A desktop that runs, at one place; what a machine is at present."""

    @property
    def door(self) -> Door:
        """Where its guest answers."""

    @property
    def vnc(self) -> tuple[str, str]:
        """Address and password of its screen."""

    @property
    def name(self) -> str:
        """For messages and files."""

    def console(self) -> str:
        """What it has said so far."""

    def picture(self) -> bytes:
        """The screen as PNG, from outside the guest."""

    def running(self) -> bool:
        """Whether it is still there."""

    def pid(self) -> int:
        """The process of this host that it ends with."""

    def close(self) -> None:
        """End it; nothing of it is left."""


R = TypeVar("R", bound=Running)

Turn = Callable[[R | None, Place], R]
"""An instance in the state of that snapshot or step, in place of an old one."""
Keep = Callable[[R, Place, Place, Sequence[Program]], None]
"""Keep an instance, which was last at the first place, at the second."""
Split = Callable[[R], AbstractContextManager[R]]
"""A second instance like this one."""


class OwnedMachine(Generic[R]):
    """A `vm.Machine`. To revert is to take a fresh instance and drop the old one."""

    def __init__(
        self,
        turn: Turn[R],
        keep: Keep[R],
        split: Split[R],
        drop: Callable[[R], None],
        snapshot: Place,
    ) -> None:
        self._turn = turn
        self._keep = keep
        self._split = split
        self._drop = drop
        self._snapshot = snapshot
        self._last = snapshot
        """What a step that it keeps comes after."""
        self._now: R | None = None

    @property
    def instance(self) -> R:
        """What this machine is at present; `MachineError` before `boot` and after `close`."""
        if self._now is None:
            raise MachineError("this machine is not booted", hint="Call boot() or revert() first.")
        return self._now

    @property
    def endpoint(self) -> str:
        """See `vm.Machine`."""
        return self.instance.door.endpoint

    @property
    def token(self) -> str:
        """See `vm.Machine`."""
        return self.instance.door.token

    @property
    def vnc(self) -> tuple[str, str]:
        """See `vm.Machine`."""
        return self.instance.vnc

    def boot(self) -> None:
        """See `vm.Machine`."""
        self.revert(self._snapshot)

    def revert(self, snapshot: Place) -> None:
        """See `vm.Machine`."""
        self._now = self._turn(self._now, snapshot)
        self._snapshot = self._last = snapshot

    def snapshot(self, name: Place, programs: Sequence[Program] = ()) -> None:
        """See `vm.Machine`."""
        self._keep(self.instance, self._last, name, programs)
        if isinstance(name, Path):
            self._last = name

    @contextmanager
    def fork(self) -> Iterator[OwnedMachine[R]]:
        """See `vm.Machine`."""
        with self._split(self.instance) as instance:
            parts = (self._turn, self._keep, self._split, self._drop, self._snapshot)
            with OwnedMachine(*parts) as copy:
                copy._now, copy._last = instance, self._last
                yield copy

    def console(self) -> str:
        """See `vm.Machine`."""
        return self.instance.console()

    def picture(self) -> bytes:
        """See `vm.Machine`."""
        return self.instance.picture()

    def close(self) -> None:
        """See `vm.Machine`."""
        if self._now is not None:
            self._drop(self._now)
            self._now = None

    def __enter__(self) -> OwnedMachine[R]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
