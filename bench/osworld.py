"""Time outside the episode in OSWorld's tasks: revert, setup, collection and judging, with an agent
that does nothing. Upstream sleeps 60 s before every episode and 20 s after it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console

from ambidex.host import Limits
from ambidex.host.records.config import RunOptions
from ambidex.host.records.rows import Row
from ambidex.host.runs.launch import RunRequest, launch
from ambidex.host.runs.machines import MachineOptions
from ambidex.host.runs.runner import plan
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from ambidex.tasks.survey import Selection
from bench.ledger import Column, Ledger

__all__ = ["osworld"]

HANDFUL = (
    "os-f9be0997",
    "vlc-215dfd39",
    "vs_code-276cc624",
    "chrome-2ad9387a",
    "gimp-7b7617bd",
    "libreoffice_impress-2cd43775",
)
"""One task of each application, none of which needs a file."""
PARTS = {"revert": "revert", "setup": "setup", "collect": "collection", "judge": "judging"}
SLEEPS = "upstream sleeps 80 s"
MANY = Parameter(consume_multiple=True, negative="")


def osworld(
    suite: Path,
    *,
    tasks: Annotated[tuple[str, ...], MANY] = HANDFUL,
    providers: Annotated[tuple[str, ...], MANY] = ("sandbox", "libvirt"),
    image: str = "debian-12",
    runs: int = 3,
) -> None:
    """Measure the time outside the episode in tasks of an OSWorld checkout, `runs` times each."""
    catalogue = read_catalogue()
    loaded = load_suite(suite, catalogue, selection=Selection(tasks))
    request = RunRequest(
        suite=loaded,
        agents=("says_done",),
        jobs=plan(("says_done",), runs, loaded),
        options=RunOptions(runs=runs, settle=0.0),
        limits=Limits(steps=1),
        catalogue=catalogue,
    )
    ledger = Ledger(list(providers))
    for name in providers:
        _measure(request, MachineOptions(provider=name, image=image), Column(ledger, name))
    title = f"outside the episode, {len(loaded.tasks)} tasks, {image}"
    Console(width=150).print(ledger.table(title))
    for out in loaded.left_out:
        print(f"left out: {out.name}: {out.why}")


def _measure(request: RunRequest, options: MachineOptions, column: Column) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        rows = launch(request, Path(scratch) / "run", options)
    if failed := [row for row in rows if row.fate != "scored"]:
        column.note("trials that failed", "; ".join(f"{row.task}: {row.failure}" for row in failed))
    done = [row for row in rows if row.fate == "scored"]
    for task in request.suite.tasks:
        column.add(task.name, [_around(row) for row in done if row.task == task.name])
    for part, label in PARTS.items():
        column.add(label, [row.seconds[part] for row in done])
    column.add("all tasks", [_around(row) for row in done], SLEEPS)


def _around(row: Row) -> float:
    return sum(row.seconds[part] for part in PARTS)
