"""A run that is killed and resumed, against one that is left alone: the rows must be equal."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from math import comb
from pathlib import Path
from statistics import fmean

from rich.console import Console
from rich.table import Table

from ambidex.host.records.rows import NAME, Row, finished, read_rows
from ambidex.host.report.pass_at_k import passes
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from bench.standing_in import stand_in

__all__ = ["resume"]

SUITE = Path(__file__).parents[1] / "tasks" / "services"
EXPERIMENT = """\
suite = {suite}
tasks = {tasks}
conditions = ["hybrid"]
steps = [{steps}]
runs = {runs}
seed = {seed}
settle = 0.0

[[agents]]
label = "stand-in"

[agents.model]
name = {model}
base_url = {address}
seeded = true
"""
RUN = "stand-in.hybrid.{steps}"
"""The directory of the experiment's only run."""
SAME = ("score", "reason", "stop", "steps", "malformed", "fate", "input_tokens", "output_tokens")
"""Fields of a row that must be the same in both runs."""


def resume(
    *,
    suite: Path = SUITE,
    image: str = "debian-13-services",
    model: str = "tools-70",
    runs: int = 4,
    steps: int = 30,
    kills: int = 3,
    machines: int = 2,
    tasks: tuple[str, ...] = (),
    seed: int = 1,
    out: Path = Path("runs/resume"),
) -> int:
    """Run a suite `runs` times with an imperfect stand-in for a model over HTTP, which solves other
    tasks each time; kill the runner `kills` times and resume it. Compare its rows with those of an
    undisturbed run, and pass@1, pass@k and pass^k with the same computed from the matrix of solved
    trials."""
    if out.exists():
        raise SystemExit(f"{out} exists already: delete it, or name a new directory with --out")
    loaded = load_suite(suite, read_catalogue(), tasks)
    total = len(loaded.tasks) * runs
    first, second = (out / name / RUN.format(steps=steps) for name in ("alone", "killed"))
    with stand_in(loaded.tasks) as address:
        out.mkdir(parents=True)
        file = out / "experiment.toml"
        file.write_text(
            EXPERIMENT.format(
                suite=json.dumps(str(suite.resolve())),
                tasks=json.dumps(list(tasks)),
                steps=steps,
                runs=runs,
                seed=seed,
                model=json.dumps(model),
                address=json.dumps(f"{address}/v1"),
            )
        )
        command = [
            *(sys.executable, "-m", "ambidex.host.cli.main", "experiment", str(file)),
            *("--provider", "sandbox", "--image", image, "--machines", str(machines)),
        ]
        began = time.monotonic()
        _finish([*command, "--out", str(out / "alone")])
        alone_seconds = time.monotonic() - began
        _kill_and_resume([*command, "--out", str(out / "killed")], second, kills, total, seed)
        _finish([*command, "--out", str(out / "killed")])
    alone, killed = (finished(read_rows(run)) for run in (first, second))
    different = [
        f"{key}: {[getattr(alone[key], field) for field in SAME]}"
        f" and {[getattr(killed[key], field) for field in SAME]}"
        for key in alone
        if key not in killed or any(getattr(alone[key], f) != getattr(killed[key], f) for f in SAME)
    ]
    twice = len(read_rows(second)) - len(killed)
    table = Table(
        "measured", "value", title=f"{len(loaded.tasks)} tasks, {runs} runs, {kills} kills"
    )
    table.add_row("trials", f"{len(alone)} alone, {len(killed)} killed, {total} planned")
    table.add_row("rows that differ", str(len(different)))
    table.add_row("rows of trials that were tried again", str(twice))
    table.add_row("undisturbed run", f"{alone_seconds:.0f} s on {machines} machines")
    own = _own_share(list(alone.values()))
    table.add_row("of an episode is ours, not tools or model", f"{100 * own:.0f} %")
    right = _compare_with_matrix(table, list(killed.values()), [t.name for t in loaded.tasks], runs)
    Console(width=120).print(table)
    for line in different:
        print(line)
    return 0 if not different and len(killed) == len(alone) == total and right else 1


def _own_share(rows: Sequence[Row]) -> float:
    """The harness's share of all seconds of all episodes."""
    spent = sum(row.seconds[part] for row in rows for part in ("model", "guest", "harness"))
    return sum(row.seconds["harness"] for row in rows) / spent


def _finish(command: Sequence[str]) -> None:
    status = subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode
    if status not in (0, 1):
        raise RuntimeError(f"the run ended with status {status}")


def _kill_and_resume(
    command: Sequence[str], folder: Path, kills: int, total: int, seed: int
) -> None:
    """Start the run `kills` times, and kill it with SIGKILL at a random number of rows."""
    places = sorted(random.Random(seed).sample(range(1, total), kills))
    for place in places:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while process.poll() is None and _rows(folder) < place:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        print(f"killed after {_rows(folder)} rows", file=sys.stderr)


def _rows(folder: Path) -> int:
    path = folder / NAME
    return path.read_bytes().count(b"\n") if path.exists() else 0


def _compare_with_matrix(
    table: Table, rows: Sequence[Row], tasks: Sequence[str], runs: int
) -> bool:
    """Add pass@1, pass@k and pass^k as reported and as computed from the matrix of solved trials;
    returns whether they agree."""
    matrix = {
        task: [
            next(row.success for row in rows if (row.task, row.trial) == (task, trial))
            for trial in range(1, runs + 1)
        ]
        for task in tasks
    }
    reported = passes(rows, tasks, runs)[-1]
    assert reported.largest is not None
    solved = {task: sum(line) for task, line in matrix.items()}
    pairs = {
        "pass@1": (reported.pass_1, fmean(fmean(line) for line in matrix.values())),
        f"pass@{runs}": (reported.largest.pass_any, fmean(any(line) for line in matrix.values())),
        f"pass^{runs}": (
            reported.largest.pass_all,
            fmean(comb(count, runs) / comb(runs, runs) for count in solved.values()),
        ),
    }
    for name, (ours, by_hand) in pairs.items():
        table.add_row(f"{name}, reported and from the matrix", f"{ours} and {by_hand}")
    return all(abs((ours or 0.0) - by_hand) < 1e-12 for ours, by_hand in pairs.values())
