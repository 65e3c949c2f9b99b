"""Run the differential (see `bench.differential`), or write its page."""

from __future__ import annotations

import importlib
import pkgutil
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

from cyclopts import App

import bench.differential as package
from bench.differential import Case, Cases, Outcome
from bench.differential.sides import Upstream, ours
from bench.differential.tally import Tally, page, read_tallies, write_tallies

app = App(help=package.__doc__)
COUNT = 100
SECONDS = 60.0


def families() -> dict[str, tuple[Mapping[str, Cases], Mapping[str, str]]]:
    """The case generators by metric, and the reasons for differences, of each family."""
    by_family = {}
    for info in pkgutil.iter_modules(package.__path__):
        if info.name.startswith("cases_"):
            module = importlib.import_module(f"{package.__name__}.{info.name}")
            reasons = getattr(module, "REASONS", {})
            by_family[info.name.removeprefix("cases_")] = (module.CASES, reasons)
    return by_family


@app.default
def main(
    *,
    upstream: Path | None = None,
    upstream_python: Path | None = None,
    metric: tuple[str, ...] = (),
    family: tuple[str, ...] = (),
    cases: int = COUNT,
    seed: int = 0,
    seconds: float = SECONDS,
    show: int = 0,
    store: bool = False,
    table: Path | None = None,
) -> None:
    """Compare, and print a line for each metric.

    `cases` is the maximum number of cases of one metric, `seconds` upstream's time limit for one
    case, `show` the number of disagreements of a metric printed in full. `metric` and `family`
    select what is compared. `--store` replaces the stored counts of what was compared, and `table`
    names the page to write from all stored counts.
    """
    if upstream is not None:
        python = upstream_python or upstream / "venv/bin/python"
        known = families()
        names = {name for makers, _ in known.values() for name in makers}
        for name in set(metric) - names:
            sys.exit(
                f"no cases for the metric {name!r}; there are cases for {', '.join(sorted(names))}"
            )
        with Upstream(upstream.resolve(), python.absolute(), seconds) as theirs:
            for group, (makers, reasons) in known.items():
                selected = {
                    name: make
                    for name, make in makers.items()
                    if (not metric or name in metric) and (not family or group in family)
                }
                for name, make in selected.items():
                    tally = compare(name, make, theirs, reasons, count=cases, seed=seed, show=show)
                    print(f"{name}: {tally.agreed} of {tally.cases}", flush=True)
                    if store:
                        write_tallies(group, {name: tally})
    if table is not None:
        table.write_text(page(read_tallies()))


def compare(
    name: str,
    make: Cases,
    theirs: Upstream,
    reasons: Mapping[str, str],
    *,
    count: int,
    seed: int,
    show: int,
) -> Tally:
    """Run both sides on cases of one metric, and count the agreements."""
    tally = Tally(seed=seed)
    with tempfile.TemporaryDirectory(prefix="ambidex-differential-") as scratch:
        folder = Path(scratch)
        for case in islice(make(Random(f"{seed} {name}"), folder), count):
            here, there = ours(case), theirs(case)
            reason = reasons.get(f"{name}: {case.note}", reasons.get(case.note, ""))
            here = replace(here, said=here.said.replace(f"{folder}/", ""))
            if not tally.count(case, here, there, reason) and show > 0:
                show -= 1
                _print(case, here, there)
            for path in folder.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
    return tally


def _print(case: Case, here: Outcome, there: Outcome) -> None:
    print(f"  {case.metric} [{case.note}] {case.result} {case.expected} {dict(case.options)}")
    for side, outcome in (("ours", here), ("upstream", there)):
        print(f"    {side}: {outcome.kind} {outcome.score:g} {outcome.said[:300]}")


if __name__ == "__main__":
    app()
