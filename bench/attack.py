"""Agents that attack their judgement, on the demo suite: every trial has to score 0."""

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
    only: Annotated[tuple[str, ...], Parameter(help="tasks, all where none is named")] = (),
    out: Annotated[Path | None, Parameter(help="folder that keeps the runs")] = None,
) -> int:
    """Run each attacker on each task of the demo suite. Exit status 1 if one scored, or if a trial
    has no verdict."""
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
            seen = outcomes(read_rows(folder))
            more = sum(seen.values()) - seen["zero"] - seen["void"] - seen["bug"]
            wrong += sum(seen.values()) - seen["zero"]
            counts = (sum(seen.values()), seen["zero"], more, seen["void"], seen["bug"])
            table.add_row(name, *map(str, counts))
    Console(width=100).print(table)
    return 1 if wrong else 0


def outcomes(rows: list[Row]) -> Counter[str]:
    """How many trials scored 0, how many more, and how the others ended."""
    done = finished(rows)
    last = {row.key: row for row in rows}
    found: Counter[str] = Counter()
    for key, row in last.items():
        if key in done:
            found["more" if done[key].score or done[key].strict else "zero"] += 1
        else:
            found[row.fate] += 1
    return found
