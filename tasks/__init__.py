"""Tasks are data, read here and proved by `ambidex prove`: a directory with a `task.toml` in the
guest's own verbs, or a file of OSWorld as it is.

    suite = load_suite(Path("tasks/demo"), read_catalogue())    TaskError lists all problems
    suite.tasks[0].spec.instruction

Nothing here touches a machine: the host (`host.loop.stage`) carries out setup and collection,
evaluators judge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ambidex.evaluators import Score
from ambidex.tasks.spec import Facts, TaskSpec

__all__ = [
    "Body",
    "Problem",
    "Suite",
    "Task",
    "TaskError",
    "ToolSpec",
    "Verbs",
    "Verdict",
    "verbs_of",
]


@dataclass(frozen=True)
class ToolSpec:
    """What a host knows of a tool of the guest."""

    name: str
    app: str
    description: str
    parameters: dict[str, Any]
    """JSON schema of the arguments."""
    reads_only: bool
    source: str = "ours"
    """`ours`; `reference`: OSWorld-MCP has it too; `mounted`: a stock server does it."""
    mounted: str = ""
    """That server, with its version."""
    aliases: tuple[str, ...] = ()
    """Other names by which it may be called: those OSWorld-MCP has for it."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a task, and where."""

    file: Path
    key: str
    """Such as `setup[0].to`; empty where the file as a whole is wrong."""
    message: str

    def __str__(self) -> str:
        where = f"{self.file}: {self.key}" if self.key else str(self.file)
        return f"{where}: {self.message}"


class TaskError(Exception):
    """Tasks that cannot be used as they are, raised at load, before any machine exists."""

    def __init__(self, problems: tuple[Problem, ...], *, hint: str = "") -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems
        self.hint = hint


@dataclass(frozen=True)
class Verdict:
    """What evidence is worth. For a task of another benchmark `score` is what that would give, and
    `strict` what its check means where its defects are mended."""

    score: Score
    strict: Score | None = None


class Body(Protocol):
    """What is done in a guest for a task, as data that `host.loop.stage` carries out, and what its
    evidence is worth."""

    @property
    def asks(self) -> int:
        """How many questions are put to the evidence."""

    def judge(self, evidence: Path) -> Verdict:
        """The verdict on a feasible task; no machine is touched."""


@dataclass(frozen=True)
class Verbs:
    """The body of a `task.toml`."""

    spec: TaskSpec
    folder: Path
    """Where the files lie that `put` names."""
    checks: tuple[Callable[[Path], Score], ...]

    @property
    def asks(self) -> int:
        """How many checks there are."""
        return len(self.checks)

    def judge(self, evidence: Path) -> Verdict:
        """The lowest of all checks."""
        scores = [check(evidence) for check in self.checks]
        worst = min(scores, key=lambda score: (score.value, bool(score.wants)))
        whole = len(scores) == 1 or worst.value < 1
        return Verdict(worst if whole else Score(1.0, f"{len(scores)} checks"))


@dataclass(frozen=True)
class Task:
    """One loaded task: the data is valid, every file it names is there and every check is bound."""

    name: str
    hash: str
    """SHA-256 of all that the task consists of."""
    spec: Facts
    body: Body

    @property
    def domain(self) -> str:
        """Where it belongs in a report."""
        apps = self.spec.apps
        return self.spec.domain or (apps[0] if len(apps) == 1 else "multi" if apps else "")


def verbs_of(task: Task) -> Verbs:
    """The body of a task that a `task.toml` says; `TypeError` for any other."""
    if not isinstance(task.body, Verbs):
        raise TypeError(f"{task.name} is no task of a task.toml")
    return task.body


@dataclass(frozen=True)
class Suite:
    """The tasks of one directory, in the order of their names."""

    name: str
    folder: Path
    tasks: tuple[Task, ...]
    left_out: tuple[LeftOut, ...] = ()
    annotations: Path | None = None
    """The file with what is known of the tasks beside what they say themselves."""


@dataclass(frozen=True)
class LeftOut:
    """A task that was asked for and cannot be run here, and why."""

    name: str
    why: str
