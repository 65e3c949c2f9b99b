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
    """Makers of cases and reasons for differences, by family and metric."""
    found = {}
    for each in pkgutil.iter_modules(package.__path__):
        if each.name.startswith("cases_"):
            module = importlib.import_module(f"{package.__name__}.{each.name}")
            reasons = getattr(module, "REASONS", {})
            found[each.name.removeprefix("cases_")] = (module.CASES, reasons)
    return found


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

    `cases` is the most cases of one metric, `seconds` upstream's time limit for one case, `show`
    how many disagreements of a metric are printed in full. `metric` and `family` choose what is
    compared. `--store` replaces the stored counts of what was compared, and `table` names the page
    that is written from all stored counts.
    """
    if upstream is not None:
        python = upstream_python or upstream / "venv/bin/python"
        known = families()
        names = {name for makers, _ in known.values() for name in makers}
        for name in set(metric) - names:
            sys.exit(
                f"no cases for the metric {name!r}; there are some for {', '.join(sorted(names))}"
            )
        with Upstream(upstream.resolve(), python.absolute(), seconds) as theirs:
            for group, (makers, reasons) in known.items():
                chosen = {
                    name: make
                    for name, make in makers.items()
                    if (not metric or name in metric) and (not family or group in family)
                }
                for name, make in chosen.items():
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
    """The two sides on cases of one metric."""
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
            for each in folder.iterdir():
                shutil.rmtree(each) if each.is_dir() else each.unlink()
    return tally


def _print(case: Case, here: Outcome, there: Outcome) -> None:
    print(f"  {case.metric} [{case.note}] {case.result} {case.expected} {dict(case.options)}")
    for side, outcome in (("ours", here), ("upstream", there)):
        print(f"    {side}: {outcome.kind} {outcome.score:g} {outcome.said[:300]}")


if __name__ == "__main__":
    app()
