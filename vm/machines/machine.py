"""The implementation of `vm.Machine` that both providers share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Generic, Protocol, Self, TypeVar

from ambidex.vm import MachineError, Place, Program
from ambidex.vm.closing import Closing
from ambidex.vm.machines.door import Door

__all__ = ["OwnedMachine", "Running"]


class Running(Protocol):
    """A running desktop: the current instance of a machine."""

    @property
    def door(self) -> Door:
        """Its guest's endpoint."""

    @property
    def vnc(self) -> tuple[str, str] | None:
        """Address and password of its screen; None without a desktop."""

    @property
    def name(self) -> str:
        """A unique name for messages and files."""

    def console(self) -> str:
        """Its console output so far."""

    def picture(self) -> bytes:
        """The screen as PNG, captured from outside the guest."""

    def running(self) -> bool:
        """Whether it is still running."""

    def pid(self) -> int:
        """Its main process on this host; when that ends, so does the instance."""

    def close(self) -> None:
        """End it and remove its files."""


R = TypeVar("R", bound=Running)

Services = Sequence[str] | None
"""Names of the image's services that must run; None for all."""
Switch = Callable[[R | None, Place, Services], R]
"""Returns an instance in the state of a snapshot or checkpoint, and ends the old one if given."""
Save = Callable[[R, Place, Place, Sequence[Program]], None]
"""Saves an instance, which was last at the first place, at the second."""
Fork = Callable[[R], AbstractContextManager[R]]
"""Starts a second instance in the state of this one."""


class OwnedMachine(Closing, Generic[R]):
    """A `vm.Machine` of a provider. A revert takes a fresh instance and ends the old one."""

    def __init__(
        self,
        switch: Switch[R],
        save: Save[R],
        fork: Fork[R],
        drop: Callable[[R], None],
        snapshot: Place,
    ) -> None:
        self._switch = switch
        self._save = save
        self._fork = fork
        self._drop = drop
        self._snapshot = snapshot
        self._last = snapshot
        """The parent of the next checkpoint: the place last reverted to or saved at."""
        self._current: R | None = None

    @property
    def instance(self) -> R:
        """The current instance; `MachineError` before `boot` and after `close`."""
        if self._current is None:
            raise MachineError("this machine is not booted", hint="Call boot() or revert() first.")
        return self._current

    @property
    def endpoint(self) -> str:
        """See `vm.Machine`."""
        return self.instance.door.endpoint

    @property
    def token(self) -> str:
        """See `vm.Machine`."""
        return self.instance.door.token

    @property
    def vnc(self) -> tuple[str, str] | None:
        """See `vm.Machine`."""
        return self.instance.vnc

    def boot(self) -> None:
        """See `vm.Machine`."""
        self.revert(self._snapshot)

    def revert(self, snapshot: Place, services: Services = None) -> None:
        """See `vm.Machine`."""
        self._current = self._switch(self._current, snapshot, services)
        self._snapshot = self._last = snapshot

    def snapshot(self, name: Place, programs: Sequence[Program] = ()) -> None:
        """See `vm.Machine`."""
        self._save(self.instance, self._last, name, programs)
        if isinstance(name, Path):
            self._last = name

    @contextmanager
    def fork(self) -> Iterator[Self]:
        """See `vm.Machine`."""
        with self._fork(self.instance) as instance:
            operations = (self._switch, self._save, self._fork, self._drop)
            with type(self)(*operations, self._snapshot) as copy:
                copy._current, copy._last = instance, self._last
                yield copy

    def console(self) -> str:
        """See `vm.Machine`."""
        return self.instance.console()

    def picture(self) -> bytes:
        """See `vm.Machine`."""
        return self.instance.picture()

    def close(self) -> None:
        """See `vm.Machine`."""
        if self._current is not None:
            self._drop(self._current)
            self._current = None
