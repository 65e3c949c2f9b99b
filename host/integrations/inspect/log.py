"""Export a run as an Inspect log, for `inspect view` and Inspect's log readers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalMetric,
    EvalPlan,
    EvalPlanStep,
    EvalResults,
    EvalRetryError,
    EvalSample,
    EvalSampleLimit,
    EvalScore,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import ModelUsage
from inspect_ai.scorer import Score

from ambidex.host import Stop
from ambidex.host.integrations.attempts import RecordedAttempt, recorded_attempts
from ambidex.host.integrations.inspect.episode import EpisodeLog, episode_log
from ambidex.host.records.config import RunConfig, read_config
from ambidex.host.records.rows import Failure, Key, Row
from ambidex.host.report.report_lines import Line, lines

__all__ = ["SCORER", "facts_of", "write_log"]

SCORER = "judge"
"""The name of our judge among Inspect's scorers."""
LIMITS = {
    Stop.STEP_LIMIT: "turn",
    Stop.TIME_LIMIT: "time",
    Stop.COST_LIMIT: "cost",
}
"""Inspect's names for our limits."""


def write_log(run: Path, file: Path) -> int:
    """Write the log and return its number of samples: the trials of the run that were begun."""
    config = read_config(run)
    trials: dict[Key, list[RecordedAttempt]] = {}
    for attempt in recorded_attempts(run):
        trials.setdefault(attempt.row.key, []).append(attempt)
    samples = [_sample(attempts, config) for attempts in trials.values()]
    rows = [attempts[-1].row for attempts in trials.values()]
    log = EvalLog(
        status="success",
        eval=_spec(run, config, rows),
        plan=EvalPlan(steps=[EvalPlanStep(solver=agent) for agent in config.agents]),
        results=_results(lines([run]), samples),
        stats=_stats(samples),
        samples=samples,
    )
    write_eval_log(log, file, format="eval")
    return len(samples)


def facts_of(row: Row) -> dict[str, Any]:
    """What TIR and ACS are computed from, and how the episode ended: a score's metadata."""
    return {
        "steps": row.steps,
        "tool_calls": row.tool_calls,
        "gui_calls": row.gui_calls,
        "tool_beneficial": row.tool_beneficial,
        "feasible": row.feasible,
        "solved": row.success,
        "stop": row.stop,
        **({"strict": row.strict, "strict_reason": row.strict_reason} if row.strict else {}),
    }


def _spec(run: Path, config: RunConfig, rows: Sequence[Row]) -> EvalSpec:
    suite = Path(config.suite).name
    model = config.model
    return EvalSpec(
        eval_id=config.hash[:22],
        run_id=config.hash[:22],
        task_id=config.hash[:22],
        created=min((row.started for row in rows), default="1970-01-01T00:00:00+00:00"),
        task=f"ambidex/{suite}",
        task_args={"condition": config.condition, "exposure": config.exposure.policy},
        dataset=EvalDataset(
            name=suite,
            location=config.suite,
            samples=len(config.tasks),
            sample_ids=sorted(config.tasks),
        ),
        model=model.name if model else f"ambidex/{config.agents[0]}",
        config=EvalConfig(epochs=config.runs),
        packages={"ambidex": config.version},
        metadata={"run": run.name, "configuration": config.model_dump(mode="json")},
    )


def _sample(attempts: Sequence[RecordedAttempt], config: RunConfig) -> EvalSample:
    last = attempts[-1]
    row = last.row
    log = episode_log(last)
    scores = {}
    if row.score is not None:
        scores[SCORER] = Score(value=row.score, explanation=row.reason, metadata=facts_of(row))
        log.score(scores[SCORER], SCORER)
    instruction = next((line["instruction"] for line in last.lines if line["kind"] == "start"), "")
    total = row.seconds.get("total")
    limit = LIMITS.get(row.stop) if row.stop else None
    return EvalSample(
        id=row.task if len(config.agents) == 1 else f"{row.task} by {row.agent}",
        epoch=row.trial,
        input=instruction,
        target="",
        messages=log.messages,
        output=log.output,
        scores=scores or None,
        metadata=_metadata(row),
        events=log.events,
        model_usage=log.usage,
        started_at=row.started,
        completed_at=_end(log, total).isoformat(),
        total_time=total,
        working_time=log.elapsed,
        error=_error(row.failure) if row.failure and row.fate != "scored" else None,
        error_retries=[*_retries(attempts[:-1])] or None,
        limit=EvalSampleLimit.model_validate({"type": limit, "limit": _bound(row, config)})
        if limit
        else None,
    )


def _end(log: EpisodeLog, total: float | None) -> Any:
    return log.started + timedelta(seconds=log.elapsed if total is None else total)


def _bound(row: Row, config: RunConfig) -> float:
    limits = config.limits
    bounds = {Stop.TIME_LIMIT: limits.seconds, Stop.COST_LIMIT: limits.cost}
    return float(bounds.get(row.stop or Stop.DONE) or limits.steps)


def _metadata(row: Row) -> dict[str, Any]:
    """The facts about a trial that Inspect has no field for."""
    names = (
        "agent", "attempt", "condition", "domain", "fate", "ended_by", "assisted", "forfeit",
        "useful_tools", "task_hash", "instance", "folder", "provider", "seconds",
    )  # fmt: skip
    return row.model_dump(mode="json", include=set(names))


def _error(failure: Failure) -> EvalError:
    message = f"{failure.type}: {failure.message} {failure.hint}".strip()
    trace = failure.traceback or message
    return EvalError(message=message, traceback=trace, traceback_ansi=trace)


def _retries(attempts: Sequence[RecordedAttempt]) -> Iterator[EvalRetryError]:
    for attempt in attempts:
        if attempt.row.failure:
            yield EvalRetryError(**_error(attempt.row.failure).model_dump())


def _results(report: Sequence[Line], samples: Sequence[EvalSample]) -> EvalResults:
    scored = sum(sample.scores is not None for sample in samples)
    return EvalResults(
        total_samples=len(samples),
        completed_samples=sum(sample.error is None for sample in samples),
        scores=[
            EvalScore(
                name=SCORER if len(report) == 1 else f"{SCORER} {line.agent} @{line.cap}",
                scorer=SCORER,
                scored_samples=scored,
                unscored_samples=len(samples) - scored,
                metrics={metric.name: metric for metric in _metrics(line)},
            )
            for line in report
        ],
    )


def _metrics(line: Line) -> Iterator[EvalMetric]:
    """The figures of a line of our report; those whose denominator is 0 are left out."""
    everything = line.summary.groups[-1]
    figures = {"accuracy": everything.accuracy, "tir": everything.tir, "acs": everything.acs}
    for name, value in figures.items():
        if value is not None:
            yield EvalMetric(name=name, value=value)


def _stats(samples: Sequence[EvalSample]) -> EvalStats:
    usage: dict[str, ModelUsage] = {}
    for sample in samples:
        for model, used in sample.model_usage.items():
            usage[model] = usage[model] + used if model in usage else used
    return EvalStats(
        started_at=min((sample.started_at or "" for sample in samples), default=""),
        completed_at=max((sample.completed_at or "" for sample in samples), default=""),
        model_usage=usage,
    )
