"""`ambidex toolgen …`: what can be done with drafted tools so far."""

from __future__ import annotations

from pathlib import Path

from cyclopts import App
from rich.console import Console
from rich.table import Table

from tasks.catalogue import read_catalogue
from toolgen.gate import gate

__all__ = ["toolgen"]

toolgen = App(name="toolgen", help="Drafted tools: the gate that they pass before any trial.")


@toolgen.command(name="gate")
def check(file: Path) -> int:
    """Say what is wrong with a drafted tool file, without running it. Exit code 1: refused."""
    findings = gate(file, list(read_catalogue().values()))
    table = Table("line", "rule", "finding", title=str(file))
    for finding in findings:
        style = "red" if finding.refused else "yellow"
        table.add_row(str(finding.line), finding.rule, finding.text, style=style)
    if findings:
        Console().print(table)
    refused = sum(finding.refused for finding in findings)
    print(f"{file}: {'refused' if refused else 'passes'}, {len(findings)} findings")
    return int(refused > 0)
