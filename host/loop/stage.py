"""Setting a task's stage in the guest, and collecting what is to be judged, whatever form the task
has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ambidex.evaluators.manifest import NAME as MANIFEST
from ambidex.evaluators.manifest import Manifest
from ambidex.host.client.guest import Guest
from ambidex.host.loop import task_steps
from ambidex.host.osworld import stage as osworld
from ambidex.tasks import Task, Verbs
from ambidex.tasks.osworld.task import OSWorldBody

__all__ = ["STAGE", "Backstage", "collect", "set_stage"]

STAGE = "stage"
"""Where what a setup leaves behind for the collecting lies, in a trial's directory."""


SETUP_WITHIN = 3600.0
COLLECT_WITHIN = 1800.0
"""Seconds that a whole setup, and a whole collecting, may take: far more than any task needs, so
that a guest that answers slowly each time cannot hold a run up for ever."""


@dataclass(frozen=True)
class Backstage:
    """What setting and collecting may use beside the guest itself."""

    kept: Path
    """A directory of the trial for what its setup leaves behind for the collecting."""
    fresh: Callable[[], AbstractContextManager[Guest]]
    """A guest as new, for content that has to be run to be judged. The trial's own may be gone
    after it."""
    literal_sleeps: bool = False
    """Whether a pause that a task asks for is slept through, instead of waiting for what it was
    for."""


def set_stage(
    task: Task,
    guest: Guest,
    backstage: Backstage | None = None,
    *,
    within: float = SETUP_WITHIN,
) -> None:
    """Carry out the task's setup; `StageError` names the step that failed and what was seen, and
    `TooSlowError` says that it took longer than `within` seconds. Of the tasks with a `task.toml`
    only those that collect changes need something backstage."""
    with guest.within(within, f"the setup of {task.name}"):
        match task.body:
            case Verbs() as body:
                task_steps.set_stage(task.name, body, guest, backstage.kept if backstage else None)
            case OSWorldBody() as body if backstage is not None:
                osworld.set_stage(task.name, body, guest, backstage.kept, backstage.literal_sleeps)
            case other:
                raise TypeError(f"{task.name}: nobody sets the stage of a {type(other).__name__}")


def collect(
    task: Task,
    guest: Guest,
    evidence: Path,
    answer: str | None,
    backstage: Backstage | None = None,
    *,
    within: float = COLLECT_WITHIN,
) -> None:
    """Collect what the task is judged by into the directory `evidence`; `TooSlowError` where that
    takes longer than `within` seconds.

    What is not there is left out: its absence is for the judge. The agent's answer is `answer.txt`;
    `evidence.json` says where each piece came from. The desktop stands frozen afterwards.
    """
    evidence.mkdir()
    root = guest.health().agent_is_root
    if answer is not None:
        (evidence / "answer.txt").write_text(answer, encoding="utf-8")
    what = f"collecting what {task.name} is judged by"
    with guest.within(within, what):
        match task.body:
            case Verbs() as body:
                kept = backstage.kept if backstage else None
                sources = task_steps.collect(task.name, body, guest, evidence, kept)
            case OSWorldBody() as body if backstage is not None:

                @contextmanager
                def fresh() -> Iterator[Guest]:
                    with backstage.fresh() as other, other.within(guest.left or within, what):
                        yield other

                kept, literal = backstage.kept, backstage.literal_sleeps
                sources = osworld.collect(task.name, body, guest, evidence, kept, literal, fresh)
            case other:
                raise TypeError(f"{task.name}: nobody collects for a {type(other).__name__}")
    manifest = Manifest(agent_is_root=root, sources=sources)
    (evidence / MANIFEST).write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")
