"""The measure stage: runs the same agent on a suite with and without the candidate's tool, and
compares the results.

Both arms run on machines of one image. They differ only in the code layer, which has the draft
among its tools in one of them. Only guests load the draft; the host packs its text.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from threading import Event

import numpy as np

from ambidex.host import Limits
from ambidex.host.errors import UsageError
from ambidex.host.models.model import LiteModel
from ambidex.host.models.prices import read_prices
from ambidex.host.records.config import ModelConfig, RunOptions, adopt, locked
from ambidex.host.records.rows import Row, finished
from ambidex.host.report.comparison import Comparison, compare, sign_flip
from ambidex.host.report.statistics import RESAMPLES, Interval, percentile_interval, resample
from ambidex.host.runs.lanes import LaneRequest
from ambidex.host.runs.launch import RunRequest, check, config_of, parts_of
from ambidex.host.runs.offers import default_exposure
from ambidex.host.runs.runner import plan, run_on_lanes
from ambidex.tasks import Suite, Task, ToolSpec
from ambidex.tasks.load import load_suite
from ambidex.toolgen import Candidate, Finding, Outcome
from ambidex.toolgen.gate.tools_text import tool_file, tool_name
from ambidex.toolgen.stages.context import StageContext, StageReport
from ambidex.toolgen.stages.measurement import MeasureOptions
from ambidex.vm.whole_files import write_whole

__all__ = ["TokenComparison", "compare_tokens", "measure"]

SERVED = ("guest", "mcp_tools")
"""The directories that make up a guest's code layer."""


@dataclass(frozen=True)
class TokenComparison:
    """Tokens per trial (the mean over tasks of each task's mean) with and without the tool."""

    with_it: float
    without: float
    difference: float
    interval: Interval | None
    """95 % interval of the difference, by resampling tasks; None for a single task."""
    p: float
    """Of a sign-flip test."""


def measure(context: StageContext) -> StageReport:
    """Run both arms and report the difference. It refuses nothing: whether a gain is worth a tool
    is for people to decide."""
    options, draft = context.measuring, context.folder.latest()
    assert draft is not None
    if options is None:
        finding = Finding(0, "not measured", "no suite was named", refused=False)
        return StageReport(Outcome.PASSED, "not measured", (finding,))
    suite, held_out = tasks_for(context.candidate, options, context.catalogue)
    folder = context.folder.path / "evidence" / "measure" / f"draft-{draft.n}"
    arms: dict[str, list[Row]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch)
        for name in SERVED:
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(context.root / name, tree / name, ignore=ignore)
        arms["without"] = run_arm(context, suite, options, folder / "without", tree)
        tool, _ = context.folder.text(draft.n)
        write_whole(tree / tool_file(tool_name(tool, context.candidate.app)), tool.encode())
        arms["with"] = run_arm(context, suite, options, folder / "with", tree)
    void = [name for name, rows in arms.items() if len(finished(rows)) < _planned(suite, options)]
    if void:
        reason = f"void trials {' and '.join(void)} the tool; resume to run them again"
        return StageReport(Outcome.ERROR, reason)
    comparison = compare(arms["with"], arms["without"])
    assert comparison is not None
    tokens = compare_tokens(arms["with"], arms["without"])
    report: dict[str, object] = {"tasks": [task.name for task in suite.tasks], "held_out": held_out}
    report |= {"comparison": asdict(comparison), "tokens": asdict(tokens)}
    path = context.folder.put(
        f"evidence/measure/draft-{draft.n}.json", json.dumps(report, indent=1).encode()
    )
    findings = tuple(_findings(comparison, tokens, held_out))
    return StageReport(Outcome.PASSED, findings[0].text, findings, (path,))


def tasks_for(
    candidate: Candidate, options: MeasureOptions, catalogue: Mapping[str, ToolSpec]
) -> tuple[Suite, bool]:
    """The tasks that use the candidate's app, without the one that it was made from, and whether
    that one could be left out. `UsageError` if the suite has no task with the app."""
    suite = load_suite(Path(options.suite), catalogue)
    with_app = [task for task in suite.tasks if _uses_app(task, candidate.app)]
    others = [task for task in with_app if task.hash != candidate.task_hash]
    selected = others or with_app
    if not selected:
        raise UsageError(f"no task of {options.suite} uses {candidate.app}")
    return Suite(suite.name, suite.folder, tuple(selected)), bool(others)


def _uses_app(task: Task, app: str) -> bool:
    return app in task.spec.apps or any(
        tool.startswith(f"{app}_") for tool in task.spec.useful_tools
    )


def _planned(suite: Suite, options: MeasureOptions) -> int:
    return len(suite.tasks) * options.trials


def run_arm(
    context: StageContext, suite: Suite, options: MeasureOptions, folder: Path, code: Path
) -> list[Row]:
    """Run or resume one arm: an ordinary run in `folder`, on guests that serve `code`."""
    model = ModelConfig(name=options.model, base_url=options.base_url) if options.model else None
    request = RunRequest(
        suite=suite,
        agents=(options.agent,),
        jobs=plan((options.agent,), options.trials, suite),
        options=RunOptions(runs=options.trials),
        limits=Limits(steps=options.steps),
        catalogue=context.catalogue,
        model=model,
        exposure=default_exposure(
            suite, context.catalogue, "hybrid", model, options.machines.image
        ),
    )
    check(request, options.machines)
    prices = read_prices()
    with ExitStack() as stack:
        stack.enter_context(locked(folder))
        parts = replace(parts_of(request), code=code)
        source = stack.enter_context(options.open_lanes(options.machines, parts, context.say))
        config = config_of(request, prices, source)
        adopt(folder, config)

        def make_model(model: ModelConfig) -> LiteModel:
            return LiteModel(model, prices)

        lane_request = LaneRequest(config, suite, folder, make_model, Event(), context.say)
        lanes = stack.enter_context(source.lanes(lane_request))
        count = options.machines.machines
        return run_on_lanes(request.jobs, folder, lanes, count=count, stop=lane_request.stop)


def compare_tokens(
    rows_with: Sequence[Row], rows_without: Sequence[Row], *, seed: int = 0
) -> TokenComparison:
    """Compare input plus output tokens, over the tasks that both arms have scored trials of."""
    with_it, without = _by_task(rows_with), _by_task(rows_without)
    shared = sorted(with_it.keys() & without.keys())
    differences = [with_it[task] - without[task] for task in shared]
    table = np.array([[float(each)] for each in differences])
    drawn = resample(table, RESAMPLES, seed)[:, 0] / len(shared)
    p, _ = sign_flip(differences, seed=seed)
    return TokenComparison(
        float(sum(with_it[task] for task in shared) / len(shared)),
        float(sum(without[task] for task in shared) / len(shared)),
        float(sum(differences, Fraction()) / len(shared)),
        percentile_interval(drawn) if len(shared) > 1 else None,
        p,
    )


def _by_task(rows: Sequence[Row]) -> dict[str, Fraction]:
    totals: dict[str, list[int]] = {}
    for row in finished(rows).values():
        totals.setdefault(row.task, []).append(row.input_tokens + row.output_tokens)
    return {task: Fraction(sum(counts), len(counts)) for task, counts in totals.items()}


def _findings(comparison: Comparison, tokens: TokenComparison, held_out: bool) -> list[Finding]:
    accuracy, steps = comparison.accuracy, comparison.steps
    success = f"{accuracy.b:.0%} -> {accuracy.a:.0%}, {_range(accuracy.interval, 100, ' points')}"
    lines = [
        f"success {success}, p = {accuracy.p:.3f}: {_verdict(accuracy.verdict)}",
        f"steps {steps.b:.1f} -> {steps.a:.1f}, {_range(steps.interval)}"
        f", p = {steps.p:.3f}: {_verdict(steps.verdict)}",
        f"tokens {tokens.without:.0f} -> {tokens.with_it:.0f}, {_range(tokens.interval)}"
        f", p = {tokens.p:.3f}",
    ]
    if not held_out:
        lines.append("the suite's only task with the app is the one the tool was made from")
    lines.append(f"{comparison.tasks} tasks")
    return [Finding(0, "measured", line, refused=False) for line in lines]


def _range(interval: Interval | None, scale: float = 1, unit: str = "") -> str:
    if interval is None:
        return "no interval from a single task"
    low, high = (bound * scale for bound in interval)
    return f"difference {low:+.1f} to {high:+.1f}{unit} (95 %)"


def _verdict(verdict: str) -> str:
    words = {"A is better": "better with the tool", "B is better": "better without the tool"}
    return words.get(verdict, verdict)
