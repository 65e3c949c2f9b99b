"""Measure a provider on this machine and print what was seen; nothing here is a test.

python -m bench                  everything, about a quarter of an hour where KVM does not run
python -m bench --suite          an episode's time by part, and one machine against two, as well
"""

from __future__ import annotations

import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from cyclopts import App
from rich.console import Console
from rich.table import Table

from bench.suite import suite_parts, suite_wall
from host import ToolCall
from host.guest import Guest
from vm import MachineError
from vm.boot import BOUNDS, wait_until_ready
from vm.image import Image, open_image
from vm.machine import LibvirtMachine
from vm.provider import LibvirtProvider
from vm.reaper import processes_with
from vm.snapshot import read_snapshot
from vm.wait import wait_for

HUNDRED = ("The quick brown fox jumps over the lazy dog. " * 3)[:100]
CALC = "bench-calc"

app = App(help=__doc__)


@dataclass
class Ledger:
    """What was measured: a name, all its values in milliseconds, a target in words."""

    rows: list[tuple[str, str, str, str, str]] = field(default_factory=list)

    def add(self, name: str, values: list[float], target: str = "") -> None:
        """Seconds, as a row of milliseconds: median, 95th percentile, how many."""
        ordered = sorted(values)
        late = ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))]
        middle = statistics.median(ordered)
        row = (name, f"{middle * 1e3:.1f}", f"{late * 1e3:.1f}", str(len(ordered)), target)
        self.rows.append(row)
        print(f"{name}: median {row[1]} ms, p95 {row[2]} ms, n {row[3]}", file=sys.stderr)

    def note(self, name: str, text: str, target: str = "") -> None:
        """A value that is no time."""
        self.rows.append((name, text, "", "1", target))
        print(f"{name}: {text}", file=sys.stderr)

    def table(self, title: str) -> Table:
        """All of it."""
        table = Table("measured", "median ms", "p95 ms", "n", "target", title=title)
        for row in self.rows:
            table.add_row(*row)
        return table


def timed(action: Callable[[], object]) -> float:
    """Seconds that `action` takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


@contextmanager
def guest_of(machine: LibvirtMachine) -> Iterator[Guest]:
    """The guest of a machine as it is now."""
    with Guest(machine.endpoint, machine.token) as guest:
        yield guest


def cold_boot(provider: LibvirtProvider, image: Image, ledger: Ledger) -> None:
    """From nothing to ready, without any snapshot."""
    start = time.perf_counter()
    with provider.cold(image) as instance:
        wait_until_ready(instance, lambda _: None, bound=BOUNDS[instance.shape.kind])
        ledger.add("cold boot to ready", [time.perf_counter() - start])


def reverts(image: Image, ledger: Ledger, spares: int, count: int, quiet: bool) -> None:
    """Reverts to a desktop with Calc open, until the guest has answered a health call."""
    with LibvirtProvider(spares=spares) as provider, provider.machine(image) as machine:
        machine.boot()
        with guest_of(machine) as guest:
            guest.run(["soffice", "--calc", "--norestore"], background=True)
            guest.wait_window("Calc", timeout=240)
            guest.screenshot(settle=60, still=2)
        if not spares:
            snapshots(machine, provider.snapshot(image).folder.parent / CALC, ledger)

        def revert() -> None:
            machine.revert(CALC)
            wait_for(machine.instance.door.health, bound=30, every=0.01, fail=MachineError)

        revert()
        values = []
        for _ in range(count):
            if quiet:
                provider.wait_for_spares()
            values.append(timed(revert))
        what = "with a spare ready" if spares else "from nothing"
        ledger.add(f"revert, Calc open, {what}", values, "<= 300" if spares else "<= 1000")


def snapshots(machine: LibvirtMachine, folder: Path, ledger: Ledger) -> None:
    """Snapshots of a machine that goes on: for how long it stands still, and until it can be
    forked.
    """
    whole, still = [], []
    for _ in range(5):
        whole.append(timed(lambda: machine.snapshot(CALC)))
        still.append(read_snapshot(folder).stood_still)
    ledger.add("snapshot, Calc open: the machine stands still", still, "<= 100")
    ledger.add("snapshot, Calc open: until it can be forked", whole)


def round_trips(provider: LibvirtProvider, image: Image, ledger: Ledger, count: int) -> None:
    """What the host pays for one question to the guest."""
    with provider.machine(image) as machine:
        machine.boot()
        with guest_of(machine) as guest:
            guest.tools()
            guest.run(["gedit"], background=True)
            guest.wait_window("gedit", timeout=240)
            guest.screenshot(settle=60, still=2)
            number = iter(range(10**6))

            def call(name: str, **arguments: object) -> None:
                result = guest.call(ToolCall(f"bench-{next(number)}", name, arguments))
                if result.error:
                    raise SystemExit(f"bench: {name}: {result.text}")

            call("computer_cursor_position")
            unchanged = [timed(lambda: guest.screenshot()) for _ in range(count)]
            ledger.add("screenshot, unchanged", unchanged, "<= 15")
            reads = [timed(lambda: call("computer_cursor_position")) for _ in range(count)]
            ledger.add("tool call that reads the pointer", reads, "<= 30")
            files = [timed(lambda: call("files_get_info", path="~")) for _ in range(count)]
            ledger.add("tool call files_get_info", files)
            clicks = [timed(lambda: call("computer_click", x=600, y=300)) for _ in range(count)]
            ledger.add("click", clicks)
            typed, changed = [], []
            for _ in range(max(3, count // 5)):
                typed.append(timed(lambda: call("computer_type", text=HUNDRED)))
                changed.append(timed(lambda: guest.screenshot()))
                guest.screenshot(settle=10)
            ledger.add(f"type {len(HUNDRED)} characters", typed)
            ledger.add("screenshot, changed (one line of text)", changed)
            whole = []
            for key in ("F11", "F11") * 3:
                call("computer_key", keys=[key])
                guest.screenshot(settle=10)
                with guest_of(machine) as newcomer:
                    whole.append(timed(lambda newcomer=newcomer: newcomer.screenshot()))  # type: ignore[misc]
            ledger.add("screenshot, the whole screen", whole)
            health = [timed(guest.health) for _ in range(count)]
            ledger.add("health", health)


def crowd(image: Image, ledger: Ledger, size: int) -> None:
    """So many idle machines alive at once, and the memory they take together."""
    before = available()
    with LibvirtProvider(spares=0) as provider:
        machines = [provider.machine(image) for _ in range(size)]
        try:
            start = time.perf_counter()
            for machine in machines:
                machine.boot()
            ledger.add(
                f"{size} machines started, one after the other", [time.perf_counter() - start]
            )
            for machine in machines:
                machine.instance.door.health()
            tag = machines[0].instance.owner.tag
            held = sum(resident(pid) for pid in processes_with(tag))
            gone = (before - available()) / 2**30
            said = f"{gone:.1f} GiB of the host gone; proportional share {held / 2**30:.1f} GiB"
            ledger.note(
                f"memory of {size} idle machines of {image.base.memory} MiB", said, "<= 12 GiB"
            )
        finally:
            for machine in machines:
                machine.close()


def available() -> int:
    """Bytes the host could still give to programs."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    raise SystemExit("bench: no MemAvailable in /proc/meminfo")


def resident(pid: int) -> int:
    """A process's proportional share of memory, in bytes."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


@app.default
def main(
    *, image: str = "debian-12", count: int = 20, crowd_size: int = 8, suite: bool = True
) -> None:
    """Measure and print. `count` is how often each short thing is done."""
    ledger = Ledger()
    desktop = open_image(image, say=lambda line: print(line, file=sys.stderr))
    with LibvirtProvider(spares=0) as provider:
        kind = provider.shape(desktop).kind
        frozen = provider.snapshot(desktop).stood_still
        ledger.add("snapshot `ready`: the template frozen", [frozen], "<= 100")
        cold_boot(provider, desktop, ledger)
        round_trips(provider, desktop, ledger, count)
    reverts(desktop, ledger, 0, count, quiet=False)
    reverts(desktop, ledger, 1, count, quiet=True)
    crowd(desktop, ledger, crowd_size)
    if suite:
        with tempfile.TemporaryDirectory() as scratch:
            suite_wall(image, Path(scratch), ledger.note)
            for part, text in suite_parts(Path(scratch)):
                ledger.note(part, text)
    how = "KVM" if kind == "kvm" else "emulation (TCG)"
    title = f"{image} by {how}, {os.cpu_count()} processors, {platform.machine()}"
    Console(width=120).print(ledger.table(title))


if __name__ == "__main__":
    app()
