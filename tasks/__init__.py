"""Tasks as data: a directory with a `task.toml`, or an unmodified task of OSWorld,
MCPMark or LiveMCPBench.

    suite = load_suite(Path("tasks/demo"), read_catalogue())    TaskError lists all problems
    suite.tasks[0].spec.instruction

Nothing here touches a machine: the host (`host.loop.stage`) carries out setup and collection, and
evaluators judge. `ambidex prove` proves tasks with their reference solutions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from ambidex.evaluators import Points, Score
from ambidex.tasks.points import score_of_points
from ambidex.tasks.spec import ExportCollect, Facts, TaskSpec

__all__ = [
    "BROWSER",
    "GUI",
    "Body",
    "Problem",
    "Suite",
    "Task",
    "TaskError",
    "ToolSpec",
    "Verbs",
    "Verdict",
    "WrongTaskError",
    "instances_by_name",
    "is_gui",
    "judge_one",
    "verbs_of",
]


GUI = "computer"
"""The app whose tools are mouse, keyboard and screenshot."""
BROWSER = "browser"
"""The app whose tools operate the pages of a web browser."""


def is_gui(app: str) -> bool:
    """Whether the tools of an app act through a user interface (the modality `gui`). Those of every
    other app belong to the modality `tools`."""
    return app in (GUI, BROWSER)


@dataclass(frozen=True)
class ToolSpec:
    """What the host knows about a tool of the guest."""

    name: str
    app: str
    description: str
    parameters: dict[str, Any]
    """JSON schema of the arguments."""
    reads_only: bool
    source: str = "ours"
    """`ours`; `reference`: OSWorld-MCP has it too; `mounted`: provided by a stock server that
    OSWorld-MCP has too; `stock`: of another stock server."""
    mounted: str = ""
    """The stock server with its version."""
    windows: tuple[str, ...] = ()
    """Classes of its app's windows, in lower case; empty if the app has none."""
    service: str = ""
    """The service of the image that the tool acts on, if any."""
    aliases: tuple[str, ...] = ()
    """Other names under which it can be called: those used by OSWorld-MCP."""


@dataclass(frozen=True)
class Problem:
    """One problem of a task, with its location."""

    file: Path
    key: str
    """Such as `setup[0].to`; empty if the problem concerns the whole file."""
    message: str

    def __str__(self) -> str:
        where = f"{self.file}: {self.key}" if self.key else str(self.file)
        return f"{where}: {self.message}"


class TaskError(Exception):
    """Tasks are invalid; raised at load, before any machine exists."""

    def __init__(self, problems: tuple[Problem, ...], *, hint: str = "") -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems
        self.hint = hint


@dataclass(frozen=True)
class WrongTaskError(Exception):
    """Problems of one task, to be collected with those of the others."""

    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class Verdict:
    """The score of the evidence. For a task of another benchmark, `score` is the one that benchmark
    would give (compat), and `strict` the one with the defects of its checks repaired."""

    score: Score
    strict: Score | None = None
    collateral: Mapping[str, int] | None = None
    """By service, the number of changes that no check asks for; None if nothing was compared."""


class Body(Protocol):
    """Setup and collection of a task, as data that `host.loop.stage` carries out, and the judging
    of its evidence."""

    @property
    def check_count(self) -> int:
        """Number of checks on the evidence."""

    def judge(self, evidence: Path) -> Verdict:
        """Judge the evidence of a feasible task, without touching a machine."""


@dataclass(frozen=True)
class Verbs:
    """The body of a task that is defined by a `task.toml`."""

    spec: TaskSpec
    folder: Path
    """The task's directory, with the files that `put` names."""
    checks: tuple[Callable[[Path], Score], ...]

    @property
    def reads(self) -> tuple[Path, ...]:
        """The directories with files that the checks may read."""
        shared = self.folder.parent / "shared"
        return (self.folder, shared) if shared.is_dir() else (self.folder,)

    @property
    def check_count(self) -> int:
        """Number of checks."""
        return len(self.checks)

    def judge(self, evidence: Path) -> Verdict:
        """The lowest score of all checks, or the score of their points if they have some. With it,
        what else changed in the services whose state is evidence."""
        exports = {
            step.export: step.kept_as
            for step in self.spec.collect
            if isinstance(step, ExportCollect)
        }
        if not exports:
            return self._judge(evidence)
        from ambidex.evaluators.exports.collateral import collateral  # only services need it

        checks = [(check.use, check.with_) for check in self.spec.check]
        return replace(self._judge(evidence), collateral=collateral(exports, checks, evidence))

    def _judge(self, evidence: Path) -> Verdict:
        scores = [check(evidence) for check in self.checks]
        worth = [check for check in self.spec.check if check.points]
        if len(worth) == len(scores) and not any(score.wants for score in scores):
            points = [
                Points(check.title, check.points, check.points if score.value == 1 else 0)
                for check, score in zip(worth, scores, strict=True)
            ]
            return Verdict(score_of_points(points, [score.reason for score in scores]))
        worst = min(scores, key=lambda score: (score.value, bool(score.wants)))
        decisive = len(scores) == 1 or worst.value < 1
        return Verdict(worst if decisive else Score(1.0, f"{len(scores)} checks"))

    def share(self, evidence: Path) -> Verdict:
        """The mean score of all checks: partial credit, which no report uses."""
        scores = [check(evidence).value for check in self.checks]
        return Verdict(Score(sum(scores) / len(scores), f"the mean of {len(scores)} checks"))


@dataclass(frozen=True)
class Task:
    """One loaded task: its data is valid, its files exist and its checks are bound."""

    name: str
    hash: str
    """SHA-256 of everything that the task consists of."""
    spec: Facts
    body: Body
    instance: int = 1
    """Its number, from 1. The instances of a task differ in names, figures and files, and share
    name, hash and everything that a report groups by; see `ambidex.tasks.instances`."""
    others: tuple[Task, ...] = ()
    """The instances from 2 on, if this is the first one of several."""

    @property
    def instances(self) -> tuple[Task, ...]:
        """All instances of the task, in order: only itself if it has no others."""
        return (self, *self.others)

    def of_trial(self, trial: int) -> Task:
        """The instance that the trial of this number plays: the instances take turns."""
        return self.instances[(trial - 1) % len(self.instances)]

    def at_instance(self, number: int) -> Task:
        """The instance of that number; `TaskError` if there is none."""
        for task in self.instances:
            if task.instance == number:
                return task
        message = f"no instance {number}: the task has {len(self.instances)}"
        raise TaskError((Problem(Path(self.name), "", message),))

    @property
    def domain(self) -> str:
        """The group to which it belongs in a report."""
        apps = self.spec.apps
        return self.spec.domain or (apps[0] if len(apps) == 1 else "multi" if apps else "")


def judge_one(check: Callable[[Path], Score], evidence: Path) -> Verdict:
    """The score of one check as a verdict, as the box returns it."""
    return Verdict(check(evidence))


def verbs_of(task: Task) -> Verbs:
    """The body of a task defined by a `task.toml`; `TypeError` for any other task."""
    if not isinstance(task.body, Verbs):
        raise TypeError(f"not a task defined by a task.toml: {task.name}")
    return task.body


def instances_by_name(tasks: Iterable[Task]) -> dict[str, Task]:
    """All instances of these tasks, for programs that know tasks by name only: the first one has
    the task's name, the others have `@2`, `@3` and so on after it."""
    return {
        task.name if one.instance == 1 else f"{task.name}@{one.instance}": one
        for task in tasks
        for one in task.instances
    }


@dataclass(frozen=True)
class Suite:
    """The tasks of one directory, sorted by name."""

    name: str
    folder: Path
    tasks: tuple[Task, ...]
    left_out: tuple[LeftOut, ...] = ()
    annotations: Path | None = None
    """The file with annotations to the tasks, if any."""
    tools: Mapping[str, ToolSpec] = field(default_factory=dict)
    """Tools besides the guest's own that its tasks may call (`tasks.toolset`)."""


@dataclass(frozen=True)
class LeftOut:
    """A task that was selected but cannot be run here, with the reason."""

    name: str
    why: str
