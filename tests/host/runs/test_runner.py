"""Trials, rows and resuming, on machines that are peers (see `peer`)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ambidex.host import Agent, Briefing, Decision, Observation, Stop, ToolCall
from ambidex.host.errors import ModelError, UsageError
from ambidex.host.records.config import locked
from ambidex.host.records.rows import Row, finished, read_rows
from ambidex.host.records.trajectory import read_trajectory
from ambidex.host.runs.runner import SilentWatcher
from ambidex.tasks import Suite, Task
from tests.support.peer import PeerMachine
from tests.support.suites import config_of, run_in


class Failing:
    """An agent whose step raises."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def step(self, observation: Observation) -> Decision:
        raise self._error


def done_at_once(name: str, task: Task, briefing: Briefing) -> Agent:
    class Done:
        def step(self, observation: Observation) -> Decision:
            return Decision(stop=Stop.DONE)

    return Done()


def test_an_oracle_run_solves_every_task_and_leaves_its_evidence(
    tmp_path: Path, suite: Suite
) -> None:
    run = tmp_path / "run"
    rows = run_in(run, suite, config_of(suite, agents=("oracle:tools",)), PeerMachine)
    by_task = {row.task: row for row in rows}
    assert by_task["cell"].success, by_task["cell"]
    assert (by_task["cell"].steps, by_task["cell"].tool_calls) == (3, 2)
    folder = run / by_task["cell"].folder
    assert json.loads((folder / "evidence" / "cells.json").read_text()) == {"A1": 1, "B2": 42}
    assert (folder / "evidence" / "echo.txt").read_text() == "echo /home/user/x"
    assert json.loads((folder / "evidence" / "cell.json").read_text()) == 42
    assert json.loads((folder / "score.json").read_text())["value"] == 1.0
    lines = list(read_trajectory(folder))
    assert [line["kind"] for line in lines] == ["start", "offer", "step", "step", "step", "end"]
    frames = {path.name.partition(".")[0] for path in (folder / "frames").iterdir()}
    assert frames == {line[key] for line in lines[2:-1] for key in ("before", "after")} - {""}
    assert set(lines[2]["seconds"]) == {"model", "guest", "settle", "harness"}
    # It has no oracle by tools: a deliberate bug, after which the run continues.
    assert by_task["impossible"].fate == "bug"


def test_an_infeasible_task_is_solved_by_declaring_it_infeasible(
    tmp_path: Path, suite: Suite
) -> None:
    config = config_of(suite, agents=("oracle:gui",))
    row = next(r for r in run_in(tmp_path / "a", suite, config) if r.task == "impossible")
    assert (row.success, row.stop, row.gui_calls) == (True, Stop.INFEASIBLE, 1)
    rows = run_in(tmp_path / "b", suite, config_of(suite))
    assert {row.score for row in rows} == {0.0}, "doing nothing solves nothing"


def test_every_trial_begins_with_a_revert_to_the_snapshot_of_its_task(
    tmp_path: Path, suite: Suite
) -> None:
    machine = PeerMachine()
    run_in(tmp_path, suite, config_of(suite), lambda: machine)
    assert machine.reverts == ["ready", "ready"]
    assert machine.closed


def test_a_machine_error_makes_a_void_row_and_a_new_machine(tmp_path: Path, suite: Suite) -> None:
    machines: list[PeerMachine] = []

    def make() -> PeerMachine:
        machines.append(PeerMachine(broken_reverts=0 if machines else 1))
        return machines[-1]

    rows = run_in(tmp_path, suite, config_of(suite), make)
    assert [row.fate for row in rows].count("void") == 1
    void = next(row for row in rows if row.fate == "void")
    assert void.score is None
    assert void.failure
    assert void.failure.type == "MachineError"
    assert void.failure.console.endswith("login:")
    assert len(finished(rows)) == 2
    assert [machine.closed for machine in machines] == [True, True]
    assert {row.attempt for row in rows if row.task == void.task} == {1, 2}


def test_a_trial_that_stays_void_is_abandoned_and_runs_again_on_resume(
    tmp_path: Path, suite: Suite
) -> None:
    def failing(name: str, task: Task, briefing: Briefing) -> Agent:
        return Failing(ModelError("no answer"))

    config = config_of(suite)
    first = run_in(tmp_path, suite, config, make_agent=failing)
    assert [row.fate for row in first] == ["void"] * 6
    rows = run_in(tmp_path, suite, config, make_agent=done_at_once)
    assert [row.fate for row in rows[6:]] == ["scored"] * 2
    assert {row.attempt for row in rows[6:]} == {4}
    assert rows[:6] == first, "rows are never changed"


def test_three_equal_refusals_end_the_run(tmp_path: Path, suite: Suite) -> None:
    numbers = iter(range(10))

    def refused(name: str, task: Task, briefing: Briefing) -> Agent:
        return Failing(ModelError(f"no key (request {next(numbers)})", fatal=True, refused=True))

    config = config_of(suite, runs=3)
    with pytest.raises(ModelError, match="no key") as ended:
        run_in(tmp_path, suite, config, make_agent=refused)
    assert "after 3 equal refusals" in ended.value.hint
    assert "give the same command" in ended.value.hint
    rows = read_rows(tmp_path)
    assert [(row.fate, row.attempt) for row in rows] == [("void", 1)] * 3, "none is retried"
    rows = run_in(tmp_path, suite, config, make_agent=done_at_once)
    assert len(finished(rows)) == 6, "the same command resumes it"


def test_refusals_that_differ_do_not_end_the_run(tmp_path: Path, suite: Suite) -> None:
    texts = iter(["against", "the rules", "of this", "vendor", "in some", "tasks"])

    def refused(name: str, task: Task, briefing: Briefing) -> Agent:
        return Failing(ModelError(next(texts), fatal=True, refused=True))

    rows = run_in(tmp_path, suite, config_of(suite, runs=3), make_agent=refused)
    assert [row.fate for row in rows] == ["void"] * 6


def test_a_bug_is_a_row_with_its_traceback_and_the_run_goes_on(
    tmp_path: Path, suite: Suite
) -> None:
    def half(name: str, task: Task, briefing: Briefing) -> Agent:
        if task.name == "cell":
            return Failing(KeyError("oops"))
        return done_at_once(name, task, briefing)

    rows = run_in(tmp_path, suite, config_of(suite), make_agent=half)
    fates = {row.task: row for row in rows}
    assert fates["impossible"].fate == "scored"
    failure = fates["cell"].failure
    assert failure
    assert "KeyError: 'oops'" in failure.traceback
    end = list(read_trajectory(tmp_path / fates["cell"].folder))[-1]
    assert end == {"kind": "end", "stop": None, "error": "KeyError: 'oops'"}


def test_a_setup_that_fails_voids_the_trial_and_names_the_step(
    tmp_path: Path, suite: Suite
) -> None:
    text = (suite.folder / "cell" / "task.toml").read_text().replace('"open"', '"false"')
    text = text.replace(', wait_window = "Cells"', "")
    (suite.folder / "cell" / "task.toml").write_text(text)
    from ambidex.tasks.load import load_suite
    from tests.support.peer import CATALOGUE

    changed = load_suite(suite.folder, CATALOGUE, ["cell"])
    rows = run_in(tmp_path / "r", changed, config_of(changed))
    assert rows[0].fate == "void"
    assert rows[0].failure
    assert "cell: setup[1]: false exited with 1: no" in rows[0].failure.message


def test_finished_trials_are_not_run_again(tmp_path: Path, suite: Suite) -> None:
    config = config_of(suite, runs=2)
    first = run_in(tmp_path, suite, config)
    before = (tmp_path / "results.jsonl").read_bytes()
    machine = PeerMachine()
    assert run_in(tmp_path, suite, config, lambda: machine) == first
    assert machine.reverts == []
    assert (tmp_path / "results.jsonl").read_bytes() == before


@pytest.mark.parametrize("damage", [b'{"suite": "su', b"\x00\x00\x00\n", b"{}\n"])
def test_a_damaged_last_line_is_moved_away_and_its_trial_runs_again(
    tmp_path: Path, suite: Suite, damage: bytes
) -> None:
    config = config_of(suite)
    run_in(tmp_path, suite, config)
    path = tmp_path / "results.jsonl"
    first, _second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + damage)
    messages: list[str] = []

    class Listens(SilentWatcher):
        def message(self, text: str) -> None:
            messages.append(text)

    assert len(read_rows(tmp_path)) == 1, "a report reads what is whole"
    rows = run_in(tmp_path, suite, config, watcher=Listens())
    assert len(finished(rows)) == 2
    assert "damaged" in messages[0]
    assert (tmp_path / "results.damaged").read_bytes().rstrip(b"\n") == damage.rstrip(b"\n")
    assert path.read_bytes().startswith(first)


def test_a_damaged_line_in_the_middle_is_refused_by_number(tmp_path: Path, suite: Suite) -> None:
    run_in(tmp_path, suite, config_of(suite))
    path = tmp_path / "results.jsonl"
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + b"{}\n" + second)
    with pytest.raises(UsageError, match="line 2"):
        read_rows(tmp_path)


def test_a_trial_scored_twice_is_noticed(tmp_path: Path, suite: Suite) -> None:
    run_in(tmp_path, suite, config_of(suite))
    path = tmp_path / "results.jsonl"
    path.write_bytes(path.read_bytes() + path.read_bytes().splitlines(keepends=True)[0])
    with pytest.raises(UsageError, match="scored twice"):
        read_rows(tmp_path)


def test_a_run_is_not_resumed_with_another_configuration(tmp_path: Path, suite: Suite) -> None:
    run_in(tmp_path, suite, config_of(suite))
    with pytest.raises(UsageError, match=r"condition was 'hybrid', is 'gui'"):
        run_in(tmp_path, suite, config_of(suite, condition="gui"))
    edited = dict(config_of(suite).tasks, cell="0")
    with pytest.raises(UsageError, match="tasks changed, new or missing: cell"):
        run_in(tmp_path, suite, config_of(suite, tasks=edited))


def test_two_runners_do_not_share_a_run(tmp_path: Path, suite: Suite) -> None:
    with locked(tmp_path), pytest.raises(UsageError, match=f"process {os.getpid()}"):
        run_in(tmp_path, suite, config_of(suite))


def test_two_machines_give_the_same_rows_as_one(tmp_path: Path, suite: Suite) -> None:
    config = config_of(suite, runs=3)
    one = run_in(tmp_path / "one", suite, config)
    two = run_in(tmp_path / "two", suite, config, machines=2)

    def outcome(rows: list[Row]) -> list[tuple[object, ...]]:
        return sorted((row.key, row.fate, row.score, row.steps, row.reason) for row in rows)

    assert outcome(one) == outcome(two)


def test_a_killed_runner_is_resumed_with_nothing_lost_or_repeated(
    tmp_path: Path, suite: Suite
) -> None:
    run, config = tmp_path / "run", config_of(suite, runs=4)
    (tmp_path / "config.json").write_text(config.model_dump_json())
    script = "from tests.host.runs.test_runner import slowly; slowly()"
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        env={**os.environ, "RUN": str(run), "CONFIG": str(tmp_path / "config.json")},
        cwd=Path(__file__).parents[3],
    )
    results = run / "results.jsonl"
    end = time.monotonic() + 30
    while not (results.exists() and results.read_bytes().count(b"\n") >= 3):
        assert process.poll() is None, "the runner ended by itself"
        assert time.monotonic() < end, "no rows yet"
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = results.read_bytes()
    rows = run_in(run, suite, config)
    assert len(rows) == len(finished(rows)) == 8
    assert results.read_bytes().startswith(before)


def slowly() -> None:
    """The body of the process to kill: an agent that sleeps in every episode."""
    from ambidex.host.records.config import RunConfig
    from ambidex.tasks.load import load_suite
    from tests.support.peer import CATALOGUE

    class Naps:
        def __init__(self) -> None:
            self._slept = False

        def step(self, observation: Observation) -> Decision:
            stop = Stop.DONE if self._slept else None
            self._slept = True
            return Decision(
                calls=(ToolCall(os.urandom(8).hex(), "files_nap", {"seconds": 0.1}),), stop=stop
            )

    config = RunConfig.model_validate_json(Path(os.environ["CONFIG"]).read_bytes())
    suite = load_suite(Path(config.suite), CATALOGUE)
    run_in(Path(os.environ["RUN"]), suite, config, make_agent=lambda *_: Naps(), machines=2)


def test_a_trial_that_does_not_notice_an_interrupt_leaves_no_password(
    tmp_path: Path,
    suite: Suite,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    monkeypatch.setattr("ambidex.host.runs.runner.GRACE", 0.0)
    released = threading.Event()
    announced: list[Path] = []

    class Hangs:
        def step(self, observation: Observation) -> Decision:
            announced.extend(tmp_path.glob("*/machine.json"))
            os.kill(os.getpid(), signal.SIGINT)
            assert released.wait(60)
            return Decision(stop=Stop.DONE)

    with pytest.raises(KeyboardInterrupt):
        run_in(tmp_path, suite, config_of(suite), make_agent=lambda *_: Hangs())
    assert len(announced) == 1
    assert not announced[0].exists()
    released.set()
    for thread in threading.enumerate():
        if thread.name == "machine-1":
            thread.join(60)


def test_an_interrupt_closes_the_machines_and_loses_no_row(
    tmp_path: Path, suite: Suite, request: pytest.FixtureRequest
) -> None:
    # Background jobs, which these tests may be, start with SIGINT ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    config = config_of(suite, runs=2)
    machines: list[PeerMachine] = []

    def make() -> PeerMachine:
        machines.append(PeerMachine())
        return machines[-1]

    class Interrupts(SilentWatcher):
        """Interrupts the run in the second trial, and knows when the run has noticed."""

        def __init__(self) -> None:
            self.episodes = 0
            self.noticed = threading.Event()

        def message(self, text: str) -> None:
            if text.startswith("interrupted"):
                self.noticed.set()

        def __call__(self, name: str, task: Task, briefing: Briefing) -> Agent:
            self.episodes += 1
            return self if self.episodes == 2 else done_at_once(name, task, briefing)

        def step(self, observation: Observation) -> Decision:
            os.kill(os.getpid(), signal.SIGINT)
            assert self.noticed.wait(60)
            return Decision()

    interrupts = Interrupts()
    with pytest.raises(KeyboardInterrupt):
        run_in(tmp_path, suite, config, make, interrupts, watcher=interrupts)
    assert all(machine.closed for machine in machines)
    assert len(read_rows(tmp_path)) == 1
    assert len(finished(run_in(tmp_path, suite, config))) == 4
