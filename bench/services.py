"""Cost of machines with services and no desktop: reverts, checkpoints and forks, and what they
leave behind.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from ambidex.host.client.guest import Guest
from ambidex.vm.building.image import open_image
from ambidex.vm.provider import LibvirtProvider
from ambidex.vm.sandbox.provider import SandboxProvider
from bench.ledger import Column, Ledger, timed

__all__ = ["services"]

WRITES = """
CREATE TABLE IF NOT EXISTS notes (number integer, text text);
INSERT INTO notes SELECT number, repeat('x', 200) FROM generate_series(1, 2000) AS number;
"""


def services(
    *,
    image: str = "debian-13-services",
    providers: tuple[str, ...] = ("sandbox", "libvirt"),
    needs: tuple[str, ...] = ("database",),
    count: int = 20,
    leaks: int = 200,
) -> None:
    """Revert a machine with these services `count` times with a spare and without one, save
    checkpoints of it while its database is written to, fork it and go back to checkpoints; then
    revert `leaks` times and count what is left on this computer."""
    ledger = Ledger(list(providers))
    for name in providers:
        column = Column(ledger, name)
        _measure(column, name, image, needs, count)
        if name == "sandbox":
            before = _left_over()
            _many_reverts(image, needs, leaks)
            after = _left_over()
            for what, number in after.items():
                left = number - before[what]
                column.note(f"{what} left by {leaks} reverts", str(left), "0")
    Console(width=150).print(ledger.table(image))


def _provider(name: str, spares: int) -> Any:
    make: Callable[..., Any] = SandboxProvider if name == "sandbox" else LibvirtProvider
    return make(spares=spares, say=lambda line: print(line, file=sys.stderr))


def _measure(column: Column, name: str, image: str, needs: tuple[str, ...], count: int) -> None:
    built = open_image(image, say=lambda line: print(line, file=sys.stderr))
    with _provider(name, 0) as provider, closing(provider.machine(built)) as machine:
        machine.revert("ready", needs)
        values = [timed(partial(machine.revert, "ready", needs)) for _ in range(count)]
        column.add("revert without a spare", values, "<= 2000")
    with (
        tempfile.TemporaryDirectory(dir=Path.cwd()) as scratch,
        _provider(name, 1) as provider,
        closing(provider.machine(built)) as machine,
    ):
        machine.revert("ready", needs)
        values = []
        for _ in range(count):
            provider.wait_for_spares()
            values.append(timed(partial(machine.revert, "ready", needs)))
        column.add("revert with a spare", values, "<= 50" if name == "sandbox" else "<= 350")
        saved, folder = [], Path(scratch)
        for number in range(1, 11):
            with Guest(machine.endpoint, machine.token) as guest:
                _write(guest)
            saved.append(timed(partial(machine.snapshot, folder / str(number))))
        column.add("checkpoint of a database that is written to", saved, "<= 50")
        values = [timed(partial(_fork, machine)) for _ in range(5)]
        column.add("fork, until it answers", values, "<= 1000")
        values = [timed(partial(machine.revert, folder / str(n))) for n in range(1, 11)]
        column.add("back to a checkpoint, until it answers", values, "<= 1000")


def _write(guest: Guest) -> None:
    argv = ["psql", "--quiet", "--host=/run/postgresql", "--dbname=work", f"--command={WRITES}"]
    output = guest.run(argv)
    if output.returncode:
        raise RuntimeError(output.stderr)


def _fork(machine: Any) -> None:
    with machine.fork():
        pass


def _many_reverts(image: str, needs: tuple[str, ...], count: int) -> None:
    built = open_image(image)
    with _provider("sandbox", 1) as provider, closing(provider.machine(built)) as machine:
        for _ in range(count):
            machine.revert("ready", needs)


def _left_over() -> dict[str, int]:
    """What a machine could leave on this computer. Closing the provider waits for its machines."""
    return {
        "processes of machines": sum(map(_is_of_a_machine, Path("/proc").glob("[0-9]*"))),
        "mounts": len(Path("/proc/self/mounts").read_text().splitlines()),
        "listening ports": sum(
            line.split()[3] == "0A" for line in Path("/proc/net/tcp").read_text().splitlines()[1:]
        ),
        "files in the temporary folder": len(os.listdir(tempfile.gettempdir())),
    }


def _is_of_a_machine(process: Path) -> bool:
    """Whether a process runs below process 1 of a sandbox: then its root is not this computer's."""
    try:
        return not os.path.samefile(process / "root", "/")
    except OSError:
        return False
