"""`ambidex doctor`: what this machine offers, and the fix for what is missing."""

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
    *, json: Annotated[bool, Parameter(help="one JSON list instead of a table")] = False
) -> int:
    """Print what this machine offers for desktop machines and the fix for what is missing.

    Exit code 1 if something is missing without which no machine runs.
    """
    console = Terminal(stderr=True)
    with console.status("looking around; a kernel may be tried under KVM"):
        findings = [*survey(), _packages()]
    if json:
        print_json([asdict(finding) for finding in findings])
    else:
        table = Table("", "what", "seen", "fix", title="this machine")
        for finding in findings:
            mark = OK if finding.ok else MISSING if finding.needed else LACKING
            table.add_row(mark, finding.name, finding.seen, "" if finding.ok else finding.fix)
        Terminal().print(table)
    return int(any(finding.needed and not finding.ok for finding in findings))


def _packages() -> Finding:
    found = differences()
    seen = f"{len(found)} not as locked: {', '.join(found)}" if found else "as locked"
    fix = "Remove .venv and run vm/setup.sh: scores of another environment compare less well."
    return Finding("packages", not found, seen, fix, needed=False)
