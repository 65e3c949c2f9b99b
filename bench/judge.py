"""Overhead of the box: the same evidence judged with and without it."""

from __future__ import annotations

import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from ambidex.host import Stop
from ambidex.host.loop.judge import judge as judged
from ambidex.host.records.rows import read_rows
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from bench.suite import PROJECT

__all__ = ["judge"]


def judge(run: Path, *, suite: Path = PROJECT / "tasks" / "demo", times: int = 5) -> None:
    """Judge the stored evidence of a run of that suite again, each trial `times` times."""
    tasks = {task.name: task for task in load_suite(suite, read_catalogue()).tasks}
    boxed, plain, first = [], [], 0.0
    for _ in range(times):
        for row in read_rows(run):
            task = tasks[row.task].at_instance(row.instance)
            if row.stop in (None, Stop.INFEASIBLE) or not task.spec.feasible:
                continue
            evidence = run / row.folder / "evidence"
            start = time.perf_counter()
            judged(task, evidence, row.stop)
            middle = time.perf_counter()
            task.body.judge(evidence)
            if not first:
                first = middle - start
                continue
            boxed.append(middle - start)
            plain.append(time.perf_counter() - middle)
    added = sorted(one - other for one, other in zip(boxed, plain, strict=True))
    table = Table(
        "verdicts", "in the box, p50", "without, p50", "added, p50", "added, p95", "first"
    )
    milliseconds = [sorted(boxed)[len(boxed) // 2], sorted(plain)[len(plain) // 2]]
    milliseconds += [added[len(added) // 2], added[int(len(added) * 0.95)], first]
    table.add_row(str(len(boxed)), *(f"{1000 * seconds:.1f} ms" for seconds in milliseconds))
    Console(width=120).print(table)
