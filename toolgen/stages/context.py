"""What every stage works with, and what it says at its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ambidex.host.errors import UsageError
from ambidex.tasks import Task, ToolSpec
from ambidex.tasks.load import load_suite
from ambidex.toolgen import Candidate, Finding, Outcome
from ambidex.toolgen.guests import Workplace
from ambidex.toolgen.models.asking import Talk
from ambidex.toolgen.stages.measurement import Measured
from ambidex.toolgen.store import Folder

__all__ = ["Ended", "Shop", "task_of"]


@dataclass(frozen=True)
class Shop:
    """One candidate at work."""

    folder: Folder
    candidate: Candidate
    catalogue: Mapping[str, ToolSpec]
    talk: Talk
    workplace: Workplace
    root: Path
    """Of the tree whose mcp_tools/ the tool is to join."""
    measured: Measured | None = None
    say: Callable[[str], None] = field(default=print)


@dataclass(frozen=True)
class Ended:
    """How a stage ended, before it is dated and kept."""

    outcome: Outcome
    reason: str
    findings: tuple[Finding, ...] = ()
    evidence: tuple[str, ...] = ()


def task_of(said: Candidate, catalogue: Mapping[str, ToolSpec]) -> Task | None:
    """The task that a candidate was made from; None where there is none. `UsageError` where it is
    another one by now."""
    if not said.task:
        return None
    folder = Path(said.task)
    suite = load_suite(folder.parent, catalogue, (folder.name,))
    task = suite.tasks[0]
    if task.hash != said.task_hash:
        raise UsageError(
            f"the task {folder} has changed since {said.name} was proposed",
            hint="Propose it again under another name.",
        )
    return task
