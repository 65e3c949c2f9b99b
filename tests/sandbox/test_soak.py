"""A long episode does not leak X clients, processes, files or memory; `bench soak` plays longer
ones."""

from rich.console import Console

from ambidex.host.client.guest import Guest
from ambidex.vm.machines.machine import OwnedMachine
from ambidex.vm.sandbox.instance import Sandbox
from bench.soak import soaked, table

ACTIONS = 120
POOLED = 8
"""Threads; a leak of one in ten actions would add twelve."""


def test_a_hundred_actions_leak_nothing(machine: OwnedMachine[Sandbox], guest: Guest) -> None:
    measurements = list(soaked(machine, guest, ACTIONS, looks=2))
    Console(width=100).print(table(measurements))
    first, last = measurements[0][1], measurements[-1][1]
    assert last.x_clients <= first.x_clients
    assert last.processes <= first.processes
    # GLib and LibreOffice have pools of threads, whose size varies between measurements.
    assert last.threads <= first.threads + POOLED
    assert last.open_files <= first.open_files + 4
    assert last.host_files <= first.host_files
    assert last.written <= first.written + 1024
    assert last.display <= first.display + 8
    # The guest stores a bounded number of calls; LibreOffice stores its whole undo history.
    assert last.guest <= first.guest + 24
    assert last.private <= first.private + 80
