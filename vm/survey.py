"""Checks what this machine offers for running desktops, and how to fix what is missing."""

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
from ambidex.vm.sandbox.probe import find_problem, limited_resources
from ambidex.vm.store import BUILD_ROOM, cache_folder, free_room
from ambidex.vm.wait import NotYetError, wait_for

__all__ = ["Finding", "survey"]

PROGRAMS = {
    "qemu-img": "qemu-utils",
    "bwrap": "bubblewrap",
    "mmdebstrap": "mmdebstrap",
    "mke2fs": "e2fsprogs",
    "mksquashfs": "squashfs-tools",
}
MEMORY_FLOOR = 4.0
"""GiB: for one machine and the host program; for a build and the finished image."""


@dataclass(frozen=True)
class Finding:
    """The result of one check."""

    name: str
    ok: bool
    seen: str
    """What was found."""
    fix: str = ""
    """What to do if it is not `ok`."""
    needed: bool = True
    """Whether Ambidex cannot work without it."""


def survey() -> Iterator[Finding]:
    """Run all checks in order, including the slow one, which boots a kernel under KVM."""
    checks: tuple[Callable[[], Iterator[Finding]], ...] = (
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
    for check in checks:
        yield from check()


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
        seen += " (a kernel is booted once an image is built)"
    fix = "Machines are emulated instead, about ten times slower; scores are the same."
    yield Finding("KVM", verdict.usable, seen, "" if verdict.usable else fix, needed=False)


def _qemu() -> Iterator[Finding]:
    install = "`make demo` installs it; or install the package qemu-system-x86."
    try:
        output = subprocess.run(
            ["qemu-system-x86_64", "--version"], capture_output=True, text=True, check=True
        ).stdout
    except (FileNotFoundError, subprocess.CalledProcessError):
        yield Finding("QEMU", False, "not installed", install)
        return
    match = re.search(r"version (\d+)\.(\d+)\.(\d+)", output)
    version = tuple(map(int, match.groups())) if match else (0, 0, 0)
    text = ".".join(map(str, version))
    yield Finding("QEMU", True, text)
    forks = version >= FORK_NEEDS
    yield Finding(
        "revert by fork",
        forks,
        "half a second" if forks else f"QEMU {text} reverts in place, in seconds (loadvm)",
        f"Needs QEMU {'.'.join(map(str, FORK_NEEDS))}; on Debian 12 it is in the backports.",
        needed=False,
    )
    if not forks:
        fix = f"Needs QEMU {'.'.join(map(str, FORK_NEEDS))}."
        yield Finding("checkpoints", False, f"QEMU {text} cannot save any", fix, needed=False)
        return
    traced = _may_trace()
    yield Finding(
        "checkpoints",
        traced,
        "saved in a fraction of a second: changed pages are read from QEMU's process"
        if traced
        else "saved in about ten seconds: QEMU writes all of a machine's memory",
        "Run as root, or with `sysctl kernel.yama.ptrace_scope=0`, to read only changed pages.",
        needed=False,
    )


def _may_trace() -> bool:
    """Whether we may access the memory of a process of ours that, like QEMU, is not our child."""
    script = "sleep 60 >/dev/null 2>&1 & echo $!"
    shell = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    pid = int(shell.stdout)
    name = Path(f"/proc/{pid}/comm")

    def check_started() -> None:
        # Before its exec, the process is still a copy of the shell, which is not like QEMU.
        if (program := name.read_text().strip()) != "sleep":
            raise NotYetError(program)

    try:
        wait_for(check_started, bound=10, fail=RuntimeError, every=0.001)
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
    problem = find_problem()
    fix = "Run as root; or use kernel 6.6 or later, with user namespaces for ordinary users."
    seen = problem or "namespaces and an overlay in memory work"
    yield Finding("sandbox", not problem, seen, fix, needed=False)
    limited = limited_resources()
    seen = f"control groups limit {' and '.join(sorted(limited))}" if limited else "no limits"
    fix = "Run as root, or have control groups delegated to your user."
    yield Finding("limits of a sandbox", len(limited) == 2, seen, fix, needed=False)


def _room() -> Iterator[Finding]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    fix = f"One desktop needs {MEMORY_FLOOR:.0f} GiB."
    yield Finding("memory", memory >= MEMORY_FLOOR, f"{memory:.1f} GiB", fix)
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    free = free_room(folder)
    fix = f"Building an image needs {BUILD_ROOM:.0f} GiB; AMBIDEX_CACHE can name another folder."
    yield Finding("disk", free >= BUILD_ROOM, f"{free:.0f} GiB free at {folder}", fix)
    yield Finding("processors", True, str(os.cpu_count()))


def _rights() -> Iterator[Finding]:
    if os.geteuid() == 0:
        yield Finding("rights", True, "root")
        return
    maps = all(shutil.which(program) for program in ("newuidmap", "newgidmap"))
    fix = "Install the package uidmap: images are built in a user namespace."
    seen = "an ordinary user, with newuidmap" if maps else "an ordinary user, without newuidmap"
    yield Finding("rights", maps, seen, fix)


def _mirrors() -> Iterator[Finding]:
    for name in recipe_names():
        recipe, _ = load_recipe(name)
        sources = sources_for(recipe)
        seen = f"{len(sources)} sources in this machine's apt configuration"
        yield Finding(
            f"mirror for {name}",
            bool(sources),
            seen if sources else "none configured: mmdebstrap will use its default",
            f"Name one with `ambidex image build {name} --mirror URL`.",
            needed=False,
        )


def _images() -> Iterator[Finding]:
    built = sorted({base.name for base in list_bases()})
    fix = "`ambidex image build debian-12` builds one; `make demo` does it all."
    yield Finding("images", bool(built), ", ".join(built) or "none yet", fix, needed=False)
