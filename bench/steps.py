"""Cost of checkpoints during an episode on a virtual machine, and of forks of them."""

from __future__ import annotations

import sys
import tempfile
import time
from contextlib import closing
from functools import partial
from io import BytesIO
from pathlib import Path

from openpyxl import Workbook
from rich.console import Console

from ambidex.host import ToolCall
from ambidex.host.client.guest import Guest
from ambidex.vm.building.image import open_image
from ambidex.vm.checkpoints.collection import list_checkpoints
from ambidex.vm.provider import LibvirtMachine, LibvirtProvider
from bench.ledger import Column, Ledger, timed

__all__ = ["steps"]

SHEET = "~/budget.xlsx"
MIB = 1 << 20
REST = 1.0
"""Seconds of waiting before a fork: QEMU takes some time to release its memory."""


def steps(*, image: str = "debian-12", count: int = 30, forks: int = 10, way: str = "auto") -> None:
    """Save a checkpoint at each of `count` steps of an episode in Calc, by GUI and tools in turn,
    and fork some of them; then the last of a chain of forks. `way` is how memory is captured.
    """
    ledger = Ledger(["libvirt"])
    column = Column(ledger, "libvirt")
    desktop = open_image(image, say=lambda line: print(line, file=sys.stderr))
    with (
        tempfile.TemporaryDirectory(dir=Path.cwd()) as scratch,
        LibvirtProvider(way=way) as provider,
        closing(provider.machine(desktop)) as machine,
    ):
        episode, chain = Path(scratch) / "episode", Path(scratch) / "chain"
        waited = _play(machine, episode, count)
        kept = list_checkpoints(episode)
        column.add("saving a checkpoint", waited, "<= 400")
        column.add("of which the machine is paused", [one.stood_still for one in kept])
        first, *later = sorted((one.bytes for one in kept[1:]), reverse=True)
        column.note("stored by the first checkpoint", f"{kept[0].bytes / MIB:.1f} MiB", "<= 40 MiB")
        median = later[len(later) // 2] / MIB
        column.note(
            "by each later one", f"{median:.1f} MiB, at most {first / MIB:.1f}", "<= 40 MiB"
        )
        episode_long = kept[:15]
        stored = sum(one.bytes for one in episode_long) / MIB
        column.note(f"by {len(episode_long)} checkpoints", f"{stored:.0f} MiB", "<= 1024 MiB")
        some = [kept[number % len(kept)].name for number in range(0, 7 * forks, 7)]
        # A revert to a checkpoint returns once the guest has answered a health call.
        values = [_forked(provider, machine, episode / name) for name in some]
        column.add("a fork of a checkpoint, until it answers", values, "<= 1500")
        ten = _chain(machine, episode / kept[-1].name, chain)
        values = [_forked(provider, machine, ten) for _ in range(forks)]
        column.add("a fork of the tenth of a chain of forks", values, "<= 1500")
    Console(width=150).print(ledger.table(image))


def _forked(provider: LibvirtProvider, machine: LibvirtMachine, step: Path) -> float:
    """Seconds until a fork of a checkpoint answers, in the situation after an episode: spares are
    ready, and the previous machine has ended.
    """
    provider.wait_for_spares()
    time.sleep(REST)
    return timed(partial(machine.revert, step))


def _play(machine: LibvirtMachine, folder: Path, count: int) -> list[float]:
    """Run an episode with a checkpoint at every step; returns the seconds that each one took."""
    machine.boot()
    waited = []
    with Guest(machine.endpoint, machine.token) as guest:
        content = BytesIO()
        Workbook().save(content)
        guest.put(SHEET, content.getvalue())
        guest.run(["soffice", "--norestore", SHEET.replace("~", "/home/user")], background=True)
        guest.wait_window("budget.xlsx", timeout=240)
        guest.screenshot(settle=60, still=2)
        for number in range(count):
            for name, arguments in _calls(number):
                result = guest.call(ToolCall(f"bench-{number}-{name}", name, arguments))
                if result.error:
                    raise SystemExit(f"bench: {name}: {result.text}")
            guest.screenshot(settle=10)
            waited.append(timed(partial(machine.snapshot, folder / str(number + 1))))
    return waited


def _calls(number: int) -> list[tuple[str, dict[str, object]]]:
    row = number % 40 + 1
    kinds: list[list[tuple[str, dict[str, object]]]] = [
        [
            ("computer_click", {"x": 400, "y": 300 + 15 * (number % 10)}),
            ("computer_type", {"text": f"{number} euros\n"}),
        ],
        [("calc_set_cell_value", {"cell": f"C{row}", "value": number})],
        [("computer_scroll", {"x": 600, "y": 400, "dy": 5})],
        [("calc_save", {})],
        [("files_write_text", {"path": f"~/note-{number}.txt", "content": "x" * 1000})],
    ]
    return kinds[number % len(kinds)]


def _chain(machine: LibvirtMachine, step: Path, folder: Path) -> Path:
    """Fork a checkpoint, save a checkpoint of the fork, and so on; returns the tenth."""
    for number in range(10):
        machine.revert(step)
        with Guest(machine.endpoint, machine.token) as guest:
            guest.put(f"~/chain-{number}.txt", b"x" * 1000)
        step = folder / str(number)
        machine.snapshot(step)
    return step
