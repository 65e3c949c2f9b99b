"""The libvirt definition of a machine, rendered from the template `domain.xml`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import jinja2

from ambidex.vm.building.image import Image

__all__ = ["GUEST_PORT", "HARDWARE", "RAM", "Memory", "Shape", "domain_xml"]

GUEST_PORT = 8770
RAM = "am.ram"
"""QEMU's id of the memory of a machine that can be forked."""
TEMPLATE = Path(__file__).with_name("domain.xml")
HARDWARE = (TEMPLATE, Path(__file__))
"""Files that define a machine's devices: a saved state fits only the definition it came from."""


@dataclass(frozen=True)
class Shape:
    """The hardware of a machine, which must be the same for a snapshot to fit."""

    kind: str
    """`kvm`, or `qemu` for emulation."""
    cpus: int
    memory: int
    """MiB."""
    screen: tuple[int, int]
    """Pixels, width and height."""


@dataclass(frozen=True)
class Memory:
    """The file that backs guest memory."""

    file: Path
    shared: bool
    """Whether the machine's writes go to the file; otherwise pages are copied on write."""
    sealed: bool = False
    """Whether QEMU opens the file read-only, which takes version 8.2."""


def domain_xml(
    *,
    name: str,
    image: Image,
    shape: Shape,
    disk: Path,
    console: Path,
    token_file: Path | None,
    vnc_password: str,
    memory: Memory | None,
    network: bool = False,
    ssh_key: str = "",
    incoming: bool = False,
    extra: tuple[str, ...] = (),
) -> str:
    """The XML definition of a machine's domain.

    With `incoming` the machine waits for a saved device state. With `network` the guest can reach
    the network; without, it reaches nothing, and its ports are reachable only from this host's
    loopback. `ssh_key` is a public key in OpenSSH's format whose holder may log in as root.
    """
    restrict = "off" if network else "on"
    forwards = f"hostfwd=tcp:127.0.0.1:0-:{GUEST_PORT}"
    command_line = image.base.command_line
    if ssh_key:
        forwards += ",hostfwd=tcp:127.0.0.1:0-:22"
        command_line += " systemd.wants=ssh.service"
    arguments = ["-netdev", f"user,id=n0,restrict={restrict},{forwards}"]
    arguments += ["-device", "virtio-net-pci,netdev=n0,addr=0x10"]
    if memory is not None:
        # Memory that is copied on write is opened read-only: no machine may change it for others.
        share = "on" if memory.shared else "off,readonly=on,rom=off" if memory.sealed else "off"
        backend = f"memory-backend-file,id={RAM},size={shape.memory}M,mem-path={memory.file}"
        arguments += ["-object", f"{backend},share={share},dump=off"]
        arguments += ["-machine", f"memory-backend={RAM}"]
    if incoming:
        arguments += ["-incoming", "defer"]
    arguments += extra
    template = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(
        TEMPLATE.read_text()
    )
    return template.render(
        name=name,
        kind=shape.kind,
        cpus=shape.cpus,
        memory=shape.memory,
        width=shape.screen[0],
        height=shape.screen[1],
        kernel=image.base.kernel,
        initrd=image.base.initrd,
        command_line=command_line,
        ssh_key=ssh_key,
        layer=image.layer,
        disk=disk,
        console=console,
        token_file=token_file,
        vnc_password=vnc_password,
        arguments=arguments,
    )
