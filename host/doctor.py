"""`ambidex doctor`: what this machine offers, and the fix for what is missing."""

from __future__ import annotations

import json as encoder
from dataclasses import asdict
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console
from rich.table import Table

from vm.survey import survey

__all__ = ["doctor"]


def doctor(
    *, json: Annotated[bool, Parameter(help="one JSON list instead of a table")] = False
) -> int:
    """Print what this machine offers for desktop machines and the fix for what is missing.

    Exit code 1 if something is missing without which no machine runs.
    """
    console = Console(stderr=True)
    with console.status("looking around; a kernel may be tried under KVM"):
        findings = list(survey())
    if json:
        print(encoder.dumps([asdict(finding) for finding in findings], indent=1))
    else:
        table = Table("", "what", "seen", "fix", title="this machine")
        for finding in findings:
            mark = (
                "[green]✓[/]" if finding.ok else "[red]✗[/]" if finding.needed else "[yellow]–[/]"
            )
            table.add_row(mark, finding.name, finding.seen, "" if finding.ok else finding.fix)
        Console().print(table)
    return int(any(finding.needed and not finding.ok for finding in findings))
