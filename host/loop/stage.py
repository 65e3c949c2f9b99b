"""Setting a task's stage in the guest and collecting its evidence, for every kind of task."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ambidex.evaluators.key_points import CALLS
from ambidex.evaluators.manifest import NAME as MANIFEST
from ambidex.evaluators.manifest import Manifest, Source
from ambidex.host.accounts.opening import Account
from ambidex.host.client.disk_files import DiskFiles
from ambidex.host.client.evidence_files import EvidenceFiles
from ambidex.host.client.guest import Guest
from ambidex.host.errors import GuestError
from ambidex.host.loop import program_steps, task_steps
from ambidex.host.osworld import stage as osworld
from ambidex.tasks import Task, Verbs
from ambidex.tasks.livemcpbench.body import KeyPointBody
from ambidex.tasks.mcpmark.body import ProgramBody
from ambidex.tasks.osworld.task import OSWorldBody
from ambidex.vm.disk.guest_disk import GuestDisk

__all__ = ["STAGE", "StageContext", "collect", "set_stage"]

STAGE = "stage"
"""The directory of a trial in which its setup stores what collection needs."""


SETUP_WITHIN = 3600.0
COLLECT_WITHIN = 1800.0
"""Seconds for a whole setup, and for a whole collection: far more than any task needs. They keep a
guest that answers each request slowly from delaying a run for ever."""


@dataclass(frozen=True)
class StageContext:
    """What setup and collection may use besides the guest."""

    kept: Path
    """A directory of the trial in which setup stores what collection needs."""
    fresh: Callable[[], AbstractContextManager[Guest]]
    """Opens a reverted guest, for content that must be run to be judged. The trial's own guest may
    be gone afterwards."""
    literal_sleeps: bool = False
    """Whether a task's pauses are slept through, instead of waiting for what they are for."""
    agent_is_root: bool = False
    """Whether the agent could become root, as known before it acted: root can change the guest's
    own answer."""
    disk: Callable[[], AbstractContextManager[GuestDisk]] | None = None
    """Pauses the machine and opens its disk; None if that cannot be read on this host."""
    fork: Callable[[], AbstractContextManager[Guest]] | None = None
    """Opens a fork of the machine; raises `UnforkableError` if it cannot be forked."""
    replies: Callable[[], Sequence[str]] = tuple
    """What the agent has said, in order."""
    calls: Callable[[], Sequence[Mapping[str, Any]]] = tuple
    """Its calls with the tools' output, in order; see `host.records.trajectory.calls_of`."""
    account: Account | None = None
    """What the task has in an account of the user's."""


def set_stage(
    task: Task,
    guest: Guest,
    context: StageContext | None = None,
    *,
    within: float = SETUP_WITHIN,
) -> None:
    """Execute the task's setup. `StageError` names the step that failed and why, `TooSlowError`
    says that it took longer than `within` seconds. Of the tasks with a `task.toml`, only those that
    collect changes need a context."""
    with guest.within(within, f"the setup of {task.name}"):
        match task.body:
            case Verbs() as body:
                task_steps.set_stage(task.name, body, guest, context.kept if context else None)
            case ProgramBody() as body:
                account = context.account if context else None
                program_steps.set_stage(task.name, body, guest, account)
            case KeyPointBody() as body:
                task_steps.set_up(task.name, body.setup, body.folder, guest)
            case OSWorldBody() as body if context is not None:
                osworld.set_stage(task.name, body, guest, context.kept, context.literal_sleeps)
            case other:
                raise TypeError(f"{task.name}: cannot set the stage of a {type(other).__name__}")


def collect(
    task: Task,
    guest: Guest,
    evidence: Path,
    answer: str | None,
    context: StageContext | None = None,
    *,
    within: float = COLLECT_WITHIN,
) -> None:
    """Collect the task's evidence into the new directory `evidence`; `TooSlowError` where that
    takes longer than `within` seconds.

    What does not exist is left out, for the judge to notice. The agent's answer is `answer.txt`;
    `evidence.json` says where each piece came from. The desktop is frozen afterwards. Where the
    agent is root, files are read from the disk of the paused machine, if the context has it.
    """
    evidence.mkdir()
    root = (context is not None and context.agent_is_root) or guest.health().agent_is_root
    if answer is not None:
        (evidence / "answer.txt").write_text(answer, encoding="utf-8")
    what = f"collecting the evidence of {task.name}"
    open_files = partial(_open_files, guest, context.disk if root and context else None)
    with guest.within(within, what):
        match task.body:
            case Verbs() as body:
                kept = context.kept if context else None
                sources = task_steps.collect(task.name, body, guest, evidence, kept, open_files)
            case ProgramBody() as body if context is not None:
                sources = program_steps.collect(
                    body,
                    guest,
                    evidence,
                    task.spec.services,
                    task.spec.instruction,
                    context.replies(),
                    context.fork,
                    context.account,
                )
            case KeyPointBody() if context is not None:
                calls = json.dumps(context.calls(), ensure_ascii=False)
                # Models do write lone surrogates, which are not valid UTF-8.
                (evidence / CALLS).write_text(calls, encoding="utf-8", errors="backslashreplace")
                sources = {CALLS: Source(by="session", asked="the agent's calls", state="answered")}
            case OSWorldBody() as body if context is not None:

                @contextmanager
                def fresh() -> Iterator[Guest]:
                    with context.fresh() as other, other.within(guest.left or within, what):
                        yield other

                kept, literal = context.kept, context.literal_sleeps
                sources = osworld.collect(
                    task.name, body, guest, evidence, kept, literal, fresh, open_files
                )
            case other:
                raise TypeError(f"{task.name}: cannot collect for a {type(other).__name__}")
    manifest = Manifest(agent_is_root=root, sources=sources)
    (evidence / MANIFEST).write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")


@contextmanager
def _open_files(
    guest: Guest, disk: Callable[[], AbstractContextManager[GuestDisk]] | None
) -> Iterator[EvidenceFiles]:
    """The files of a frozen guest: as its collector reads them or, with a disk in a form that is
    supported, as the host reads them while the whole machine is paused."""
    if disk is None:
        yield EvidenceFiles(guest, "collector")
        return
    # An agent that is root can prevent this: it only loses its latest writes.
    with suppress(GuestError):
        guest.sync()
    with disk() as opened:
        files = DiskFiles(opened)
        if files.readable:
            yield EvidenceFiles(files, "disk", files.home)
            return
    yield EvidenceFiles(guest, "collector")
