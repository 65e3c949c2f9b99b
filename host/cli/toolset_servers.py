"""`ambidex toolset check-servers`: the MCP servers of a toolset, started in a guest of an image."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

from rich.table import Table

from ambidex.host.client.guest import Guest
from ambidex.host.runs.machines import MachineOptions, open_machines
from ambidex.host.terminal import Terminal, echo, one_line, print_json
from ambidex.host.toolsets.checking import Checked, check_servers, list_in_guest
from ambidex.host.toolsets.guests import Guests
from ambidex.host.toolsets.toolset import Toolset

__all__ = ["print_check"]


def print_check(path: Path, machines: MachineOptions, json: bool) -> int:
    """Start each server in a machine without a network and print what it lists; the exit status."""
    toolset, terminal = Toolset.open(path), Terminal(stderr=True)
    found: list[Checked] = []
    with open_machines(machines, terminal.print) as source, closing(source.make()) as machine:
        machine.revert("ready", ())
        with Guest(machine.endpoint, machine.token) as guest:
            guest.wait_ready()
            for checked in check_servers(toolset, Guests.of(machines.image), list_in_guest(guest)):
                terminal.print(f"{checked.server}: {checked.status}")
                found.append(checked)
    if json:
        print_json([asdict(checked) for checked in found])
    else:
        _print(found)
    fine = all(checked.status == "started" and not checked.drifts for checked in found)
    return 0 if fine else 1


def _print(found: list[Checked]) -> None:
    table = Table("server", "status", "tools", "listed by name", "cause", title_justify="left")
    for checked in found:
        numbers = str(checked.catalogued), str(checked.same)
        table.add_row(checked.server, checked.status, *numbers, one_line(checked.cause))
    Terminal().print(table)
    kinds: Counter[str] = Counter()
    for checked in found:
        for drift in checked.drifts:
            echo(one_line(str(drift)))
            kinds[drift.kind] += 1
    started = sum(checked.status == "started" for checked in found)
    same, tools = sum(c.same for c in found), sum(c.catalogued for c in found)
    echo(
        f"{started} of {len(found)} servers started without a network; they list {same} of {tools}"
        f" tools by name. Drift: {', '.join(f'{n} {kind}' for kind, n in kinds.items()) or 'none'}"
    )
