"""The demo suite by its reference solutions, with and without saved stages."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, get_args

from cyclopts import Parameter
from rich.console import Console
from rich.table import Table

from ambidex.host import Limits
from ambidex.host.agents import agent_maker
from ambidex.host.models.model import LiteModel
from ambidex.host.models.prices import read_prices
from ambidex.host.records.config import Condition, RunConfig, adopt, locked
from ambidex.host.records.rows import Row
from ambidex.host.runs.machines import MachineOptions, Source, open_machines
from ambidex.host.runs.runner import SilentWatcher, plan, run_jobs
from ambidex.tasks import Suite
from ambidex.tasks.catalogue import catalogue_hash, read_catalogue
from ambidex.tasks.load import load_suite
from ambidex.vm.stages import StageStore, entries, entry_size
from bench.ledger import Column, Ledger

__all__ = ["stages"]

SUITE = Path(__file__).parent.parent / "tasks" / "demo"
CONDITIONS: tuple[Condition, ...] = get_args(Condition)
UNLIMITED = 10**12
"""Bytes: nothing is evicted."""
SMALLEST = 1_000_000
"""Bytes: an entry with a machine is larger."""
PARTS = ("revert", "setup", "stage", "model", "guest", "settle", "harness", "collect", "judge")
MANY = Parameter(consume_multiple=True, negative="")


class Messages(SilentWatcher):
    """Prints what a run says, such as why a stage is not saved."""

    def message(self, text: str) -> None:
        """Print it."""
        _report_progress(text)


@dataclass(frozen=True)
class Played:
    """All trials with stages, or without."""

    rows: tuple[Row, ...]
    wall: float
    """Seconds."""
    stored: tuple[int, ...]
    """Bytes of each stage."""

    @property
    def verdicts(self) -> dict[tuple[str, str, int], tuple[str, float | None]]:
        """Fate and score by condition, task and repetition."""
        return {(row.condition, row.task, row.trial): (row.fate, row.score) for row in self.rows}


def stages(
    *,
    tasks: Annotated[tuple[str, ...], MANY] = (),
    conditions: Annotated[tuple[Condition, ...], MANY] = CONDITIONS,
    repeats: int = 3,
    machines: int = 1,
    image: str = "debian-12",
) -> None:
    """Play tasks of the demo suite on virtual machines in each condition, `repeats` times each:
    first with the setup in every trial, then with saved stages, beginning without any."""
    suite = load_suite(SUITE, read_catalogue(), tasks)
    options = MachineOptions(image=image, machines=machines)
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as scratch:
        without, restoring = (
            _play(suite, conditions, repeats, options, Path(scratch) / name, name == "with")
            for name in ("without", "with")
        )
    ledger = Ledger(["without stages", "with stages"])
    for name, played in zip(ledger.providers, (without, restoring), strict=True):
        _report(Column(ledger, name), played)
    column = Column(ledger, "with stages")
    column.note("wall, as a part", f"{restoring.wall / without.wall:.2f}", "<= 0.50")
    column.note("equal verdicts", str(without.verdicts == restoring.verdicts), "True")
    for key, verdict in without.verdicts.items():
        if restoring.verdicts.get(key) != verdict:
            print(f"verdicts differ: {key}: {verdict}, {restoring.verdicts.get(key)}")
    title = f"{len(suite.tasks)} tasks, {len(conditions)} conditions, {repeats} repeats, {image}"
    Console(width=150).print(ledger.table(title))
    for name, played in zip(ledger.providers, (without, restoring), strict=True):
        Console(width=150).print(_parts(name, played.rows))


def _play(
    suite: Suite,
    conditions: Sequence[Condition],
    repeats: int,
    options: MachineOptions,
    scratch: Path,
    saving: bool,
) -> Played:
    scratch.mkdir()
    rows: list[Row] = []
    with open_machines(options, _report_progress) as source:
        store = StageStore(scratch / "stages", source.base, UNLIMITED) if saving else None
        began = time.monotonic()
        for condition in conditions:
            rows += _run(suite, condition, repeats, source, options.machines, scratch, store)
        wall = time.monotonic() - began
    sizes = [entry_size(entry) for entry in entries(scratch / "stages")]
    return Played(tuple(rows), wall, tuple(size for size in sizes if size > SMALLEST))


def _run(
    suite: Suite,
    condition: Condition,
    repeats: int,
    source: Source,
    machines: int,
    scratch: Path,
    store: StageStore | None,
) -> list[Row]:
    config = RunConfig(
        version="bench",
        suite=str(suite.folder),
        tasks={task.name: task.hash for task in suite.tasks},
        agents=("oracle",),
        condition=condition,
        runs=repeats,
        no_stage_cache=store is None,
        limits=Limits(steps=100),
        provider=source.provider,
        image=source.image,
        catalogue=catalogue_hash(read_catalogue()),
    )
    prices, folder = read_prices(), scratch / condition
    with locked(folder):
        adopt(folder, config)
        rows = run_jobs(
            plan(config.agents, repeats, suite),
            config,
            suite,
            folder,
            source.make,
            agent_maker(config, lambda model: LiteModel(model, prices)),
            machines=machines,
            watcher=Messages(),
            stages=store,
        )
    _report_progress(f"{condition}, {'with' if store else 'without'} stages: {len(rows)} attempts")
    return rows


def _report(column: Column, played: Played) -> None:
    restored = [row for row in played.rows if row.stage == "restored"]
    done = [row for row in played.rows if row.stage == "set"]
    column.note("wall", f"{played.wall:.0f} s")
    column.note("attempts", f"{len(done)} set the stage, {len(restored)} restored it")
    failed = [row for row in played.rows if row.fate != "scored"]
    column.note(
        "without a score", ", ".join(f"{row.task} ({row.fate})" for row in failed) or "none"
    )
    column.add("revert and setup, stage set", [_before(row) for row in done])
    if not restored:
        return
    column.add("revert and setup, stage restored", [_before(row) for row in restored])
    column.add("restoring a stage", [row.seconds["revert"] for row in restored], "<= 1500")
    saving = [row.seconds["stage"] for row in done if "stage" in row.seconds]
    column.add("surveying, and saving every second time", saving)
    sizes = [size / 1e6 for size in played.stored]
    text = f"median {statistics.median(sizes):.1f} MB, at most {max(sizes):.1f}, n {len(sizes)}"
    column.note("stored for a stage", text, "<= 40 MB")


def _before(row: Row) -> float:
    """Seconds before the episode."""
    return row.seconds["revert"] + row.seconds["setup"]


def _parts(title: str, rows: Sequence[Row]) -> Table:
    """Mean seconds of an attempt by application and part."""
    by_domain: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.fate == "scored":
            by_domain[row.domain].append(row)
            by_domain["all"].append(row)
    table = Table("application", "n", *PARTS, "total", title=f"mean seconds, {title}")
    for domain, some in sorted(by_domain.items(), key=lambda item: (item[0] == "all", item[0])):
        means = (
            statistics.fmean(row.seconds.get(part, 0.0) for row in some)
            for part in (*PARTS, "total")
        )
        table.add_row(domain, str(len(some)), *(f"{mean:.2f}" for mean in means))
    return table


def _report_progress(line: str) -> None:
    print(line, file=sys.stderr)
