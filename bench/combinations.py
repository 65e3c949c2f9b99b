"""The demo suite with a stand-in for a model, in every dialect and condition, with each exposure
policy, over HTTP and on sandbox desktops."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from rich.console import Console
from rich.table import Table

from ambidex.host import Limits
from ambidex.host.agents import agent_maker
from ambidex.host.dialects import dialects
from ambidex.host.models.model import LiteModel
from ambidex.host.models.prices import read_prices
from ambidex.host.records.config import (
    Condition,
    Exposure,
    ModelConfig,
    Policy,
    RunConfig,
    adopt,
    locked,
)
from ambidex.host.records.rows import Row
from ambidex.host.runs.machines import MachineOptions, open_machines
from ambidex.host.runs.runner import plan, run_jobs
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from bench.standing_in import stand_in

__all__ = ["combinations"]

SUITE = Path(__file__).parent.parent / "tasks" / "demo"
POLICIES: tuple[Policy, ...] = get_args(Policy)
CONDITIONS: tuple[Condition, ...] = get_args(Condition)


def combinations(*, machines: int = 2, model: str = "tools-100", every: bool = False) -> None:
    """Run the whole demo suite in each dialect and condition, with `every` policy in each of them,
    or with the policies in turn. The scores say nothing about any model.
    """
    suite = load_suite(SUITE, read_catalogue())
    prices = read_prices()
    table = Table("dialect", "condition", "exposure", "solved", "fates", "malformed", "seconds")
    with (
        stand_in() as address,
        tempfile.TemporaryDirectory() as scratch,
        open_machines(MachineOptions(provider="sandbox"), _report_progress) as source,
    ):
        for dialect, condition, policy in _combinations(every):
            base = address if dialect == "anthropic" else f"{address}/v1"
            config = RunConfig(
                version="bench",
                suite=str(suite.folder),
                tasks={task.name: task.hash for task in suite.tasks},
                agents=("model",),
                condition=condition,
                exposure=Exposure(policy=policy, top=40),
                runs=1,
                limits=Limits(steps=25, seconds=600),
                model=ModelConfig(name=model, base_url=base, dialect=dialect),
                provider=source.provider,
                image=source.image,
            )
            folder = Path(scratch) / f"{dialect}.{condition}.{policy}"
            start = time.monotonic()
            with locked(folder):
                adopt(folder, config)
                rows = run_jobs(
                    plan(config.agents, 1, suite),
                    config,
                    suite,
                    folder,
                    source.make,
                    agent_maker(config, lambda model_config: LiteModel(model_config, prices)),
                    machines=machines,
                )
            seconds = time.monotonic() - start
            cells = (dialect, condition, policy, *_counts(rows), f"{seconds:.0f}")
            _report_progress(" ".join(cells))
            table.add_row(*cells)
    Console().print(table)


def _combinations(every: bool) -> Iterator[tuple[str, Condition, Policy]]:
    for at, dialect in enumerate(dialects()):
        for offset, condition in enumerate(CONDITIONS):
            policies = POLICIES if every else (POLICIES[(at + offset) % len(POLICIES)],)
            for policy in policies:
                yield dialect, condition, policy


def _counts(rows: list[Row]) -> tuple[str, str, str]:
    fates = {fate: sum(row.fate == fate for row in rows) for fate in ("scored", "void", "bug")}
    solved = f"{sum(row.success for row in rows)} of {fates['scored']}"
    by_fate = ", ".join(f"{count} {fate}" for fate, count in fates.items() if count)
    return solved, by_fate, str(sum(row.malformed for row in rows))


def _report_progress(line: str) -> None:
    print(line, file=sys.stderr)
