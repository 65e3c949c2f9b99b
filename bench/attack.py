"""Agents that attack their verdict, on the demo suite: every trial must score 0."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console
from rich.table import Table

from ambidex.host.records.rows import Row, finished, read_rows
from bench.attackers import ATTACKERS
from bench.suite import PROJECT

__all__ = ["attack"]

SUITE = PROJECT / "tasks" / "demo"


def attack(
    *,
    provider: str = "sandbox",
    image: str = "debian-12",
    machines: int = 1,
    agents: tuple[str, ...] = tuple(ATTACKERS),
    only: Annotated[tuple[str, ...], Parameter(help="Only these tasks; by default all.")] = (),
    out: Annotated[Path | None, Parameter(help="Folder for the runs.")] = None,
) -> int:
    """Run each attacker on each task of the demo suite. The exit status is 1 if one scored, or if a
    trial has no verdict."""
    table = Table(title=f"Attackers on {SUITE.name}, {provider}")
    for name in ("agent", "trials", "scored 0", "scored more", "void", "bug"):
        table.add_column(name, justify="left" if name == "agent" else "right")
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in agents:
            folder = (out or Path(scratch)) / name
            command = [sys.executable, "-m", "ambidex.host.cli.main", "run", str(SUITE)]
            command += [part for task in only for part in ("--tasks", task)]
            command += ["--agent", ATTACKERS[name], "--provider", provider, "--image", image]
            command += ["--machines", str(machines), "--steps", "15", "--out", str(folder)]
            subprocess.run(command, check=False, cwd=PROJECT, stdout=subprocess.DEVNULL)
            ended = outcomes(read_rows(folder))
            more = sum(ended.values()) - ended["zero"] - ended["void"] - ended["bug"]
            wrong += sum(ended.values()) - ended["zero"]
            counts = (
                sum(ended.values()),
                ended["zero"],
                more,
                ended["void"],
                ended["bug"],
            )
            table.add_row(name, *map(str, counts))
    Console(width=100).print(table)
    return 1 if wrong else 0


def outcomes(rows: list[Row]) -> Counter[str]:
    """Number of trials that scored 0 (`zero`) or more (`more`), and of the others by fate."""
    done = finished(rows)
    last = {row.key: row for row in rows}
    outcome_counts: Counter[str] = Counter()
    for key, row in last.items():
        if key in done:
            outcome_counts["more" if done[key].score or done[key].strict else "zero"] += 1
        else:
            outcome_counts[row.fate] += 1
    return outcome_counts
