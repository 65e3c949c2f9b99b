"""The input and the result of a stage's function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ambidex.host.errors import UsageError
from ambidex.tasks import Task, ToolSpec
from ambidex.tasks.load import load_suite
from ambidex.toolgen import Candidate, Finding, Outcome
from ambidex.toolgen.guests import DraftMachine
from ambidex.toolgen.models.asking import Conversation
from ambidex.toolgen.stages.measurement import MeasureOptions
from ambidex.toolgen.store import Folder

__all__ = ["StageContext", "StageReport", "task_of"]


@dataclass(frozen=True)
class StageContext:
    """One candidate and what its stages need."""

    folder: Folder
    candidate: Candidate
    catalogue: Mapping[str, ToolSpec]
    conversation: Conversation
    machine: DraftMachine
    root: Path
    """Root of the source tree whose mcp_tools/ the tool is for."""
    measuring: MeasureOptions | None = None
    say: Callable[[str], None] = field(default=print)


@dataclass(frozen=True)
class StageReport:
    """How a stage ended, before the pipeline dates and stores it as a `StageResult`."""

    outcome: Outcome
    reason: str
    findings: tuple[Finding, ...] = ()
    evidence: tuple[str, ...] = ()


def task_of(candidate: Candidate, catalogue: Mapping[str, ToolSpec]) -> Task | None:
    """The task that a candidate was made from, or None. `UsageError` if the task has changed since
    then."""
    if not candidate.task:
        return None
    folder = Path(candidate.task)
    suite = load_suite(folder.parent, catalogue, (folder.name,))
    task = suite.tasks[0]
    if task.hash != candidate.task_hash:
        raise UsageError(
            f"the task {folder} has changed since {candidate.name} was proposed",
            hint="Propose it again under another name.",
        )
    return task
