"""`ambidex doctor`: check this computer's requirements and print fixes for what is missing."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from cyclopts import Parameter
from rich.table import Table
from rich.text import Text

from ambidex.host.cluster.capacity import ray_command, this_host
from ambidex.host.records.environment import differences
from ambidex.host.terminal import Terminal, print_json
from ambidex.vm.acceleration import kvm_runs
from ambidex.vm.survey import Finding, survey

__all__ = ["doctor"]

OK, MISSING, LACKING = Text("✓", "green"), Text("✗", "red"), Text("–", "yellow")


def doctor(
    *,
    capacity: Annotated[
        bool,
        Parameter(
            negative="",
            help="Print how many machines this computer can hold, and how to add it to a cluster.",
        ),
    ] = False,
    json: Annotated[bool, Parameter(help="Print a JSON list instead of a table.")] = False,
) -> int:
    """Check what this computer offers for running machines, and print fixes for what is missing.

    The exit code is 1 if a requirement without which no machine runs is missing.
    """
    if capacity:
        _print_capacity(json)
        return 0
    console = Terminal(stderr=True)
    with console.status("checking; this may boot a kernel under KVM"):
        findings = [*survey(), _packages()]
    if json:
        print_json([asdict(finding) for finding in findings])
    else:
        table = Table("", "what", "seen", "fix", title="this computer")
        for finding in findings:
            mark = OK if finding.ok else MISSING if finding.needed else LACKING
            table.add_row(mark, finding.name, finding.seen, "" if finding.ok else finding.fix)
        Terminal().print(table)
    return int(any(finding.needed and not finding.ok for finding in findings))


def _print_capacity(json: bool) -> None:
    kinds = this_host(kvm=kvm_runs(None, None).usable)
    if json:
        rows = [asdict(kind) | {"machines": kind.machines} for kind in kinds]
        print_json(rows)
        return
    table = Table("machines of", "at most", "by memory", "by cores", title="this computer can hold")
    for kind in kinds:
        memory = f"{kind.by_memory}: {kind.free} MiB free, {kind.kind.memory} for each"
        cores = f"{kind.by_cores}: {kind.cores} cores, {kind.kind.per_core:g} for each"
        table.add_row(kind.kind.name, str(kind.machines), memory, cores)
    Terminal().print(table)
    for kind in kinds:
        Terminal().print(f"{kind.kind.name}: {ray_command(kind.machines)}", soft_wrap=True)


def _packages() -> Finding:
    differing = differences()
    seen = f"{len(differing)} not as locked: {', '.join(differing)}" if differing else "as locked"
    fix = "Remove .venv and run vm/setup.sh: other package versions can change scores."
    return Finding("packages", not differing, seen, fix, needed=False)
