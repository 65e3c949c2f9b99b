"""The funnel: how many candidates reached each stage, what became of them, why, and the cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from ambidex.host.report.number_format import NONE, money
from ambidex.toolgen import STAGES, Outcome, Spent, Stage, StageResult
from ambidex.toolgen.models.asking import spent_by
from ambidex.toolgen.store import Folder, folders

__all__ = ["Funnel", "as_json", "end_of", "funnel", "reasons_table", "stage_table"]


@dataclass(frozen=True)
class Part:
    """One stage of the funnel."""

    stage: Stage
    reached: int
    outcomes: dict[str, int]
    """Of each candidate's last result there."""
    refusals: int
    """Of drafts, those that were mended later included."""
    rules: dict[str, int]
    """Which findings refused, by drafts."""
    spent: Spent


@dataclass(frozen=True)
class Funnel:
    """A whole foundry."""

    candidates: int
    origins: dict[str, int]
    parts: tuple[Part, ...]
    ends: tuple[tuple[str, str, str, str], ...]
    """Candidate, stage, outcome, reason."""
    admitted: tuple[str, ...]
    retired: tuple[str, ...]
    spent: Spent


def funnel(foundry: Path) -> Funnel:
    """What is on disk."""
    found = folders(foundry)
    every = [(folder, [*folder.earlier(), *folder.results()]) for folder in found]
    parts = []
    for stage in STAGES:
        if stage == "admit":
            admitted = sum(folder.admission() is not None for folder in found)
            parts.append(Part(stage, admitted, {"passed": admitted}, 0, {}, Spent()))
            continue
        last = [result for folder in found if (result := folder.result(stage))]
        all_of = [each for _, results in every for each in results if each.stage == stage]
        failed = [each for each in all_of if each.outcome is Outcome.FAILED]
        parts.append(
            Part(
                stage,
                len(last),
                dict(Counter(each.outcome.value for each in last)),
                len(failed),
                dict(Counter(rule for each in failed for rule in _rules(each))),
                sum((each.usage for each in all_of), Spent()),
            )
        )
    return Funnel(
        len(found),
        dict(Counter(folder.candidate().origin for folder in found)),
        tuple(parts),
        tuple(end_of(folder) for folder in found),
        tuple(said.tool for folder in found if (said := folder.admission())),
        tuple(gone.tool for folder in found if (gone := folder.retirement())),
        sum((spent_by(folder) for folder in found), Spent()),
    )


def as_json(found: Funnel) -> dict[str, Any]:
    """The same as data."""
    said = asdict(found)
    for part, kept in zip(said["parts"], found.parts, strict=True):
        part["spent"] = kept.spent.model_dump()
    return {**said, "spent": found.spent.model_dump()}


def stage_table(found: Funnel) -> Table:
    """A row for each stage."""
    names = ("passed", "failed", "waiting", "error")
    table = Table("stage", "reached", *names, "drafts refused", "by", "calls", "tokens", "cost")
    for part in found.parts:
        rules = ", ".join(f"{rule} {count}" for rule, count in sorted(part.rules.items()))
        table.add_row(
            part.stage,
            str(part.reached),
            *(str(part.outcomes.get(name, 0) or NONE) for name in names),
            str(part.refusals or NONE),
            rules,
            *_spent(part.spent),
        )
    table.add_row("all", str(found.candidates), *[""] * 6, *_spent(found.spent), style="bold")
    return table


def reasons_table(found: Funnel) -> Table:
    """A row for each candidate: where it is, and why."""
    table = Table("candidate", "stage", "outcome", "why")
    for name, stage, outcome, reason in found.ends:
        table.add_row(name, stage, outcome, reason)
    return table


def _spent(said: Spent) -> Sequence[str]:
    if not said.calls:
        return (NONE, NONE, NONE)
    return (str(said.calls), f"{said.input_tokens + said.output_tokens:,}", money(said.dollars))


def _rules(result: StageResult) -> set[str]:
    refused = {each.rule for each in result.findings if each.refused}
    return refused or {result.reason.partition(":")[0]}


def end_of(folder: Folder) -> tuple[str, str, str, str]:
    """Candidate, stage, outcome and reason: where it is now."""
    name = folder.path.name
    if said := folder.retirement():
        return (name, "admit", "retired", said.why)
    if written := folder.admission():
        return (name, "admit", "passed", f"{written.tool}, {written.why}")
    last = folder.last()
    if last is None:
        return (name, NONE, NONE, "not begun")
    return (name, last.stage, last.outcome.value, last.reason.splitlines()[0])
