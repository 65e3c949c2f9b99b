"""A machine on the libvirt provider: always a fork of some snapshot."""

from __future__ import annotations

import typing
from types import TracebackType

from vm import MachineError
from vm.image import Image
from vm.instance import Instance

if typing.TYPE_CHECKING:
    from vm.provider import LibvirtProvider

__all__ = ["LibvirtMachine"]


class LibvirtMachine:
    """A `vm.Machine`. To revert is to take a fresh fork and drop the old one."""

    def __init__(
        self, provider: LibvirtProvider, image: Image, snapshot: str, *, network: bool = False
    ) -> None:
        self._provider = provider
        self._image = image
        self._snapshot = snapshot
        self._network = network
        self._now: Instance | None = None

    @property
    def instance(self) -> Instance:
        """The domain this machine is at present; `MachineError` before `boot` and after `close`."""
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

    def revert(self, snapshot: str) -> None:
        """See `vm.Machine`."""
        old, self._now = self._now, None
        self._now = self._provider.turn(old, self._image, snapshot, self._network)
        self._snapshot = snapshot

    def snapshot(self, name: str) -> None:
        """See `vm.Machine`."""
        self._provider.keep(self.instance, self._image, self._snapshot, name)

    def console(self) -> str:
        """See `vm.Machine`."""
        return self.instance.console()

    def picture(self) -> bytes:
        """See `vm.Machine`."""
        return self.instance.picture()

    def close(self) -> None:
        """See `vm.Machine`."""
        if self._now is not None:
            self._provider.drop(self._now)
            self._now = None

    def __enter__(self) -> LibvirtMachine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
