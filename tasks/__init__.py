"""Tasks are data: a directory with a `task.toml` in the guest's own verbs, read here, proved by
`ambidex prove`.

    suite = load_suite(Path("tasks/demo"), read_catalogue())    TaskError lists all problems
    suite.tasks[0].spec.instruction

Nothing here touches a machine: setup and collection are carried out by the host, judging by
evaluators.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluators import Score
from tasks.spec import TaskSpec

__all__ = ["Problem", "Suite", "Task", "TaskError", "ToolSpec"]


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
class Task:
    """One loaded task: the data is valid, every file it names is there and every check is bound."""

    name: str
    folder: Path
    hash: str
    """SHA-256 over the names and contents of all files of the directory."""
    spec: TaskSpec
    checks: tuple[Callable[[Path], Score], ...]


@dataclass(frozen=True)
class Suite:
    """The tasks of one directory, in the order of their names."""

    name: str
    folder: Path
    tasks: tuple[Task, ...]
