"""A libvirt connection, and QEMU's own monitor behind it."""

from __future__ import annotations

import functools
import json
import os
import threading
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

from ambidex.vm import MachineError
from ambidex.vm.machines.binding import libvirt, libvirt_qemu
from ambidex.vm.store import cache_folder

__all__ = ["FORK_NEEDS", "Domain", "connect", "hmp", "machine_type", "qemu_version", "qmp"]

Domain = Any
"""libvirt.virDomain; the bindings carry no types."""

FORK_NEEDS = (8, 1, 0)
"""The first QEMU whose migration to a file leaves shared memory where it is."""


@functools.cache
def _event_loop() -> None:
    """libvirt's embedded driver needs a running event loop in the process, started before the first
    connection.
    """
    libvirt.virEventRegisterDefaultImpl()
    libvirt.registerErrorHandler(lambda *_: None, None)

    def turn() -> None:
        while True:
            libvirt.virEventRunDefaultImpl()

    threading.Thread(target=turn, name="libvirt-events", daemon=True).start()


def connect(uri: str, root: Path) -> Any:
    """A connection to `uri`; to the embedded driver under `root` if `uri` is empty.

    The embedded driver needs no daemon and no special user: it starts QEMU as whoever runs this,
    and if that is root, QEMU changes its id itself (`vm.machines.account`).
    """
    _event_loop()
    if not uri:
        (root / "etc").mkdir(parents=True, exist_ok=True)
        me = [f'user = "+{os.getuid()}"', f'group = "+{os.getgid()}"', "seccomp_sandbox = 0"]
        if os.geteuid() != 0:
            me = []
        (root / "etc" / "qemu.conf").write_text(
            "\n".join(
                [
                    'stdio_handler = "file"',
                    'security_driver = "none"',
                    "dynamic_ownership = 0",
                    "remember_owner = 0",
                    "namespaces = []",
                    "cgroup_controllers = []",
                    *me,
                    "",
                ]
            )
        )
        known = cache_folder() / "libvirt"
        known.mkdir(parents=True, exist_ok=True)
        if not (root / "cache").exists():
            (root / "cache").symlink_to(known)  # what QEMU can do is found out once, not per run
        uri = f"qemu:///embed?root={root}"
    try:
        return libvirt.open(uri)
    except libvirt.libvirtError as error:
        raise MachineError(
            f"libvirt does not open {uri}: {error}",
            hint="`ambidex doctor` says what is missing.",
        ) from None


def qemu_version(connection: Any) -> tuple[int, int, int]:
    """The version of the QEMU that machines of this connection run on."""
    number = int(connection.getVersion())
    return number // 1_000_000, number // 1_000 % 1_000, number % 1_000


def machine_type(domain: Domain) -> str:
    """QEMU's name of the machine that a domain is, with its version: `pc-q35-10.0`."""
    named = ElementTree.fromstring(domain.XMLDesc(0)).find("./os/type")
    assert named is not None
    return named.attrib["machine"]


def qmp(domain: Domain, command: str, **arguments: object) -> Any:
    """One command of QEMU's machine protocol; what it returned."""
    asked = json.dumps({"execute": command, "arguments": arguments})
    try:
        answer = json.loads(libvirt_qemu.qemuMonitorCommand(domain, asked, 0))
    except libvirt.libvirtError as error:
        raise MachineError(f"QEMU's monitor did not answer {command}: {error}") from None
    if "error" in answer:
        raise MachineError(f"QEMU refused {command}: {answer['error'].get('desc')}")
    return answer.get("return")


def hmp(domain: Domain, line: str) -> str:
    """One line of QEMU's human monitor; what it printed."""
    try:
        return str(
            libvirt_qemu.qemuMonitorCommand(
                domain, line, libvirt_qemu.VIR_DOMAIN_QEMU_MONITOR_COMMAND_HMP
            )
        )
    except libvirt.libvirtError as error:
        raise MachineError(f"QEMU's monitor did not answer {line!r}: {error}") from None
