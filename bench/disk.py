"""Times of reading files from the disk of a paused machine, next to the guest's collector."""

from __future__ import annotations

import sys
from contextlib import closing
from functools import partial

from rich.console import Console

from ambidex.host.client.disk_files import DiskFiles
from ambidex.host.client.guest import Guest
from ambidex.vm.building.image import open_image
from ambidex.vm.provider import LibvirtProvider
from bench.ledger import Column, Ledger, timed

__all__ = ["disk"]

MIB = 1 << 20


def disk(*, image: str = "debian-12", count: int = 10) -> None:
    """Read a file and take an inventory `count` times: by the guest, and from its disk."""
    ledger = Ledger(["libvirt"])
    column = Column(ledger, "libvirt")
    desktop = open_image(image, say=lambda line: print(line, file=sys.stderr))
    with LibvirtProvider() as provider, closing(provider.machine(desktop)) as machine:
        machine.boot()
        with Guest(machine.endpoint, machine.token) as guest:
            guest.put("~/file", bytes(range(256)) * (8 * MIB // 256))
            guest.freeze()
            first = [timed(guest.inventory)]
            column.add("inventory by the collector, the first one", first)
            times = [timed(guest.inventory) for _ in range(count)]
            column.add("inventory by the collector, hashes known", times)
            times = [timed(lambda: guest.find_file("~/file")) for _ in range(count)]
            column.add("a file of 8 MiB by the collector", times)
            column.add("sync", [timed(guest.sync)])

            def read(what: str) -> None:
                with machine.disk() as opened:
                    files = DiskFiles(opened)
                    if what == "inventory":
                        assert not files.inventory().refused
                    else:
                        assert files.find_file(what).size == 8 * MIB

            for what, name in (("inventory", "inventory"), ("~/file", "a file of 8 MiB")):
                times = [timed(partial(read, what)) for _ in range(count)]
                column.add(f"{name} from the disk, with pause and resume", times)
            column.note("files in the inventory", f"{len(guest.inventory().files):,}")
    Console(width=150).print(ledger.table(image))
