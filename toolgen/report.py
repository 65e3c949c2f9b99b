"""The funnel: how many candidates reached each stage, with which outcomes and reasons, at which
cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from ambidex.host.report.number_format import NONE, money
from ambidex.toolgen import STAGES, ModelUsage, Outcome, Stage, StageResult
from ambidex.toolgen.models.asking import usage_of
from ambidex.toolgen.store import Folder, folders

__all__ = ["Funnel", "as_json", "funnel", "reasons_table", "stage_table", "status_of"]


@dataclass(frozen=True)
class StageFunnel:
    """One stage of the funnel."""

    stage: Stage
    reached: int
    outcomes: dict[str, int]
    """Number of candidates by the outcome of their latest result."""
    refusals: int
    """Number of refused drafts, including those that were fixed later."""
    rules: dict[str, int]
    """Number of refused drafts by the rule that refused them."""
    spent: ModelUsage


@dataclass(frozen=True)
class Funnel:
    """The funnel of a whole foundry."""

    candidates: int
    origins: dict[str, int]
    parts: tuple[StageFunnel, ...]
    ends: tuple[tuple[str, str, str, str], ...]
    """Candidate, stage, outcome, reason."""
    admitted: tuple[str, ...]
    retired: tuple[str, ...]
    spent: ModelUsage


def funnel(foundry: Path) -> Funnel:
    """Count the results of all candidates in a foundry."""
    candidates = folders(foundry)
    all_results = [
        result for folder in candidates for result in (*folder.earlier(), *folder.results())
    ]
    parts = []
    for stage in STAGES:
        if stage == "admit":
            admitted = sum(folder.admission() is not None for folder in candidates)
            parts.append(StageFunnel(stage, admitted, {"passed": admitted}, 0, {}, ModelUsage()))
            continue
        latest = [result for folder in candidates if (result := folder.result(stage))]
        of_stage = [result for result in all_results if result.stage == stage]
        failed = [result for result in of_stage if result.outcome is Outcome.FAILED]
        parts.append(
            StageFunnel(
                stage,
                len(latest),
                dict(Counter(result.outcome.value for result in latest)),
                len(failed),
                dict(Counter(rule for result in failed for rule in _rules(result))),
                sum((result.usage for result in of_stage), ModelUsage()),
            )
        )
    return Funnel(
        len(candidates),
        dict(Counter(folder.candidate().origin for folder in candidates)),
        tuple(parts),
        tuple(status_of(folder) for folder in candidates),
        tuple(admission.tool for folder in candidates if (admission := folder.admission())),
        tuple(retirement.tool for folder in candidates if (retirement := folder.retirement())),
        sum((usage_of(folder) for folder in candidates), ModelUsage()),
    )


def as_json(counts: Funnel) -> dict[str, Any]:
    """The funnel as JSON data."""
    data = asdict(counts)
    for part_data, part in zip(data["parts"], counts.parts, strict=True):
        part_data["spent"] = part.spent.model_dump()
    return {**data, "spent": counts.spent.model_dump()}


def stage_table(counts: Funnel) -> Table:
    """A table with one row per stage."""
    names = ("passed", "failed", "waiting", "error")
    table = Table("stage", "reached", *names, "drafts refused", "by", "calls", "tokens", "cost")
    for part in counts.parts:
        rules = ", ".join(f"{rule} {count}" for rule, count in sorted(part.rules.items()))
        table.add_row(
            part.stage,
            str(part.reached),
            *(str(part.outcomes.get(name, 0) or NONE) for name in names),
            str(part.refusals or NONE),
            rules,
            *_usage_cells(part.spent),
        )
    table.add_row(
        "all", str(counts.candidates), *[""] * 6, *_usage_cells(counts.spent), style="bold"
    )
    return table


def reasons_table(counts: Funnel) -> Table:
    """A table with one row per candidate: its stage, outcome and reason."""
    table = Table("candidate", "stage", "outcome", "why")
    for name, stage, outcome, reason in counts.ends:
        table.add_row(name, stage, outcome, reason)
    return table


def _usage_cells(usage: ModelUsage) -> Sequence[str]:
    if not usage.calls:
        return (NONE, NONE, NONE)
    return (str(usage.calls), f"{usage.input_tokens + usage.output_tokens:,}", money(usage.dollars))


def _rules(result: StageResult) -> set[str]:
    refused = {finding.rule for finding in result.findings if finding.refused}
    return refused or {result.reason.partition(":")[0]}


def status_of(folder: Folder) -> tuple[str, str, str, str]:
    """A candidate's name and its present stage, outcome and reason."""
    name = folder.path.name
    if retirement := folder.retirement():
        return (name, "admit", "retired", retirement.why)
    if admission := folder.admission():
        return (name, "admit", "passed", f"{admission.tool}, {admission.why}")
    last = folder.last()
    if last is None:
        return (name, NONE, NONE, "not started")
    return (name, last.stage, last.outcome.value, last.reason.splitlines()[0])
