"""Measure: a suite with and without the candidate on offer, by the same agent; what differs, with
an interval.

Both arms run on machines of one image; the code layer of one has the draft among its tools, and
that is all that differs. The draft is served by guests only: the host packs its text and never
loads it.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from ambidex.host import Limits
from ambidex.host.agents import agent_maker
from ambidex.host.errors import UsageError
from ambidex.host.models.model import LiteModel
from ambidex.host.models.prices import read_prices
from ambidex.host.records.config import ModelConfig, RunOptions, adopt, locked
from ambidex.host.records.rows import Row, finished
from ambidex.host.report.comparison import Comparison, compare, sign_flip
from ambidex.host.report.statistics import RESAMPLES, Interval, percentile_interval, resample
from ambidex.host.runs.launch import RunRequest, check, config_of
from ambidex.host.runs.machines import open_machines
from ambidex.host.runs.runner import plan, run_jobs
from ambidex.tasks import Suite, Task, ToolSpec
from ambidex.tasks.load import load_suite
from ambidex.toolgen import Candidate, Finding, Outcome
from ambidex.toolgen.gate.tools_text import file_of, tool_name
from ambidex.toolgen.stages.context import Ended, Shop
from ambidex.toolgen.stages.measurement import Measured
from ambidex.toolgen.store import write_whole

__all__ = ["Tokens", "measure", "tokens"]

SERVED = ("guest", "mcp_tools")
"""What a guest's code layer is made of."""


@dataclass(frozen=True)
class Tokens:
    """Tokens of a trial, mean of the tasks' means, with and without."""

    with_it: float
    without: float
    difference: float
    interval: Interval | None
    """95 %, from resampling tasks."""
    p: float


def measure(shop: Shop) -> Ended:
    """Play both arms and say what differs. It refuses nothing: whether a gain is worth a tool is
    for people."""
    asked, draft = shop.measured, shop.folder.latest()
    assert draft is not None
    if asked is None:
        said = Finding(0, "not measured", "no suite was named", refused=False)
        return Ended(Outcome.PASSED, "not measured", (said,))
    suite, held_out = tasks_for(shop.candidate, asked, shop.catalogue)
    folder = shop.folder.path / "evidence" / "measure" / f"draft-{draft.n}"
    arms: dict[str, list[Row]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch)
        for name in SERVED:
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(shop.root / name, tree / name, ignore=ignore)
        arms["without"] = play(shop, suite, asked, folder / "without", tree)
        tool, _ = shop.folder.text(draft.n)
        write_whole(tree / file_of(tool_name(tool, shop.candidate.app)), tool.encode())
        arms["with"] = play(shop, suite, asked, folder / "with", tree)
    lost = [name for name, rows in arms.items() if len(finished(rows)) < _planned(suite, asked)]
    if lost:
        return Ended(Outcome.ERROR, f"trials {' and '.join(lost)} it stayed void; resume runs them")
    compared = compare(arms["with"], arms["without"])
    assert compared is not None
    spent = tokens(arms["with"], arms["without"])
    report: dict[str, object] = {"tasks": [task.name for task in suite.tasks], "held_out": held_out}
    report |= {"comparison": asdict(compared), "tokens": asdict(spent)}
    kept = shop.folder.put(
        f"evidence/measure/draft-{draft.n}.json", json.dumps(report, indent=1).encode()
    )
    findings = tuple(_findings(compared, spent, held_out))
    return Ended(Outcome.PASSED, findings[0].text, findings, (kept,))


def tasks_for(
    candidate: Candidate, asked: Measured, catalogue: Mapping[str, ToolSpec]
) -> tuple[Suite, bool]:
    """The tasks that concern the app, without the one that the candidate was made from, and whether
    it could be left out."""
    suite = load_suite(Path(asked.suite), catalogue)
    concerned = [task for task in suite.tasks if _concerns(task, candidate.app)]
    others = [task for task in concerned if task.hash != candidate.task_hash]
    chosen = others or concerned
    if not chosen:
        raise UsageError(f"no task of {asked.suite} concerns {candidate.app}")
    return Suite(suite.name, suite.folder, tuple(chosen)), bool(others)


def _concerns(task: Task, app: str) -> bool:
    return app in task.spec.apps or any(
        each.startswith(f"{app}_") for each in task.spec.useful_tools
    )


def _planned(suite: Suite, asked: Measured) -> int:
    return len(suite.tasks) * asked.trials


def play(shop: Shop, suite: Suite, asked: Measured, folder: Path, code: Path) -> list[Row]:
    """One arm, or what is left of it: a run like any other, on guests that serve that code."""
    model = ModelConfig(name=asked.model, base_url=asked.base_url) if asked.model else None
    request = RunRequest(
        suite=suite,
        agents=(asked.agent,),
        jobs=plan((asked.agent,), asked.trials, suite),
        options=RunOptions(runs=asked.trials),
        limits=Limits(steps=asked.steps),
        catalogue=shop.catalogue,
        model=model,
    )
    check(request, asked.machines.provider)
    prices = read_prices()
    with ExitStack() as stack:
        stack.enter_context(locked(folder))
        source = stack.enter_context(open_machines(asked.machines, shop.say, code=code))
        config = config_of(request, prices, source)
        adopt(folder, config)
        maker = agent_maker(config, lambda said: LiteModel(said, prices))
        return run_jobs(
            request.jobs, config, suite, folder, source.make, maker,
            machines=asked.machines.machines,
        )  # fmt: skip


def tokens(ours: Sequence[Row], theirs: Sequence[Row], *, seed: int = 0) -> Tokens:
    """Tokens read and written, over the tasks that both have scored trials of."""
    with_it, without = _by_task(ours), _by_task(theirs)
    shared = sorted(with_it.keys() & without.keys())
    differences = [with_it[task] - without[task] for task in shared]
    table = np.array([[float(each)] for each in differences])
    drawn = resample(table, RESAMPLES, seed)[:, 0] / len(shared)
    p, _ = sign_flip(differences, seed=seed)
    return Tokens(
        float(sum(with_it[task] for task in shared) / len(shared)),
        float(sum(without[task] for task in shared) / len(shared)),
        float(sum(differences, Fraction()) / len(shared)),
        percentile_interval(drawn) if len(shared) > 1 else None,
        p,
    )


def _by_task(rows: Sequence[Row]) -> dict[str, Fraction]:
    found: dict[str, list[int]] = {}
    for row in finished(rows).values():
        found.setdefault(row.task, []).append(row.input_tokens + row.output_tokens)
    return {task: Fraction(sum(each), len(each)) for task, each in found.items()}


def _findings(compared: Comparison, spent: Tokens, held_out: bool) -> list[Finding]:
    accuracy, steps = compared.accuracy, compared.steps
    won = f"{accuracy.b:.0%} -> {accuracy.a:.0%}, {_within(accuracy.interval, 100, ' points')}"
    found = [
        f"success {won}, p = {accuracy.p:.3f}: {_verdict(accuracy.verdict)}",
        f"steps {steps.b:.1f} -> {steps.a:.1f}, {_within(steps.interval)}"
        f", p = {steps.p:.3f}: {_verdict(steps.verdict)}",
        f"tokens {spent.without:.0f} -> {spent.with_it:.0f}, {_within(spent.interval)}"
        f", p = {spent.p:.3f}",
    ]
    if not held_out:
        found.append("the only task of the app is the one that it was made from")
    found.append(f"{compared.tasks} tasks")
    return [Finding(0, "measured", text, refused=False) for text in found]


def _within(interval: Interval | None, scale: float = 1, unit: str = "") -> str:
    if interval is None:
        return "no interval of one task"
    low, high = (each * scale for each in interval)
    return f"difference {low:+.1f} to {high:+.1f}{unit} (95 %)"


def _verdict(said: str) -> str:
    return {"A is better": "better with it", "B is better": "better without it"}.get(said, said)
