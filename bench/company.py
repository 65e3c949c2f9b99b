"""Cost of a virtual machine with the firm of `debian-13-company`: reverts, memory, checkpoints; and
whether a fork of a checkpoint has all services and the browser's page as they were."""

from __future__ import annotations

import hashlib
import itertools
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

from rich.console import Console

from ambidex.host import ToolCall, ToolResult
from ambidex.host.client.guest import Guest
from ambidex.vm.building.image import open_image
from ambidex.vm.checkpoints.collection import list_checkpoints
from ambidex.vm.machines.reaper import processes_with
from ambidex.vm.provider import LibvirtMachine, LibvirtProvider
from bench.ledger import Column, Ledger, timed

__all__ = ["company"]

EXPORTS = ("database", "forge", "tracker", "chat", "documents", "calendar", "moto")
PAGE = "http://tracker.firm.test:8082/projects"
COMMANDS = (
    ("psql", "-qh/run/postgresql", "work", "-cDELETE FROM staff WHERE login = 'user'"),
    ("curl", "-sfu", "user:password", "-T/etc/hostname", "http://localhost:8085/sales/new.txt"),
    ("git", "clone", "-q", "http://user:password@localhost:8081/tools.git", "/home/user/tools"),
)
"""What is done besides looking at a page, each followed by a checkpoint."""
MIB = 1 << 20
REST = 1.0
"""Seconds of waiting before a revert: QEMU takes some time to release its memory."""
NUMBERS = itertools.count()


def company(*, image: str = "debian-13-company", count: int = 10, forks: int = 5) -> None:
    """Revert a machine with the firm `count` times with a spare, read the memory that it has to
    itself, act in the services and the browser with a checkpoint after each action, and fork the
    last checkpoint `forks` times."""
    ledger = Ledger(["libvirt"])
    column = Column(ledger, "libvirt")
    desktop = open_image(image, say=lambda line: print(line, file=sys.stderr))
    with (
        tempfile.TemporaryDirectory(dir=Path.cwd()) as scratch,
        LibvirtProvider(spares=1) as provider,
        closing(provider.machine(desktop)) as machine,
    ):
        machine.revert("ready")
        values = []
        for _ in range(count):
            provider.wait_for_spares()
            time.sleep(REST)
            values.append(timed(partial(machine.revert, "ready")))
        column.add("revert with a spare", values, "<= 400")
        own = [_own_memory(machine) / MIB]
        folder = Path(scratch) / "episode"
        saved = _act(machine, folder)
        own.append(_own_memory(machine) / MIB)
        column.note(
            "memory of its own: at first, and after the actions",
            f"{own[0]:.0f} MiB, {own[1]:.0f} MiB",
            "<= 900 MiB",
        )
        column.add("saving a checkpoint", saved)
        first, *later = (one.bytes / MIB for one in list_checkpoints(folder))
        column.note("stored by the first checkpoint", f"{first:.1f} MiB", "<= 60 MiB")
        column.note("by each later one", ", ".join(f"{one:.1f}" for one in later), "<= 60 MiB")
        last = folder / str(len(saved))
        expected = _exports(machine)
        values, differing = [], []
        for _ in range(forks):
            provider.wait_for_spares()
            time.sleep(REST)
            values.append(timed(partial(machine.revert, last)))
            page, found = _page(machine), _exports(machine)
            differing += [name for name in EXPORTS if found[name] != expected[name]]
            differing += ["page"] if PAGE not in page else []
        column.add("a fork of the last checkpoint, until it answers", values)
        column.note(f"exports and pages that differ in {forks} forks", str(len(differing)), "0")
        if differing:
            print(f"bench: different: {', '.join(differing)}", file=sys.stderr)
    Console(width=150).print(ledger.table(image))


def _act(machine: LibvirtMachine, folder: Path) -> list[float]:
    """Act in a service or the browser, and save a checkpoint after each action; the seconds that
    each took."""
    saved = []
    with Guest(machine.endpoint, machine.token) as guest:
        actions: list[Callable[[], object]] = [
            partial(_browse, guest, "navigate", url=PAGE),
            *(partial(_run, guest, *command) for command in COMMANDS),
        ]
        for number, action in enumerate(actions, 1):
            action()
            guest.screenshot(settle=20)
            saved.append(timed(partial(machine.snapshot, folder / str(number))))
    return saved


def _browse(guest: Guest, tool: str, /, **arguments: object) -> ToolResult:
    call = ToolCall(f"bench-{next(NUMBERS)}", f"browser_{tool}", arguments)
    result = guest.call(call)
    if result.error:
        raise SystemExit(f"bench: {call.name}: {result.text}")
    return result


def _run(guest: Guest, *argv: str) -> None:
    output = guest.run(argv)
    if output.returncode:
        raise SystemExit(f"bench: {' '.join(argv)}: {output.stderr}")


def _page(machine: LibvirtMachine) -> str:
    """What the browser's tools say about the open pages."""
    with Guest(machine.endpoint, machine.token) as guest:
        return _browse(guest, "tabs", action="list").text


def _exports(machine: LibvirtMachine) -> dict[str, str]:
    """The hash of each service's state: row counts, repositories' heads, messages."""
    found = {}
    with Guest(machine.endpoint, machine.token) as guest:
        guest.freeze()
        for name in EXPORTS:
            content, complete = guest.export(name)
            if not complete:
                raise SystemExit(f"bench: the export of {name} is cut")
            found[name] = hashlib.sha256(content).hexdigest()
        guest.thaw()
    return found


def _own_memory(machine: LibvirtMachine) -> int:
    """Bytes of memory that a machine has to itself: what its processes have written. Pages of the
    base snapshot that it only read stay in the page cache, for every clone."""
    return sum(
        int(line.split()[1]) * 1024
        for process in processes_with(machine.instance.name)
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        if line.startswith("Anonymous:")
    )
