"""Stages of tasks on scripted machines: set, set, restored."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from ambidex.host.errors import MachineError
from ambidex.host.loop.stage_cache import StageCache, StageRecord, outdated, read_record
from ambidex.host.loop.stage_key import StageKey
from ambidex.host.records.config import CheckpointPolicy
from ambidex.host.records.rows import Row
from ambidex.host.runs.runner import SilentWatcher
from ambidex.tasks import Suite
from ambidex.tasks.load import load_suite
from ambidex.vm import Place, Program
from ambidex.vm.stages import StageStore, delete_entry, entries
from tests.support.killed import killed_at_each_event
from tests.support.peer import CATALOGUE, PeerMachine
from tests.support.suites import CELL, config_of, run_in, write_suite

MANY = 10**9
"""A budget of bytes that nothing exceeds."""
CHANGES = CELL.replace("collect = [\n", 'collect = [\n    { changes = "changes.json" },\n')
"""A task whose setup stores something for collection."""


class Heard(SilentWatcher):
    """Keeps the messages of a run."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def message(self, text: str) -> None:
        self.messages.append(text)


class Stamped(PeerMachine):
    """A machine on which every revert to `ready` leaves another file."""

    def revert(self, snapshot: Place, services: object = None) -> None:
        super().revert(snapshot, services)
        if snapshot == "ready":
            self.desktops[-1].files["~/stamp"] = str(len(self.reverts)).encode()


class Unsaved(PeerMachine):
    """A machine that cannot be saved."""

    error: Exception = MachineError("QEMU refused")

    def snapshot(self, name: Place, programs: Sequence[Program] = ()) -> None:
        raise self.error


@pytest.fixture
def tasks(tmp_path: Path) -> Suite:
    return load_suite(write_suite(tmp_path / "tasks", cell=CHANGES), CATALOGUE)


@pytest.fixture
def store(tmp_path: Path) -> StageStore:
    return StageStore(tmp_path / "stages", "base", MANY)


def play(
    folder: Path,
    suite: Suite,
    store: StageStore,
    machine: PeerMachine,
    watcher: Heard | None = None,
    **fields: object,
) -> list[Row]:
    config = config_of(suite, **{"runs": 3, "agents": ("oracle:tools",), **fields})
    watcher = watcher or Heard()
    return run_in(folder, suite, config, lambda: machine, watcher=watcher, stages=store)


def stages_of(rows: Sequence[Row]) -> list[str]:
    return [row.stage for row in rows]


def test_after_two_equal_setups_a_trial_restores_the_stage_and_scores_the_same(
    tmp_path: Path, tasks: Suite, store: StageStore
) -> None:
    machine = PeerMachine()
    rows = play(tmp_path / "run", tasks, store, machine)
    assert stages_of(rows) == ["set", "set", "restored"]
    assert [row.score for row in rows] == [1.0] * 3
    *fresh, stage = machine.reverts
    assert fresh == ["ready", "ready"]
    assert isinstance(stage, Path)
    assert [row.seconds.keys() & {"stage"} for row in rows] == [{"stage"}, {"stage"}, set()]
    asked = [[call["ambidex/call"] for call in desktop.asked] for desktop in machine.desktops]
    assert [calls.count("cell-setup-2") for calls in asked] == [1, 1, 1], "the third is the stage's"
    before = [(tmp_path / "run" / row.folder / "stage" / "before.json") for row in rows]
    assert before[1].read_bytes() == before[2].read_bytes(), "what the setup stored is there again"
    changed = [tmp_path / "run" / row.folder / "evidence" / "changes.json" for row in rows]
    assert len({path.read_bytes() for path in changed}) == 1

    later = play(tmp_path / "later", tasks, store, PeerMachine(), runs=1)
    assert stages_of(later) == ["restored"], "stages are for later runs, too"


def test_a_stage_that_two_setups_leave_different_is_never_saved_and_the_reason_is_said_once(
    tmp_path: Path, tasks: Suite, store: StageStore
) -> None:
    machine, heard = Stamped(), Heard()
    rows = play(tmp_path / "run", tasks, store, machine, heard, runs=4)
    assert stages_of(rows) == ["set"] * 4
    assert heard.messages == [
        "the setup of cell is executed in every trial: two setups differed in /home/user/stamp"
    ]
    play(tmp_path / "later", tasks, store, machine, later := Heard(), runs=1)
    assert later.messages == heard.messages


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("reproducible = false", "the task says that its setup is not reproducible"),
        ("network = true", "the task needs a network"),
    ],
)
def test_a_task_can_say_that_its_setups_differ(
    tmp_path: Path, store: StageStore, line: str, why: str
) -> None:
    folder = write_suite(tmp_path / "suite", cell=f"{line}\n{CELL}")
    suite, heard = load_suite(folder, CATALOGUE), Heard()
    assert stages_of(play(tmp_path / "run", suite, store, PeerMachine(), heard)) == ["set"] * 3
    assert heard.messages == [f"the setup of cell is executed in every trial: {why}"]
    assert entries(store.folder) == []


def test_a_setup_that_only_copies_files_is_quicker_than_a_stage_and_none_is_saved(
    tmp_path: Path, screenless: Suite, store: StageStore
) -> None:
    heard = Heard()
    rows = play(tmp_path / "run", screenless, store, PeerMachine(), heard)
    assert (stages_of(rows), heard.messages) == (["set"] * 3, [])
    assert entries(store.folder) == []


def test_no_stage_is_used_by_runs_that_ask_for_none_and_by_those_that_save_checkpoints(
    tmp_path: Path, tasks: Suite, store: StageStore
) -> None:
    play(tmp_path / "first", tasks, store, PeerMachine())
    rows = play(tmp_path / "a", tasks, store, PeerMachine(), no_stage_cache=True, runs=1)
    rows += play(tmp_path / "b", tasks, store, PeerMachine(), keep=CheckpointPolicy(), runs=1)
    assert stages_of(rows) == ["set", "set"]


def test_a_stage_that_cannot_be_restored_is_deleted_and_set_again(
    tmp_path: Path, tasks: Suite, store: StageStore
) -> None:
    play(tmp_path / "first", tasks, store, PeerMachine())
    [entry] = entries(store.folder)
    for damaged in ("machine/stage/desktop", "files/before.json"):
        (entry / damaged).unlink()
        rows = play(tmp_path / damaged.replace("/", "-"), tasks, store, Refusing())
        assert stages_of(rows) == ["set", "set", "restored"]
        assert [row.score for row in rows] == [1.0] * 3


class Refusing(PeerMachine):
    """A machine that refuses a checkpoint that is not whole."""

    def revert(self, snapshot: Place, services: object = None) -> None:
        if isinstance(snapshot, Path) and not (snapshot / "desktop").exists():
            raise MachineError("the checkpoint is damaged")
        super().revert(snapshot, services)


def test_a_machine_that_cannot_be_saved_voids_one_attempt_and_is_not_asked_again(
    tmp_path: Path, tasks: Suite, store: StageStore
) -> None:
    heard = Heard()
    rows = play(tmp_path / "run", tasks, store, Unsaved(), heard)
    assert [(row.fate, row.stage) for row in rows] == [
        ("scored", "set"),
        ("void", "set"),
        ("scored", "set"),
        ("scored", "set"),
    ]
    assert not rows[1].unproved, "the agent had not acted"
    assert "the machine could not be saved: QEMU refused" in heard.messages[0]


def test_a_full_disk_costs_the_stage_and_not_the_trial(
    tmp_path: Path, tasks: Suite, store: StageStore
) -> None:
    machine, heard = Unsaved(), Heard()
    machine.error = OSError(28, "No space left on device")
    rows = play(tmp_path / "run", tasks, store, machine, heard)
    assert [(row.fate, row.stage) for row in rows] == [("scored", "set")] * 3
    assert "was not saved: [Errno 28] No space left" in heard.messages[0]


def test_two_machines_at_once_set_the_stage_for_themselves_and_save_it_once(
    tmp_path: Path, tasks: Suite, store: StageStore
) -> None:
    both = threading.Barrier(2)

    class Together(PeerMachine):
        """Reverts for the first time when the other does."""

        def revert(self, snapshot: Place, services: object = None) -> None:
            if not self.reverts:
                both.wait(60)
            super().revert(snapshot, services)

    config = config_of(tasks, runs=8, agents=("oracle:tools",))
    rows = run_in(tmp_path / "run", tasks, config, Together, machines=2, stages=store)
    assert {row.score for row in rows} == {1.0}
    assert 2 <= stages_of(rows).count("set") <= 4
    assert stages_of(rows).count("restored") >= 4
    assert [read_record(entry).state for entry in entries(store.folder)] == ["saved"]  # type: ignore[union-attr]


def test_stages_of_another_day_are_deleted_when_a_run_begins_and_other_code_s_are_outdated(
    tmp_path: Path, tasks: Suite, store: StageStore
) -> None:
    play(tmp_path / "run", tasks, store, PeerMachine())
    [entry] = entries(store.folder)
    record = read_record(entry)
    assert record is not None
    assert (record.state, record.task, record.day) == ("saved", "cell", today())
    assert outdated(store.folder) == []
    write(entry, record.model_copy(update={"code": "older"}))
    assert outdated(store.folder) == [entry]
    write(entry, record.model_copy(update={"day": "2026-01-01"}))
    assert outdated(store.folder) == [entry]
    with store.reading(entry.name):
        play(tmp_path / "while-in-use", tasks, store, PeerMachine(), runs=1)
        assert entry in entries(store.folder)
    play(tmp_path / "later", tasks, store, PeerMachine(), no_stage_cache=True, runs=1)
    assert entry in entries(store.folder)


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def write(entry: Path, record: StageRecord) -> None:
    (entry / "record.json").write_text(record.model_dump_json())


KEY = StageKey(
    task="cell", task_hash="1", instance=1, assets="", code="2", environment="3",
    provider="libvirt", image="debian-12:4", base="base", catalogue="5", literal_sleeps=False,
    day=date(2026, 1, 1).isoformat(),
)  # fmt: skip
SAME = {"files": {"/home/user/a": "1"}, "settings": {}, "windows": {}}


class Slow:
    """A machine whose checkpoint consists of several files and is complete at the end."""

    def snapshot(self, name: Path, programs: object = ()) -> None:
        staging = name.with_name(".partial")
        staging.mkdir()
        for number in range(3):
            (staging / str(number)).write_text("x")
        staging.rename(name)


def _kill_while_admitting(scratch: str) -> None:
    store = StageStore(Path(scratch) / "stages", "base", MANY)
    files = Path(scratch) / "files"
    files.mkdir()
    (files / "before.json").write_text("{}")
    cache = StageCache(store, lambda task: KEY)

    def admit() -> None:
        cache.admit(KEY, SAME, Slow(), files)  # type: ignore[arg-type]

    admit()
    deaths = 0
    for _ in killed_at_each_event(admit):
        deaths += 1
        record = read_record(store.entry(KEY.name))
        assert record is not None
        if record.state == "saved":
            assert whole(store.entry(KEY.name))
    assert deaths > 10
    assert whole(store.entry(KEY.name))


def whole(entry: Path) -> bool:
    record = read_record(entry)
    checkpoint = entry / "machine" / "stage"
    return (
        record is not None
        and record.state == "saved"
        and len(list(checkpoint.iterdir())) == 3
        and (entry / "files" / "before.json").read_text() == "{}"
    )


def test_a_setup_after_which_the_screen_moves_does_not_count_and_two_in_a_row_refuse_the_stage(
    tmp_path: Path, store: StageStore
) -> None:
    cache = StageCache(store, lambda task: KEY)

    def admit(problem: str = "") -> str:
        record = cache.admit(KEY, SAME, Slow(), tmp_path / "none", problem)  # type: ignore[arg-type]
        assert record is not None
        return record.state

    states = [admit("it moves"), admit(), admit("it moves"), admit()]
    assert states == ["seen", "seen", "seen", "saved"]
    delete_entry(store.entry(KEY.name))
    assert [admit("it moves"), admit("it moves"), admit()] == ["seen", "refused", "refused"]


def test_after_a_kill_at_any_moment_a_stage_is_whole_or_not_believed(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    process = spawn.Process(target=_kill_while_admitting, args=(str(tmp_path),))
    process.start()
    process.join(180)
    assert process.exitcode == 0
