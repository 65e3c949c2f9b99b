"""What a task's stage depends on: trials with the same key can start from the same saved stage."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import date
from hashlib import sha256

from ambidex.host.records.config import RunConfig
from ambidex.tasks import Task, Verbs
from ambidex.tasks.livemcpbench.body import KeyPointBody
from ambidex.tasks.mcpmark.body import ProgramBody
from ambidex.tasks.osworld.setup_steps import Download
from ambidex.tasks.osworld.task import OSWorldBody
from ambidex.tasks.spec import Put

__all__ = ["StageKey", "assets_of", "only_copies_files", "stage_key"]


@dataclass(frozen=True)
class StageKey:
    """Everything that a setup depends on."""

    task: str
    """The task's name, which is part of its calls' ids."""
    task_hash: str
    """Hash of the task's files, with its setup, its services and the snapshot it starts from."""
    instance: int
    """Number of the task's instance."""
    assets: str
    """Digest of the benchmark's files that it needs."""
    code: str
    """Hash of the code that executes the setup."""
    environment: str
    """Digest of the software environment of that code."""
    provider: str
    image: str
    """Name and id of the image: its packages, the guest's code, the tools."""
    base: str
    """The saved machine that setup starts from (`host.runs.machines.Source.base`): the image's
    build, processors, memory, screen and accelerator, and QEMU's version. No machine of a run has a
    network."""
    catalogue: str
    """Hash of the tools' descriptions."""
    literal_sleeps: bool
    day: str
    """The day, UTC: a setup may write it."""

    @property
    def name(self) -> str:
        """The name of its entry in a `vm.stages.StageStore`: 32 hex digits."""
        return sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:32]


def stage_key(
    task: Task, config: RunConfig, base: str, code: str, environment: str, day: date
) -> StageKey:
    """The key of a task's stage in a run, whose machines start from `base`."""
    return StageKey(
        task=task.name,
        task_hash=task.hash,
        instance=task.instance,
        assets=assets_of(task),
        code=code,
        environment=environment,
        provider=config.provider,
        image=config.image,
        base=base,
        catalogue=config.catalogue,
        literal_sleeps=config.literal_sleeps,
        day=day.isoformat(),
    )


def assets_of(task: Task) -> str:
    """Digest of the benchmark's files that a task needs; empty if it needs none."""
    body = task.body
    return body.assets_digest() if isinstance(body, OSWorldBody | ProgramBody) else ""


def only_copies_files(task: Task) -> bool:
    """Whether a task's setup does nothing but copy files, if anything: it then takes less time than
    restoring a stage, and always gives the same one."""
    match task.body:
        case Verbs() as body:
            return all(isinstance(step, Put) for step in body.spec.setup)
        case KeyPointBody() as body:
            return all(isinstance(step, Put) for step in body.setup)
        case OSWorldBody() as body:
            return all(isinstance(step, Download) for step in body.config)
    return False
