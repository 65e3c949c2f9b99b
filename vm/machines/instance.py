"""A running libvirt domain: a QEMU process with its disk overlay and ports."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import signal
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ambidex.vm import MachineError
from ambidex.vm.building.image import Image
from ambidex.vm.disk.guest_disk import GuestDisk, open_disk
from ambidex.vm.machines.binding import libvirt
from ambidex.vm.machines.display import capture
from ambidex.vm.machines.domain import GUEST_PORT, Memory, Shape, domain_xml
from ambidex.vm.machines.door import Door
from ambidex.vm.machines.hypervisor import Domain, hmp
from ambidex.vm.machines.owner import LibvirtOwner
from ambidex.vm.process import run
from ambidex.vm.store import cache_folder
from ambidex.vm.wait import NotYetError, wait_for

__all__ = ["Instance", "launch"]

ATTEMPTS = 3
"""Attempts to start QEMU: another process may take the display port at the same moment."""


@dataclass(frozen=True)
class Instance:
    """A domain that was started; `close` ends it and removes its folder."""

    owner: LibvirtOwner
    domain: Domain
    folder: Path
    disk: Path
    """The qcow2 that it writes to."""
    shape: Shape
    door: Door
    vnc: tuple[str, str] | None
    """Address and password of the screen; None without a desktop."""
    ssh_port: int | None
    root: Path | None
    """Folder of its base snapshot; None if it was started from its disk."""
    user: str
    """Name of the desktop user."""

    @property
    def name(self) -> str:
        """The name of its domain, its folder and its QEMU process."""
        return self.folder.name

    def console(self) -> str:
        """The serial log so far."""
        with contextlib.suppress(FileNotFoundError):
            return (self.folder / "console").read_text(errors="replace")
        return ""

    def running(self) -> bool:
        """Whether QEMU is still running."""
        try:
            return bool(self.domain.isActive())
        except libvirt.libvirtError:
            return False

    def picture(self) -> bytes:
        """The framebuffer as PNG, from outside the guest."""
        if self.vnc is None:
            raise MachineError(f"{self.name} has no screen: its image has no desktop")
        return capture(*self.vnc)

    def with_door(self, door: Door) -> Instance:
        """The same domain with another door."""
        return replace(self, door=door)

    def with_token(self, token: str) -> Instance:
        """The same domain with another token in its door."""
        return self.with_door(Door(self.door.endpoint, token))

    def pid(self) -> int:
        """The process id of its QEMU, from the pid file that libvirt writes."""
        for path in (self.owner.runtime / "run").rglob(f"{self.name}.pid"):
            return int(path.read_text())
        raise MachineError(f"no pid file of {self.name}: QEMU has ended, or is on another host")

    @contextlib.contextmanager
    def suspended(self) -> Iterator[None]:
        """Suspend it for the block, in which its replacement is made; resume it if that fails."""
        with contextlib.suppress(libvirt.libvirtError):  # it may have ended
            self.domain.suspend()
        try:
            yield
        except BaseException:
            with contextlib.suppress(libvirt.libvirtError):
                self.domain.resume()
            raise

    @contextlib.contextmanager
    def paused_disk(self) -> Iterator[GuestDisk]:
        """Pause it and read its disk in the block; it runs again afterwards. `MachineError` if it
        has ended, or if its disk cannot be read on this host."""
        try:
            self.domain.suspend()  # QEMU then writes what it still holds to the qcow2
        except libvirt.libvirtError as error:
            raise MachineError(f"the machine cannot be paused: {error}") from None
        try:
            with open_disk(self.disk, cache_folder(), self.user) as disk:
                yield disk
        finally:
            with contextlib.suppress(libvirt.libvirtError):  # it may have ended
                self.domain.resume()

    def close(self) -> None:
        """End the domain at once; its unsaved state is lost."""
        # libvirt would ask QEMU to exit and wait for it. Nothing needs saving, so kill it first.
        with contextlib.suppress(MachineError, ProcessLookupError):
            os.kill(self.pid(), signal.SIGKILL)
        with contextlib.suppress(libvirt.libvirtError):  # it may have ended already
            self.domain.destroy()
        for folder in {self.folder, self.disk.parent}:
            if folder.is_relative_to(self.owner.work):
                shutil.rmtree(folder, ignore_errors=True)


def launch(
    owner: LibvirtOwner,
    image: Image,
    shape: Shape,
    *,
    token: str,
    backing: Path,
    memory: Memory | None,
    root: Path | None = None,
    disk: Path | None = None,
    network: bool = False,
    ssh_key: str = "",
    incoming: bool = False,
    extra: tuple[str, ...] = (),
) -> Instance:
    """Start QEMU on a new overlay of `backing` (at `disk`, else in the instance's folder).

    With an empty `token`, the guest uses the one on its disk. With `incoming`, the machine stays
    stopped until a device state is loaded into it.
    """
    for attempt in range(1, ATTEMPTS + 1):
        folder = owner.folder()
        overlay = disk or folder / "disk.qcow2"
        token_file = folder / "token" if token else None
        if token_file is not None:
            token_file.touch(mode=0o600)
            token_file.write_text(token)
        if not overlay.exists():
            create = ["qemu-img", "create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", backing]
            run([*create, overlay], what="making a disk overlay")
        owner.account.grant(overlay)
        password = secrets.token_hex(4)  # RFB passwords have eight characters
        definition = domain_xml(
            name=folder.name,
            image=image,
            shape=shape,
            disk=overlay,
            console=folder / "console",
            token_file=token_file,
            vnc_password=password,
            memory=memory,
            network=network,
            ssh_key=ssh_key,
            incoming=incoming,
            extra=(*extra, *owner.account.arguments),
        )
        flags = libvirt.VIR_DOMAIN_START_PAUSED if incoming else 0
        try:
            domain = owner.connection.createXML(definition, flags)
        except libvirt.libvirtError as error:
            shutil.rmtree(folder, ignore_errors=True)
            port_taken = "Address already in use" in str(error) or "Failed to bind" in str(error)
            if port_taken and attempt < ATTEMPTS:
                continue
            raise MachineError(
                f"QEMU did not start: {error}", stage="create", hint=_hint(str(error))
            ) from None
        forwards = _forwards(domain)
        screen = (f"127.0.0.1:{_vnc_port(domain)}", password)
        return Instance(
            owner=owner,
            domain=domain,
            folder=folder,
            disk=overlay,
            shape=shape,
            door=Door(f"http://127.0.0.1:{forwards[GUEST_PORT]}", token),
            vnc=None if image.base.session == "none" else screen,
            ssh_port=forwards.get(22),
            root=root,
            user=image.base.user,
        )
    raise AssertionError("unreachable")


def _hint(error: str) -> str:
    if "annot allocate memory" in error or "o space left" in error:
        return "The host is out of memory or disk: run fewer machines at once (`--machines`)."
    return "`ambidex doctor` says what this machine lacks."


def _forwards(domain: Domain) -> dict[int, int]:
    """Forwarded ports, guest to host; the kernel chooses the host's, so that none collide."""

    def read() -> dict[int, int]:
        text = hmp(domain, "info usernet")
        rows = re.findall(r"HOST_FORWARD\]\s+\d+\s+\S+\s+(\d+)\s+\S+\s+(\d+)", text)
        if not rows:
            raise NotYetError(text.strip())
        return {int(guest): int(host) for host, guest in rows}

    return wait_for(
        read,
        bound=5.0,
        fail=lambda seen: MachineError(f"QEMU forwards no ports: {seen}", stage="create"),
    )


def _vnc_port(domain: Domain) -> int:
    graphics = ElementTree.fromstring(domain.XMLDesc(0)).find("./devices/graphics")
    assert graphics is not None
    return int(graphics.attrib["port"])
