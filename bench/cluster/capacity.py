"""What a host needs for a machine: processor time and memory, idle and during the demo suite."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from ambidex.vm.building.image import open_image
from bench.desktop import PLACES, Place, available
from bench.ledger import Column, Ledger
from bench.suite import play_suite, rows

__all__ = ["capacity"]

IDLE = 20.0
"""Seconds for which an idle machine is watched."""
BETWEEN = 0.5
"""Seconds between two looks at the memory."""
BUSY = (0, 1, 2, 5, 6)
"""The columns of /proc/stat that are work: user, nice, system, interrupts."""


def capacity(
    *, image: str = "debian-12", providers: tuple[str, ...] = tuple(PLACES), machines: int = 1
) -> None:
    """Measure how much of this computer a machine of each provider uses: idle, and while the oracle
    plays the demo suite on `machines` of them. Nothing else may be running: the figures are those
    of the whole computer, the run's own process and its spare included."""
    ledger = Ledger(list(providers))
    for name in providers:
        column = Column(ledger, name)
        _idle(PLACES[name], image, column)
        with tempfile.TemporaryDirectory() as scratch:
            out = Path(scratch) / "run"
            with _watched() as used:
                play_suite(name, image, machines, out)
            played = rows(out)
        seconds = [float(row["seconds"]["total"]) for row in played]
        count = len(played)
        column.note("attempts of the demo suite", f"{count} on {machines} at a time")
        column.note("seconds per attempt", f"{sum(seconds) / count:.1f}")
        column.note("processor seconds per attempt", f"{used.processor / count:.1f}")
        column.note("memory for each machine, at most", f"{used.memory / machines / 2**20:.0f} MiB")
    Console(width=150).print(ledger.table(f"{image}, {os.cpu_count()} processors"))


@dataclass
class Used:
    """What the whole computer used in a while."""

    processor: float = 0.0
    """Seconds, of all processors together."""
    memory: int = 0
    """Bytes, at most."""


def _idle(place: Place, image: str, column: Column) -> None:
    """The processor time of a machine on which nothing happens."""
    desktop = open_image(image, say=lambda line: print(line, file=sys.stderr))
    with place.open(0) as provider, closing(provider.machine(desktop)) as machine:
        machine.revert("ready")
        time.sleep(IDLE / 4)  # what starts with the desktop comes to rest
        with _watched() as idle:
            time.sleep(IDLE)
    column.note("processors of an idle machine", f"{idle.processor / IDLE:.2f}")


@contextmanager
def _watched() -> Iterator[Used]:
    """Fill in what was used, when the block has ended."""
    used, before, began = Used(), available(), _busy()
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(BETWEEN):
            used.memory = max(used.memory, before - available())

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield used
    finally:
        ended.set()
        thread.join()
        used.processor = _busy() - began


def _busy() -> float:
    """Seconds for which this computer's processors have worked since it was started."""
    columns = Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    return sum(int(columns[at]) for at in BUSY) / os.sysconf("SC_CLK_TCK")
