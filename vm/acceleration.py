"""Whether KVM works on this host: decided by booting a guest, not by opening the device file."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from ambidex.vm.store import cache_folder, digest

__all__ = ["Verdict", "kvm_runs"]

DEVICE = Path("/dev/kvm")
BOUND = 30.0
"""Seconds for a boot; under working KVM, a kernel reaches its first process in two or three."""
SILENT = 10.0
"""Seconds without output after which a boot has failed."""
KERNEL_MARK = b"as init process"
FIRMWARE_MARK = b"SeaBIOS"


@dataclass(frozen=True)
class Verdict:
    """Whether KVM can be used, and the observation that decided it."""

    usable: bool
    seen: str


def kvm_runs(kernel: Path | None, initrd: Path | None) -> Verdict:
    """Boot `kernel` under KVM up to its first process; without one, boot only the firmware.

    The verdict is cached until the host reboots or the kernel changes.
    """
    if not DEVICE.exists():
        return Verdict(False, f"{DEVICE} does not exist")
    if not os.access(DEVICE, os.R_OK | os.W_OK):
        return Verdict(False, f"this user may not open {DEVICE} (group kvm)")
    host = Path("/proc/sys/kernel/random/boot_id").read_text()
    size = str(kernel.stat().st_size) if kernel else "firmware"
    cached = cache_folder() / "kvm" / f"{digest(host, str(kernel), size)}.json"
    if cached.exists():
        return Verdict(**json.loads(cached.read_text()))
    verdict = _boot(kernel, initrd)
    cached.parent.mkdir(parents=True, exist_ok=True)
    cached.write_text(json.dumps({"usable": verdict.usable, "seen": verdict.seen}))
    return verdict


def _boot(kernel: Path | None, initrd: Path | None) -> Verdict:
    argv = ["qemu-system-x86_64", "-accel", "kvm", "-cpu", "host", "-machine", "q35"]
    argv += ["-display", "none", "-nodefaults", "-no-reboot", "-m", "1024"]
    if kernel is not None and initrd is not None:
        argv += ["-serial", "stdio", "-kernel", str(kernel), "-initrd", str(initrd)]
        argv += ["-append", "console=ttyS0 panic=-1 rdinit=/bin/true"]
        mark, what = KERNEL_MARK, "a kernel"
    else:
        argv += ["-chardev", "stdio,id=s", "-device", "isa-debugcon,iobase=0x402,chardev=s"]
        mark, what = FIRMWARE_MARK, "the firmware"
    process = subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert process.stdout is not None
    output, deadline = b"", time.monotonic() + BOUND
    with process, selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while mark not in output and (left := deadline - time.monotonic()) > 0:
            if not selector.select(timeout=min(left, SILENT)):
                break
            piece = os.read(process.stdout.fileno(), 65536)
            if not piece:
                break
            output += piece
        process.kill()
    if mark in output:
        return Verdict(True, f"{what} booted under KVM")
    last = output.decode(errors="replace").strip().splitlines()[-1:]
    return Verdict(False, f"{DEVICE} opens, but {what} does not boot under it: {' '.join(last)}")
