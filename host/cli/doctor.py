"""`ambidex doctor`: check this computer's requirements and print fixes for what is missing."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from cyclopts import Parameter
from rich.table import Table
from rich.text import Text

from ambidex.host.records.environment import differences
from ambidex.host.terminal import Terminal, print_json
from ambidex.vm.survey import Finding, survey

__all__ = ["doctor"]

OK, MISSING, LACKING = Text("✓", "green"), Text("✗", "red"), Text("–", "yellow")


def doctor(
    *, json: Annotated[bool, Parameter(help="Print a JSON list instead of a table.")] = False
) -> int:
    """Check what this computer offers for running machines, and print fixes for what is missing.

    The exit code is 1 if a requirement without which no machine runs is missing.
    """
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


def _packages() -> Finding:
    differing = differences()
    seen = f"{len(differing)} not as locked: {', '.join(differing)}" if differing else "as locked"
    fix = "Remove .venv and run vm/setup.sh: other package versions can change scores."
    return Finding("packages", not differing, seen, fix, needed=False)
