"""What this machine offers for desktops, and the fix for what is missing."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ambidex.vm.acceleration import kvm_runs
from ambidex.vm.building.image import Base, list_bases
from ambidex.vm.building.mirrors import sources_for
from ambidex.vm.building.recipe import load_recipe, recipe_names
from ambidex.vm.checkpoints.memory import may_trace
from ambidex.vm.machines.hypervisor import FORK_NEEDS
from ambidex.vm.process import search_path
from ambidex.vm.sandbox.probe import bounds, refusal
from ambidex.vm.store import cache_folder
from ambidex.vm.wait import NotYetError, wait_for

__all__ = ["Finding", "survey"]

PROGRAMS = {
    "qemu-img": "qemu-utils",
    "bwrap": "bubblewrap",
    "mmdebstrap": "mmdebstrap",
    "mke2fs": "e2fsprogs",
    "mksquashfs": "squashfs-tools",
}
MEMORY_FLOOR, DISK_FLOOR = 4.0, 15.0
"""GiB: one machine with the host beside it; a build with the finished image beside it."""


@dataclass(frozen=True)
class Finding:
    """One thing looked at. `fix` says what to do where `ok` is false; `needed` is whether it must
    be.
    """

    name: str
    ok: bool
    seen: str
    fix: str = ""
    needed: bool = True


def survey() -> Iterator[Finding]:
    """Everything that is looked at, in order; slow ones (a kernel tried under KVM) included."""
    looks: tuple[Callable[[], Iterator[Finding]], ...] = (
        _kvm,
        _qemu,
        _libvirt,
        _programs,
        _sandbox,
        _room,
        _rights,
        _mirrors,
        _images,
    )
    for look in looks:
        yield from look()


def _newest_base() -> Base | None:
    return next((base for base in reversed(list_bases()) if base.kernel), None)


def _kvm() -> Iterator[Finding]:
    base = _newest_base()
    if shutil.which("qemu-system-x86_64") is None:
        yield Finding("KVM", False, "not tried: no QEMU", needed=False)
        return
    verdict = kvm_runs(base.kernel if base else None, base.initrd if base else None)
    seen = verdict.seen
    if verdict.usable and base is None:
        seen += " (a kernel is tried once an image is built)"
    fix = "Machines are emulated instead, about ten times slower; scores are the same."
    yield Finding("KVM", verdict.usable, seen, "" if verdict.usable else fix, needed=False)


def _qemu() -> Iterator[Finding]:
    install = "`make demo` installs it; by hand: the package qemu-system-x86."
    try:
        said = subprocess.run(
            ["qemu-system-x86_64", "--version"], capture_output=True, text=True, check=True
        ).stdout
    except (FileNotFoundError, subprocess.CalledProcessError):
        yield Finding("QEMU", False, "not installed", install)
        return
    match = re.search(r"version (\d+)\.(\d+)\.(\d+)", said)
    version = tuple(map(int, match.groups())) if match else (0, 0, 0)
    text = ".".join(map(str, version))
    yield Finding("QEMU", True, text)
    forks = version >= FORK_NEEDS
    yield Finding(
        "revert by fork",
        forks,
        "half a second" if forks else f"QEMU {text} reverts in place, in seconds (loadvm)",
        f"It takes QEMU {'.'.join(map(str, FORK_NEEDS))}; on Debian 12 the backports have it.",
        needed=False,
    )
    if not forks:
        fix = f"It takes QEMU {'.'.join(map(str, FORK_NEEDS))}."
        yield Finding("steps", False, "none: such a QEMU keeps no steps", fix, needed=False)
        return
    traced = _may_trace()
    yield Finding(
        "steps",
        traced,
        "kept in a fraction of a second: what a machine wrote is read out of its process"
        if traced
        else "kept in about ten seconds: QEMU saves all of a machine's memory",
        "As root, or with `sysctl kernel.yama.ptrace_scope=0`, a machine's own pages are read.",
        needed=False,
    )


def _may_trace() -> bool:
    """Whether the memory of a process can be reached that is ours, and as QEMU no child of ours."""
    script = "sleep 60 >/dev/null 2>&1 & echo $!"
    made = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    pid = int(made.stdout)
    name = Path(f"/proc/{pid}/comm")

    def started() -> None:
        # Until then it is a copy of the shell, or between the two: neither is like QEMU.
        if (seen := name.read_text().strip()) != "sleep":
            raise NotYetError(seen)

    try:
        wait_for(started, bound=10, fail=RuntimeError, every=0.001)
        return may_trace(pid)
    finally:
        os.kill(pid, signal.SIGKILL)


def _libvirt() -> Iterator[Finding]:
    try:
        from ambidex.vm.machines.binding import libvirt
    except ImportError as error:
        yield Finding("libvirt", False, str(error), "`make demo` installs libvirt and its binding.")
        return
    number = libvirt.getVersion()
    version = f"{number // 1_000_000}.{number // 1_000 % 1_000}.{number % 1_000}"
    driver = list(Path("/usr/lib").glob("*/libvirt/connection-driver/libvirt_driver_qemu.so"))
    yield Finding(
        "libvirt",
        bool(driver),
        f"{version}, {'with' if driver else 'without'} the embedded QEMU driver",
        "Install the package libvirt-daemon-driver-qemu.",
    )


def _programs() -> Iterator[Finding]:
    for program, package in PROGRAMS.items():
        path = shutil.which(program, path=search_path())
        yield Finding(
            program, path is not None, path or "missing", f"Install the package {package}."
        )


def _sandbox() -> Iterator[Finding]:
    refused = refusal()
    fix = "Run as root; or a kernel of 6.6 or later that lets ordinary users make namespaces."
    seen = refused or "namespaces, and a file system in memory over an image's"
    yield Finding("sandbox", not refused, seen, fix, needed=False)
    bounded = bounds()
    seen = f"control groups bound {' and '.join(sorted(bounded))}" if bounded else "no bounds"
    fix = "As root, or with control groups handed down to you, a sandbox has its bounds."
    yield Finding("limits of a sandbox", len(bounded) == 2, seen, fix, needed=False)


def _room() -> Iterator[Finding]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    fix = f"One desktop wants {MEMORY_FLOOR:.0f} GiB."
    yield Finding("memory", memory >= MEMORY_FLOOR, f"{memory:.1f} GiB", fix)
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free / 2**30
    fix = f"Building an image wants {DISK_FLOOR:.0f} GiB; AMBIDEX_CACHE names another folder."
    yield Finding("disk", free >= DISK_FLOOR, f"{free:.0f} GiB free at {folder}", fix)
    yield Finding("processors", True, str(os.cpu_count()))


def _rights() -> Iterator[Finding]:
    if os.geteuid() == 0:
        yield Finding("rights", True, "root")
        return
    maps = all(shutil.which(program) for program in ("newuidmap", "newgidmap"))
    fix = "Install the package uidmap: images are built in a user namespace."
    yield Finding("rights", maps, "a user with a range of subordinate ids" if maps else "no", fix)


def _mirrors() -> Iterator[Finding]:
    for name in recipe_names():
        recipe, _ = load_recipe(name)
        found = sources_for(recipe)
        seen = f"{len(found)} sources in this machine's own configuration"
        yield Finding(
            f"mirror for {name}",
            bool(found),
            seen if found else "none configured here: mmdebstrap's default is tried",
            f"`ambidex image build {name} --mirror URL` names one.",
            needed=False,
        )


def _images() -> Iterator[Finding]:
    built = sorted({base.name for base in list_bases()})
    fix = "`ambidex image build debian-12` builds one; `make demo` does it all."
    yield Finding("images", bool(built), ", ".join(built) or "none yet", fix, needed=False)
