"""Times of boots, reverts, snapshots and calls, and the memory of many machines."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ambidex.host import ToolCall
from ambidex.host.client.guest import Guest
from ambidex.vm import READY, Machine, Program
from ambidex.vm.building.image import Image
from ambidex.vm.machines.boot import BOUNDS, wait_until_ready
from ambidex.vm.machines.door import Door
from ambidex.vm.machines.reaper import processes_with
from ambidex.vm.machines.snapshot import read_snapshot
from ambidex.vm.provider import LibvirtProvider
from ambidex.vm.sandbox.kept import read_sandbox_snapshot
from ambidex.vm.sandbox.provider import SandboxProvider
from bench.ledger import Column, timed

__all__ = ["PLACES", "Place", "crowd", "first_ready", "reverts", "round_trips"]

HUNDRED = ("The quick brown fox jumps over the lazy dog. " * 3)[:100]
CALC = "bench-calc"
OFFICE = Program(("soffice", "--calc", "--norestore"), "Calc")

Provider = LibvirtProvider | SandboxProvider


@dataclass(frozen=True)
class Place:
    """A provider to measure, and its targets."""

    name: str
    open: Callable[[int], AbstractContextManager[Provider]]
    """Opens the provider with this number of spares."""
    crowd: int
    """Number of idle machines to run at once."""
    targets: dict[str, str]

    def target(self, what: str) -> str:
        """The target in words; empty if there is none."""
        return self.targets.get(what, "")


PLACES = {
    "sandbox": Place(
        "sandbox",
        lambda spares: SandboxProvider(spares=spares),
        16,
        {
            "ready": "<= 5000",
            "revert from a spare": "<= 300",
            "unchanged": "<= 5",
            "changed": "<= 60",
            "whole": "<= 60",
            "call": "<= 10",
            "crowd": "<= 12 GiB",
        },
    ),
    "libvirt": Place(
        "libvirt",
        lambda spares: LibvirtProvider(spares=spares),
        8,
        {
            "revert from a spare": "<= 300",
            "revert": "<= 1000",
            "unchanged": "<= 15",
            "call": "<= 30",
            "still": "<= 100",
            "crowd": "<= 12 GiB",
        },
    ),
}


@contextmanager
def guest_of(machine: Machine) -> Iterator[Guest]:
    """Connect to the current guest of a machine."""
    with Guest(machine.endpoint, machine.token) as guest:
        yield guest


def first_ready(place: Place, image: Image, column: Column) -> None:
    """Time from nothing to ready: a virtual machine's cold boot, a sandbox's start."""
    with place.open(0) as provider:
        if isinstance(provider, SandboxProvider):
            values: list[float] = []
            for _ in range(7):
                with closing_timed(provider, image, values):
                    pass
            column.add("ready from nothing", values, place.target("ready"))
            return
        how = "KVM" if provider.shape(image).kind == "kvm" else "emulation (TCG)"
        column.note("accelerator", how)
        frozen = provider.snapshot(image).stood_still
        column.add("freezing the base snapshot `ready`", [frozen], place.target("still"))

        def boot() -> None:
            with provider.cold(image) as instance:
                wait_until_ready(instance, lambda _: None, bound=BOUNDS[instance.shape.kind])

        column.add("ready from nothing", [timed(boot)], place.target("ready"))


@contextmanager
def closing_timed(provider: SandboxProvider, image: Image, values: list[float]) -> Iterator[None]:
    """Start a fresh sandbox, and append the time until it was ready to `values`."""
    made = []
    snapshot = read_sandbox_snapshot(image, READY)
    values.append(timed(lambda: made.append(provider.fresh(image, snapshot, ()))))
    with closing(made[0]):
        yield


def reverts(place: Place, image: Image, column: Column, spares: int, count: int) -> None:
    """Time reverts to a desktop with Calc open, and the first request after each. A virtual machine
    has reported its health before a revert returns; a spare sandbox did so before the revert.
    """
    with place.open(spares) as provider, closing(provider.machine(image)) as machine:
        machine.boot()
        with guest_of(machine) as guest:
            opened = timed(lambda: calc(guest))
            guest.screenshot(settle=60, still=2)
        if not spares:
            column.add("opening Calc, until its window is mapped", [opened])
            snapshots(provider, machine, image, place, column)

        values, first = [], []
        for number in range(1 + (count if spares or isinstance(provider, LibvirtProvider) else 5)):
            provider.wait_for_spares()
            took = timed(partial(machine.revert, CALC))
            asked = timed(Door(machine.endpoint, machine.token).health)
            if number:  # the first one in a process takes longer
                values.append(took)
                first.append(asked)
        what, target = (
            ("with a spare ready", "revert from a spare") if spares else ("from nothing", "revert")
        )
        column.add(f"revert, Calc open, {what}", values, place.target(target))
        column.add(f"the first health call after a revert {what}", first)


def calc(guest: Guest) -> None:
    """Open Calc and wait for its window."""
    guest.run(OFFICE.argv, background=True)
    guest.wait_window(OFFICE.window, timeout=240)


def snapshots(
    provider: Provider, machine: Machine, image: Image, place: Place, column: Column
) -> None:
    """Time snapshots of a running machine: until it can be reverted to, and for how long a virtual
    machine is paused.
    """
    whole, still = [], []
    for _ in range(5):
        whole.append(timed(lambda: machine.snapshot(CALC, [OFFICE])))
        if isinstance(provider, LibvirtProvider):
            folder = provider.snapshot(image).folder.parent / CALC
            still.append(read_snapshot(folder).stood_still)
    column.add("snapshot, Calc open: until it can be reverted to", whole)
    if still:
        what = "snapshot, Calc open: the machine is paused"
        column.add(what, still, place.target("still"))
    if isinstance(provider, LibvirtProvider):
        column.add(
            "a copy of the running machine, until it answers: an interim verdict", copies(machine)
        )


def copies(machine: Machine) -> list[float]:
    """Seconds until a copy of a running machine has reported its health: the cost of an interim
    verdict before evidence is collected."""
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        with machine.fork():
            seconds.append(time.perf_counter() - start)
    return seconds


def round_trips(place: Place, image: Image, column: Column, count: int) -> None:
    """Time single requests to the guest."""
    with place.open(0) as provider, closing(provider.machine(image)) as machine:
        machine.boot()
        with guest_of(machine) as guest:
            guest.tools()
            guest.run(["gedit"], background=True)
            guest.wait_window("gedit", timeout=240)
            size = guest.screenshot(settle=60, still=2).size
            column.note("screen", f"{size[0]} x {size[1]}")
            number = iter(range(10**6))

            def call(name: str, **arguments: object) -> None:
                result = guest.call(ToolCall(f"bench-{next(number)}", name, arguments))
                if result.error:
                    raise SystemExit(f"bench: {name}: {result.text}")

            call("computer_cursor_position")
            unchanged = [timed(lambda: guest.screenshot()) for _ in range(count)]
            column.add("screenshot, unchanged", unchanged, place.target("unchanged"))
            reads = [timed(lambda: call("computer_cursor_position")) for _ in range(count)]
            column.add("tool call that reads the pointer", reads, place.target("call"))
            files = [timed(lambda: call("files_get_info", path="~")) for _ in range(count)]
            column.add("tool call files_get_info", files)
            clicks = [timed(lambda: call("computer_click", x=600, y=300)) for _ in range(count)]
            column.add("click", clicks)
            typed, changed = [], []
            for _ in range(max(3, count // 5)):
                typed.append(timed(lambda: call("computer_type", text=HUNDRED)))
                changed.append(timed(lambda: guest.screenshot()))
                guest.screenshot(settle=10)
            column.add(f"type {len(HUNDRED)} characters", typed)
            column.add("screenshot, one line of text changed", changed, place.target("changed"))
            column.add(
                "screenshot, the whole screen", whole_screens(machine, guest, call),
                place.target("whole"),
            )  # fmt: skip
            health = [timed(guest.health) for _ in range(count)]
            column.add("health", health)


def whole_screens(machine: Machine, guest: Guest, call: Callable[..., None]) -> list[float]:
    """Time first screenshots of new clients, which have no previous frame."""
    values = []
    for _ in range(7):
        call("computer_key", keys=["F11"])
        guest.screenshot(settle=10)
        with guest_of(machine) as newcomer:
            newcomer.health()  # connect first: the connection is not measured
            values.append(timed(newcomer.screenshot))
    return values


def crowd(place: Place, image: Image, column: Column) -> None:
    """Start many idle machines at once, and measure the memory they use together."""
    size, before = place.crowd, available()
    with place.open(0) as provider:
        machines = [provider.machine(image) for _ in range(size)]
        try:
            started = timed(lambda: [machine.boot() for machine in machines])
            column.add(f"{size} machines started, one after the other", [started])
            answers = [timed(Door(one.endpoint, one.token).health) for one in machines]
            column.add(f"health of each of {size}", answers)
            gone = (before - available()) / 2**30
            text = f"{gone:.1f} GiB of the host's memory"
            if isinstance(provider, LibvirtProvider):
                tag = machines[0].instance.name.rpartition("-")[0]
                held = sum(resident(pid) for pid in processes_with(tag)) / 2**30
                text += f"; proportional share {held:.1f} GiB"
            column.note(f"memory of {size} idle machines", text, place.target("crowd"))
        finally:
            for machine in machines:
                machine.close()


def available() -> int:
    """Memory available on the host, in bytes."""
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
