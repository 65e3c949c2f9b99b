"""Saved stages: a task's setup is executed twice, and later trials start where it ended.

    (no record)   a trial executes the setup; its inventory is recorded         `seen`
    seen          another trial does. Its inventory is equal: the machine is
                  saved, with what the setup stored for collection              `saved`
                  The inventories differ: the stage is never saved              `refused`
    saved         a trial restores the stage and executes no setup

Each key (`stage_key`) has an entry in a `vm.stages.StageStore`. Nobody waits for anybody: while one
trial saves a stage, another executes the setup for itself.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from ambidex.evaluators.strict import Strict
from ambidex.host.client.guest import Guest
from ambidex.host.errors import MachineError
from ambidex.host.loop.stage_inventory import differences, take_inventory
from ambidex.host.loop.stage_key import StageKey, only_copies_files, stage_key
from ambidex.host.records.code import code_hash
from ambidex.host.records.config import RunConfig
from ambidex.tasks import Task
from ambidex.vm import Machine
from ambidex.vm.stages import StageStore, delete_entry, entries
from ambidex.vm.store import tree_digest
from ambidex.vm.whole_files import write_whole

__all__ = ["StageCache", "StageRecord", "open_stages", "outdated", "read_record"]

RECORD, FILES, MACHINE, CHECKPOINT = "record.json", "files", "machine", "stage"
"""What an entry holds: its record, what the setup stored for collection, and the folder of the
machine's checkpoint."""
SETTLE = 5.0
"""Seconds in which the screen must become still before a stage is saved; more while a program is
busy."""
MOVING = "the screen does not become still"
MOST_NAMED = 5
"""Differences that a message names."""


class StageRecord(Strict):
    """What is known of a key."""

    state: Literal["seen", "saved", "refused"]
    task: str
    code: str
    """As in the key, like `day`: entries of other code or of another day are never used again."""
    day: str
    inventory: dict[str, dict[str, str]] = Field(default_factory=dict)
    """Of the first setup, until there is a second one."""
    differences: tuple[str, ...] = ()
    """Why the stage is not saved: what differed between two setups, by name."""
    problem: str = ""
    """Why the stage is not saved, if it is for another reason; or why the last setup does not
    count."""
    files: str = ""
    """Digest of what the setup stored for collection; empty if it stored nothing."""


@dataclass(frozen=True)
class StageCache:
    """The stages of a run's tasks, for all threads of the run."""

    store: StageStore
    key_of: Callable[[Task], StageKey]
    """The key of a task's stage at this time."""
    say: Callable[[str], None] = lambda text: None
    """Receives, once for each task, why its stage is not saved."""
    told: set[str] = field(default_factory=set)
    """Tasks whose reason `say` has received."""

    @contextmanager
    def restored(self, task: Task, machine: Machine, files: Path) -> Iterator[bool]:
        """Revert the machine to the task's stage for the block, and copy what the setup stored for
        collection to the new directory `files`; False if there is no stage, and the machine is to
        be reverted by other means. The stage is not evicted before the block ends."""
        if _differing(task) or only_copies_files(task):
            yield False
            return
        key = self.key_of(task).name
        unusable = False
        with self.store.reading(key) as entry:
            record = read_record(entry) if entry else None
            if entry and record and record.state == "saved":
                if _restore(entry, record, task, machine, files):
                    yield True
                    return
                unusable = True
        if unusable:
            delete_entry(self.store.entry(key))
        yield False

    def offer(self, task: Task, machine: Machine, guest: Guest, files: Path) -> None:
        """Record the inventory of a setup that has just been executed or, if an earlier setup left
        the same, save the machine as the task's stage. `files` is the directory of what the setup
        stored for collection; it need not exist.

        `MachineError` if the machine cannot be saved, which is not tried again for this key.
        """
        if why := _differing(task):
            self._tell(task.name, why)
            return
        if only_copies_files(task):
            return
        key = self.key_of(task)
        record = read_record(self.store.entry(key.name))
        if record is None or record.state == "seen":
            still = guest.health().screen is None or _becomes_still(guest)
            inventory = take_inventory(guest, task.spec.services)
            if self.key_of(task) != key:  # midnight has passed
                return
            try:
                record = self.admit(key, inventory, machine, files, "" if still else MOVING)
            except OSError as error:  # this computer's disk is full
                self.say(f"the stage of {task.name} was not saved: {error}")
        if record and record.state == "refused":
            self._tell(task.name, _explain(record))

    def admit(
        self,
        key: StageKey,
        inventory: Mapping[str, Mapping[str, str]],
        machine: Machine,
        files: Path,
        problem: str = "",
    ) -> StageRecord | None:
        """Compare the inventory with the one of an earlier setup, and save the machine if they are
        equal. Returns the new record; None if another trial uses the entry. A setup with a
        `problem` does not count, and two in a row with the same one refuse the stage. `OSError` if
        this computer's disk is full, `MachineError` as in `offer`."""
        record = StageRecord.model_validate(
            {
                "state": "seen",
                "task": key.task,
                "code": key.code,
                "day": key.day,
                "inventory": inventory,
            }
        )
        with self.store.writing(key.name) as entry:
            if entry is None:
                return None
            first = read_record(entry)
            if first and first.state != "seen":
                return first
            if problem and first and first.problem == problem:
                record = _refused(record, problem=problem)
            elif problem:
                earlier = first.inventory if first else {}
                record = record.model_copy(update={"inventory": earlier, "problem": problem})
            elif first and first.inventory:
                if differing := differences(first.inventory, inventory):
                    record = _refused(record, differing)
                else:
                    record = _save(entry, record, machine, files)
            _write_record(entry, record)
        if record.state == "saved":
            self.store.evict()
        return record

    def _tell(self, task: str, reason: str) -> None:
        if task not in self.told:
            self.told.add(task)
            self.say(f"the setup of {task} is executed in every trial: {reason}")


def open_stages(
    config: RunConfig, store: StageStore | None, environment: str, say: Callable[[str], None]
) -> StageCache | None:
    """The stages of a run; None if it uses none: with `no_stage_cache`, without a store, if it
    saves checkpoints of its own, and if its trials are branches. Entries of other days are deleted.
    """
    if store is None or config.no_stage_cache or config.keep or config.fork:
        return None

    def key_of(task: Task) -> StageKey:
        today = datetime.now(UTC).date()
        return stage_key(task, config, store.base, code_hash(), environment, today)

    today = datetime.now(UTC).date().isoformat()
    for entry in entries(store.folder):
        record = read_record(entry)
        if record and record.day != today:
            delete_entry(entry)
    return StageCache(store, key_of, say)


def outdated(folder: Path) -> list[Path]:
    """The entries in a folder of stages that nothing can use: of another day or other code, or
    without a record."""
    code, day = code_hash(), datetime.now(UTC).date().isoformat()
    records = {entry: read_record(entry) for entry in entries(folder)}
    return [
        entry
        for entry, record in records.items()
        if record is None or (record.code, record.day) != (code, day)
    ]


def read_record(entry: Path) -> StageRecord | None:
    """The record of an entry; None if there is none, or none that can be read."""
    try:
        return StageRecord.model_validate_json((entry / RECORD).read_bytes())
    except (OSError, ValidationError):
        return None


def _write_record(entry: Path, record: StageRecord) -> None:
    write_whole(entry / RECORD, record.model_dump_json())


def _refused(
    record: StageRecord, differing: tuple[str, ...] = (), problem: str = ""
) -> StageRecord:
    """The record of a stage that is never saved."""
    reasons = {"differences": differing, "problem": problem}
    return record.model_copy(update={"state": "refused", "inventory": {}, **reasons})


def _differing(task: Task) -> str:
    """Why setups of the task may leave different stages, as far as the task says; empty if not."""
    if not task.spec.reproducible:
        return "the task says that its setup is not reproducible"
    return "the task needs a network" if task.spec.network else ""


def _becomes_still(guest: Guest) -> bool:
    """Whether the screen becomes still. The guest ignores programs that did not come to rest in one
    wait, so a second one depends on the screen alone."""
    return any(guest.screenshot(settle=SETTLE).still for _ in range(2))


def _save(entry: Path, record: StageRecord, machine: Machine, files: Path) -> StageRecord:
    """Save the machine and the files in the entry; returns the record that says so, which is to be
    written last."""
    for leftover in (entry / FILES, entry / MACHINE):
        if leftover.exists():
            shutil.rmtree(leftover)
    try:
        if files.is_dir():
            shutil.copytree(files, entry / FILES)
        (entry / MACHINE).mkdir()
        machine.snapshot(entry / MACHINE / CHECKPOINT)
    except OSError:
        shutil.rmtree(entry / MACHINE, ignore_errors=True)
        raise
    except MachineError as error:
        reason = f"the machine could not be saved: {error}"
        _write_record(entry, _refused(record, problem=reason))
        raise
    update = {"state": "saved", "inventory": {}, "files": _digest(entry / FILES)}
    return record.model_copy(update=update)


def _restore(entry: Path, record: StageRecord, task: Task, machine: Machine, files: Path) -> bool:
    """Whether the machine and the files could be restored."""
    if _digest(entry / FILES) != record.files:
        return False
    try:
        machine.revert(entry / MACHINE / CHECKPOINT, task.spec.services)
    except MachineError:
        return False
    if record.files:
        shutil.copytree(entry / FILES, files)
    return True


def _digest(folder: Path) -> str:
    return tree_digest([folder]) if folder.is_dir() else ""


def _explain(record: StageRecord) -> str:
    if record.problem:
        return record.problem
    named = ", ".join(record.differences[:MOST_NAMED])
    more = len(record.differences) - MOST_NAMED
    return f"two setups differed in {named}{f' and {more} more' if more > 0 else ''}"
