"""A benchmark's checkout: which of its tasks are selected, and which of those can run here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ambidex.tasks import LeftOut, Problem, Suite, Task, TaskError

__all__ = ["OFFLINE", "Net", "Selection", "SurveyedTask", "refuse_unsuited", "suite_of"]

Net = Literal["offline", "prebake", "stub", "replay", "install", "live", "web", "gdrive"]
"""offline: at most files of the benchmark. prebake: packages that an image can contain. stub: sites
only as background; replay: sites that do not change; live: sites that do. install: software from
elsewhere. web: a site of unknown kind. gdrive: a Google account."""

OFFLINE: tuple[Net, ...] = ("offline", "prebake")
"""What needs no network while a task is played."""

OPTIONS = ("list", "net", "annotations", "service", "task_suite", "category")
"""The fields of a selection that do not apply to every kind of suite."""


@dataclass(frozen=True)
class Selection:
    """A selection of tasks of a suite; each kind of suite refuses the fields that do not apply."""

    tasks: Sequence[str] = ()
    """Names of tasks; of a benchmark, groups of them too."""
    list: Path | None = None
    """A file of ids by domain, such as OSWorld's `test_all.json`."""
    net: Sequence[Net] = ()
    """Select only tasks that need one of these networks."""
    annotations: Path | None = None
    """A file with annotations of OSWorld's tasks."""
    service: Sequence[str] = ()
    """Select only MCPMark's tasks on these services."""
    task_suite: Sequence[str] = ()
    """Select only these of MCPMark's suites, such as `easy`."""
    category: Sequence[str] = ()
    """Select only these of MCPMark's categories."""
    unready: bool = False
    """Include tasks that lack files or keys here: their evidence can still be judged."""


def refuse_unsuited(
    selection: Selection, folder: Path, kind: str, suited: Sequence[str] = ()
) -> None:
    """`TaskError` if the selection uses an option that does not apply to this kind of suite."""
    unsuited = [
        f"--{field.replace('_', '-')}"
        for field in OPTIONS
        if getattr(selection, field) and field not in suited
    ]
    if unsuited:
        message = f"{', '.join(unsuited)}: not for {kind}, which this folder holds"
        raise TaskError((Problem(folder, "", message),))


@dataclass(frozen=True)
class SurveyedTask:
    """One task of a benchmark, as far as it could be read."""

    name: str
    id: str
    path: Path
    problems: tuple[Problem, ...] = ()
    task: Task | None = None
    """None if there are problems."""
    net: Net = "offline"
    missing: tuple[str, ...] = ()
    """URLs of the benchmark's files that the asset store lacks."""
    needs: tuple[str, ...] = ()
    """Requirements that are not met here."""

    @property
    def why_not(self) -> str:
        """Why it cannot be run; empty if it can."""
        if self.problems:
            return "; ".join(str(problem) for problem in self.problems)
        if self.needs:
            return f"it needs {', '.join(self.needs)}"
        if self.missing:
            return f"{len(self.missing)} of its files are not in the asset store"
        return ""


def suite_of(folder: Path, files: Sequence[SurveyedTask], selection: Selection) -> Suite:
    """The surveyed tasks that can be run, as a suite; the others are listed in `left_out`.
    `TaskError` if none remains."""
    tasks = tuple(
        file.task for file in files if file.task and (selection.unready or not file.why_not)
    )
    names = {task.name for task in tasks}
    out = tuple(LeftOut(file.name, file.why_not) for file in files if file.name not in names)
    if not tasks:
        problems = [problem for file in files for problem in file.problems]
        problems += [Problem(file.path, "", file.why_not) for file in files if not file.problems]
        hint = "`ambidex assets fetch` downloads files; `ambidex check` lists what each task needs."
        raise TaskError(tuple(problems), hint=hint)
    return Suite(folder.resolve().name, folder, tasks, out, selection.annotations)
