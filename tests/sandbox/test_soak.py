"""A long episode leaks nothing: X clients, processes, files, memory."""

from rich.console import Console

from ambidex.host.client.guest import Guest
from ambidex.vm.machines.machine import OwnedMachine
from ambidex.vm.sandbox.instance import Sandbox
from bench.soak import soaked, table

ACTIONS = 2000
POOLED = 8
"""Threads; a leak of one in a hundred actions would be nineteen."""


def test_two_thousand_actions_leave_a_desktop_that_holds_what_it_held(
    machine: OwnedMachine[Sandbox], guest: Guest
) -> None:
    seen = list(soaked(machine, guest, ACTIONS, looks=4))
    Console(width=100).print(table(seen))
    first, last = seen[0][1], seen[-1][1]
    assert last.x_clients <= first.x_clients
    assert last.processes <= first.processes
    # GLib and LibreOffice keep pools of threads, of which one comes or goes between two looks.
    assert last.threads <= first.threads + POOLED
    assert last.open_files <= first.open_files + 4
    assert last.host_files <= first.host_files
    assert last.written <= first.written + 1024
    assert last.display <= first.display + 8
    # What a guest keeps of its last calls is bounded; an office remembers every step to be undone.
    assert last.guest <= first.guest + 24
    assert last.private <= first.private + 80
