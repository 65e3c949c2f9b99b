"""One trial: an attempt becomes a row, whatever happens. Every error's consequence is decided here,
by the table in `host.errors`."""

from __future__ import annotations

import errno
import shutil
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from ambidex.evaluators import Score
from ambidex.host import Stop
from ambidex.host.agents import roles_of
from ambidex.host.errors import (
    VOID,
    GuestError,
    HostError,
    MachineError,
    ended_by,
    independent_of_agent,
    is_final,
)
from ambidex.host.loop.attempt import Attempt, MakeAgent
from ambidex.host.loop.branch_point import BranchPoint, Runs, branch_point
from ambidex.host.loop.checkpointing import SNAPSHOTS
from ambidex.host.loop.episode import InterruptedEpisodeError
from ambidex.host.loop.outcomes import outcome_of
from ambidex.host.loop.progress import Episode
from ambidex.host.loop.stage_cache import StageCache
from ambidex.host.loop.stage_key import assets_of
from ambidex.host.models.asking import TextModel
from ambidex.host.records.config import SCHEMA, RunConfig
from ambidex.host.records.jobs import Job
from ambidex.host.records.rows import Failure, Parent, Phase, Row
from ambidex.tasks import Suite, Task, Verdict
from ambidex.vm import Machine

__all__ = ["MakeAgent", "Progress", "Trial", "new_folder"]

CONSOLE_LINES = 20
DISK_FULL = (errno.ENOSPC, errno.EDQUOT)


class Progress(Protocol):
    """How far an attempt came."""

    @property
    def phase(self) -> Phase:
        """The stage in progress."""

    @property
    def acted(self) -> int:
        """Calls that the agent has made."""

    @property
    def episode(self) -> Episode:
        """The episode so far."""


@dataclass(frozen=True)
class Trial:
    """Runs one attempt at a job on a machine and returns its row; raises only
    `InterruptedEpisodeError`."""

    config: RunConfig
    suite: Suite
    make_agent: MakeAgent
    run: Path
    """The run's directory."""
    interrupted: Callable[[], bool]
    code: str
    """See `Row.code`."""
    environment: str = ""
    """See `Row.environment`."""
    stages: StageCache | None = None
    """See `Attempt.stages`."""
    colleagues: TextModel | None = None
    """See `Attempt.colleagues`."""
    runs: Runs = Path
    """Where the trials that branches start from are."""

    def attempt(
        self,
        job: Job,
        number: int,
        machine: Machine,
        unproved: int = 0,
        started: Callable[[Attempt], None] = lambda attempt: None,
    ) -> Row:
        """Run the attempt with that number. The machine is reverted first, so its state does not
        matter.

        `unproved` counts earlier attempts that ended void after the agent had acted: one more is
        scored 0. `started` receives the attempt, whose phase and steps can be read as it runs.
        """
        task = self._task(job)
        folder = new_folder(self.run / self.name_of(job))
        identity = self._identity(job, number, task, folder)
        began = time.monotonic()
        attempt = Attempt(
            self.config,
            job,
            task,
            folder,
            machine,
            self.interrupted,
            stages=self.stages,
            colleagues=self.colleagues,
        )
        started(attempt)
        try:
            attempt.point = self._branch_point(job)
            fields = attempt.run(self.make_agent)
        except InterruptedEpisodeError:
            raise
        except VOID as error:
            fields = _void(error, attempt, unproved, _console(machine, error))
        except Exception as error:  # noqa: BLE001 - the one place where a bug becomes a row
            if isinstance(error, OSError) and error.errno in DISK_FULL:
                full = HostError(f"the disk is full: {error}", hint="Free some space.")
                fields = _void(full, attempt, unproved)
            else:
                fields = _bug(error, attempt)
        seconds = {**attempt.seconds, "total": time.monotonic() - began}
        return Row(
            **identity,
            **fields,
            agent_is_root=attempt.agent_is_root,
            stage=attempt.stage,
            seconds={part: round(value, 4) for part, value in seconds.items()},
        )

    def lost(
        self, job: Job, number: int, unproved: int, progress: Progress, error: HostError
    ) -> Row:
        """The row of an attempt whose host was lost while it ran. It came as far as `progress`
        says."""
        folder = self.run / self.name_of(job)
        identity = self._identity(job, number, self._task(job), folder)
        return Row(**identity, **_void(error, progress, unproved))

    def _task(self, job: Job) -> Task:
        """The task of a trial, at its instance."""
        task = next(task for task in self.suite.tasks if task.name == job.task)
        return task.at_instance(job.instance) if job.instance else task.of_trial(job.trial)

    def name_of(self, job: Job) -> str:
        """The trial's directory: `<task>.<trial>`, with the agent's name where several share a
        run."""
        if len(self.config.agents) == 1:
            return f"{job.task}.{job.trial}"
        return f"{job.task}.{job.agent.replace(':', '-').replace('/', '-')}.{job.trial}"

    def _identity(self, job: Job, number: int, task: Task, folder: Path) -> dict[str, Any]:
        """The row's fields that are known before the attempt."""
        config = self.config
        return {
            "schema_number": SCHEMA,
            "suite": self.suite.name,
            "task": task.name,
            "task_hash": task.hash,
            "instance": task.instance,
            "agent": job.agent,
            "trial": job.trial,
            "attempt": number,
            "condition": config.condition,
            "tool_beneficial": task.spec.tool_beneficial,
            "feasible": task.spec.feasible,
            "useful_tools": tuple(task.spec.useful_tools),
            "domain": task.domain,
            "threshold": config.threshold,
            "model": config.model.name if config.model and roles_of(job.agent) else "",
            "folder": folder.name,
            "config": config.hash,
            "code": self.code,
            "provider": config.provider,
            "environment": self.environment,
            "assets": assets_of(task),
            "parent": self._parent(job),
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
        }

    def _branch_point(self, job: Job) -> BranchPoint | None:
        fork = self.config.fork
        return branch_point(fork, job.branch, self.runs) if fork and job.branch else None

    def _parent(self, job: Job) -> Parent | None:
        fork, branch = self.config.fork, job.branch
        if fork is None or branch is None:
            return None
        return Parent(
            run=fork.run,
            trial=branch.trial,
            step=branch.step,
            hand=fork.hand or "",
            given=fork.given or "",
        )


def _void(error: Exception, attempt: Progress, unproved: int, console: str = "") -> dict[str, Any]:
    """The row's fields of an attempt that machine, guest, host, model or a person ended."""
    failure = _failure(error, attempt.acted, console)
    fields = {
        "failure": failure,
        "ended_by": ended_by(error),
        "phase": attempt.phase,
        "acted": attempt.acted,
    }
    if not (unproved and attempt.acted and not failure.proved):
        return {"fate": "void", **fields}
    cause = f"{type(error).__name__} during {attempt.phase}: {error}"
    reason = f"scored 0: it failed twice after the agent had acted. {cause}"
    outcome = outcome_of(attempt.episode, Verdict(Score(0.0, reason)), Stop.DONE)
    return {**dict(outcome), "fate": "scored", "stop": None, "forfeit": cause, **fields}


def _bug(error: Exception, attempt: Attempt) -> dict[str, Any]:
    """The row's fields of an attempt that an error of ours ended."""
    trace = "".join(traceback.format_exception(error))
    return {
        "fate": "bug",
        "failure": _failure(error, attempt.acted).model_copy(update={"traceback": trace}),
        "ended_by": "harness",
        "phase": attempt.phase,
        "acted": attempt.acted,
    }


def _failure(error: Exception, acted: int, console: str = "") -> Failure:
    return Failure(
        type=type(error).__name__,
        message=str(error),
        hint=str(getattr(error, "hint", "")),
        console=console,
        final=is_final(error, acted),
        proved=independent_of_agent(error),
    )


def _console(machine: Machine, error: Exception) -> str:
    """The last lines of the machine's console, where machine or guest failed."""
    if not isinstance(error, MachineError | GuestError):
        return ""
    try:
        return "\n".join(machine.console().splitlines()[-CONSOLE_LINES:])
    except (MachineError, OSError) as console_error:
        return f"(no console: {console_error})"


def new_folder(folder: Path) -> Path:
    """An empty directory. One that an earlier attempt left is renamed."""
    if folder.exists():
        number = 1
        while (aside := folder.with_name(f"{folder.name}.earlier-{number}")).exists():
            number += 1
        folder.rename(aside)
        # Checkpoints are large, and nothing starts from those of a failed attempt.
        shutil.rmtree(aside / SNAPSHOTS, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
