"""Connections to libvirt, and commands to QEMU's own monitor."""

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
"""libvirt.virDomain; the bindings are not typed."""

FORK_NEEDS = (8, 1, 0)
"""The first version of QEMU whose migration to a file can leave shared memory in place."""


@functools.cache
def _event_loop() -> None:
    """Start the event loop that libvirt's embedded driver needs before the first connection."""
    libvirt.virEventRegisterDefaultImpl()
    libvirt.registerErrorHandler(lambda *_: None, None)

    def run_forever() -> None:
        while True:
            libvirt.virEventRunDefaultImpl()

    threading.Thread(target=run_forever, name="libvirt-events", daemon=True).start()


def connect(uri: str, root: Path) -> Any:
    """Connect to `uri`, or to the embedded driver in the folder `root` if `uri` is empty.

    The embedded driver needs no daemon and no special user: it starts QEMU as the current user. If
    that is root, QEMU changes its user id itself (`vm.machines.account`).
    """
    _event_loop()
    if not uri:
        (root / "etc").mkdir(parents=True, exist_ok=True)
        as_root = [f'user = "+{os.getuid()}"', f'group = "+{os.getgid()}"', "seccomp_sandbox = 0"]
        if os.geteuid() != 0:
            as_root = []
        (root / "etc" / "qemu.conf").write_text(
            "\n".join(
                [
                    'stdio_handler = "file"',
                    'security_driver = "none"',
                    "dynamic_ownership = 0",
                    "remember_owner = 0",
                    "namespaces = []",
                    "cgroup_controllers = []",
                    *as_root,
                    "",
                ]
            )
        )
        cache = cache_folder() / "libvirt"
        cache.mkdir(parents=True, exist_ok=True)
        if not (root / "cache").exists():
            (root / "cache").symlink_to(cache)  # QEMU's capabilities are probed once, not per run
        uri = f"qemu:///embed?root={root}"
    try:
        return libvirt.open(uri)
    except libvirt.libvirtError as error:
        raise MachineError(
            f"libvirt cannot open {uri}: {error}",
            hint="`ambidex doctor` says what is missing.",
        ) from None


def qemu_version(connection: Any) -> tuple[int, int, int]:
    """The version of QEMU that this connection uses."""
    number = int(connection.getVersion())
    return number // 1_000_000, number // 1_000 % 1_000, number % 1_000


def machine_type(domain: Domain) -> str:
    """QEMU's machine type of a domain, with its version, such as `pc-q35-10.0`."""
    os_type = ElementTree.fromstring(domain.XMLDesc(0)).find("./os/type")
    assert os_type is not None
    return os_type.attrib["machine"]


def qmp(domain: Domain, command: str, **arguments: object) -> Any:
    """Run one QMP command and return its result."""
    request = json.dumps({"execute": command, "arguments": arguments})
    try:
        answer = json.loads(libvirt_qemu.qemuMonitorCommand(domain, request, 0))
    except libvirt.libvirtError as error:
        raise MachineError(f"QEMU's monitor did not answer {command}: {error}") from None
    if "error" in answer:
        raise MachineError(f"QEMU refused {command}: {answer['error'].get('desc')}")
    return answer.get("return")


def hmp(domain: Domain, line: str) -> str:
    """Run one line of QEMU's human monitor and return what it printed."""
    try:
        return str(
            libvirt_qemu.qemuMonitorCommand(
                domain, line, libvirt_qemu.VIR_DOMAIN_QEMU_MONITOR_COMMAND_HMP
            )
        )
    except libvirt.libvirtError as error:
        raise MachineError(f"QEMU's monitor did not answer {line!r}: {error}") from None
