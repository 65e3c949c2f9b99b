"""Lanes on other hosts, each a raylet on the loopback with peers as machines: the checks of every
lane, then what fails on real clusters, done to it.

The tests share one cluster; each says which hosts it needs.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from ambidex.host import Answer, Limits, Request, Usage
from ambidex.host.agents import agent_maker
from ambidex.host.cluster.cluster import Cluster
from ambidex.host.cluster.connection import connect
from ambidex.host.cluster.lanes import ClusterSource, on_cluster
from ambidex.host.errors import UsageError
from ambidex.host.records.config import (
    Branch,
    CheckpointPolicy,
    ModelConfig,
    RunOptions,
    adopt,
)
from ambidex.host.records.jobs import Job
from ambidex.host.records.rows import Row, finished, read_rows
from ambidex.host.records.trajectory import read_trajectory
from ambidex.host.runs.lanes import LaneRequest, RunParts
from ambidex.host.runs.launch import RunRequest, launch, on_machines
from ambidex.host.runs.live_table import AttemptState
from ambidex.host.runs.machines import MachineOptions
from ambidex.host.runs.runner import SilentWatcher, plan, run_on_lanes
from ambidex.host.travel.forks import fork_of
from ambidex.tasks import Suite
from ambidex.tasks.load import load_suite
from tests.support.cluster import Host, LoopbackCluster, loopback_cluster
from tests.support.lane_suite import CHECKS, PLACE, no_model
from tests.support.peer import CATALOGUE, PeerMachine
from tests.support.suites import CELL, config_of, run_in, write_suite

OPTIONS = MachineOptions(provider="tests.support.peer_provider:PEERS")
WAITS = f"{PLACE}:Waits"
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def ray(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopbackCluster]:
    with loopback_cluster(tmp_path_factory.mktemp("hosts")) as cluster:
        yield cluster


@contextmanager
def connected(address: str, suite: Suite, **settings: object) -> Iterator[Cluster]:
    parts = RunParts(suite, (WAITS,))
    with connect(address, OPTIONS, parts, print, **settings) as cluster:  # type: ignore[arg-type]
        yield cluster


class Watched(SilentWatcher):
    """Notes attempts and rows."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.states: list[AttemptState] = []
        self.rows: list[Row] = []

    def attempt_started(self, job: Job, attempt: int, state: AttemptState) -> None:
        with self.changed:
            self.states.append(state)

    def attempt_ended(self, row: Row, left: int) -> None:
        with self.changed:
            self.rows.append(row)
            self.changed.notify_all()

    def wait_for_acting(self, count: int) -> None:
        """Until so many attempts have acted."""
        self._wait(lambda: sum(state.acted > 1 for state in self.states) >= count)

    def wait_for_rows(self, count: int) -> None:
        self._wait(lambda: len(self.rows) >= count)

    def _wait(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + 300
        with self.changed:
            while not condition():
                assert time.monotonic() < end, (self.states, self.rows)
                self.changed.wait(0.05)


class Running:
    """A run on a cluster in a thread, so that the test can interfere."""

    def __init__(self, cluster: Cluster, suite: Suite, folder: Path, count: int, runs: int) -> None:
        self.watched = Watched()
        self._error: BaseException | None = None
        self._result: list[Row] = []
        self._given = (cluster, suite, folder, count, runs)
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._result = run_waiting(*self._given, self.watched)
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            self._error = error

    def rows(self) -> list[Row]:
        self._thread.join(300)
        assert not self._thread.is_alive()
        if self._error:
            raise self._error
        return self._result


def run_waiting(
    cluster: Cluster, suite: Suite, folder: Path, count: int, runs: int, watcher: SilentWatcher
) -> list[Row]:
    """Run trials of an agent that waits for its host's file `go`."""
    facts = cluster.first()
    config = config_of(
        suite, agents=(WAITS,), runs=runs, limits=Limits(steps=10_000), image=facts.image,
        provider=facts.provider,
    )  # fmt: skip
    adopt(folder, config)
    request = LaneRequest(config, suite, folder, no_model, threading.Event())
    jobs = [Job("cell", WAITS, trial) for trial in range(1, runs + 1)]
    source = ClusterSource(cluster, facts.image, facts.provider)
    with source.lanes(request) as lanes:
        return run_on_lanes(jobs, folder, lanes, count=count, watcher=watcher, stop=request.stop)


@pytest.fixture
def cell(tmp_path: Path) -> Suite:
    return load_suite(write_suite(tmp_path / "cells", cell=CELL), CATALOGUE)


def go(*hosts: Host) -> None:
    for host in hosts:
        (host.cache / "go").touch()


def fates(rows: Sequence[Row]) -> list[tuple[int, str, str]]:
    return sorted((row.trial, row.fate, row.host) for row in rows)


def test_lanes_pass_the_checks_of_every_lane(
    ray: LoopbackCluster, tmp_path: Path, suite: Suite
) -> None:
    ray.have("one")
    with connected(ray.address, suite) as cluster:
        facts = cluster.first()
        source = ClusterSource(cluster, facts.image, facts.provider)
        for check in CHECKS:
            check(source.lanes, tmp_path / check.__name__, suite)
        assert facts.host == "one"


class Scripted:
    """A model that answers with the calls that solve the task."""

    name = "scripted"

    def __init__(self) -> None:
        self.processes: set[int] = set()

    def ask(self, request: Request) -> Answer:
        self.processes.add(os.getpid())
        asked = sum(message["role"] == "assistant" for message in request.body["messages"])
        calls = [
            ("calc_set_cell_value", '{"cell": "B2", "value": 42}'),
            ("calc_save", "{}"),
            ("finish", "{}"),
        ][asked : asked + 1]
        function = [
            {"id": f"c{asked}", "type": "function", "function": {"name": name, "arguments": given}}
            for name, given in calls
        ]
        message = {"role": "assistant", "content": "", "tool_calls": function}
        return Answer({"choices": [{"message": message}]}, Usage(input_tokens=7, requests=1))


def test_the_same_rows_as_on_this_computer_with_models_asked_by_the_head(
    ray: LoopbackCluster, tmp_path: Path, cell: Suite
) -> None:
    model = Scripted()

    def make_model(config: ModelConfig) -> Scripted:
        return model

    config = config_of(
        cell, agents=("model",), runs=3, model=ModelConfig(name="scripted"), image="peer",
        provider="peers",
    )  # fmt: skip
    here = run_in(
        tmp_path / "here", cell, config, PeerMachine, agent_maker(config, make_model), machines=2
    )
    folder = tmp_path / "there"
    ray.have("one", "two")
    with connected(ray.address, cell) as cluster:
        adopt(folder, config)
        request = LaneRequest(config, cell, folder, make_model, threading.Event())
        jobs = [Job("cell", "model", trial) for trial in (1, 2, 3)]
        with ClusterSource(cluster, "peer", "peers").lanes(request) as lanes:
            there = run_on_lanes(jobs, folder, lanes, count=2, stop=request.stop)

    def outcome(rows: list[Row]) -> list[tuple[object, ...]]:
        kept = sorted(rows, key=lambda row: row.key)
        return [
            (row.key, row.fate, row.score, row.steps, row.reason, row.calls, row.input_tokens,
             row.code, row.environment, row.config)
            for row in kept
        ]  # fmt: skip

    assert outcome(there) == outcome(here)
    assert {row.score for row in there} == {1.0}
    assert {row.host for row in there} <= {"one", "two"}
    assert model.processes == {os.getpid()}


def test_a_killed_worker_voids_its_attempt_which_runs_again(
    ray: LoopbackCluster, tmp_path: Path, cell: Suite
) -> None:
    [one] = ray.have("one")
    with connected(ray.address, cell) as cluster:
        running = Running(cluster, cell, tmp_path / "run", count=1, runs=2)
        running.watched.wait_for_acting(1)
        [worker] = one.workers()
        os.kill(worker, signal.SIGKILL)
        go(one)
        rows = running.rows()
    assert fates(rows) == [(1, "scored", "one"), (1, "void", "one"), (2, "scored", "one")]
    void = next(row for row in rows if row.fate == "void")
    assert void.failure
    assert void.failure.type == "HostError"
    assert "the host one was lost" in void.failure.message
    assert (void.ended_by, void.phase, void.unproved) == ("machine", "episode", True)
    assert (tmp_path / "run" / f"{void.folder}.earlier-1" / "trajectory.jsonl").is_file()


def test_a_killed_host_is_void_elsewhere_and_one_that_joins_is_used(
    ray: LoopbackCluster, tmp_path: Path, cell: Suite
) -> None:
    one, two = ray.have("one", "two")
    with connected(ray.address, cell) as cluster:
        running = Running(cluster, cell, tmp_path / "run", count=2, runs=3)
        running.watched.wait_for_acting(2)
        two.kill()
        running.watched.wait_for_rows(1)
        three = ray.add("three")
        go(three)
        running.watched.wait_for_rows(2)
        go(one)
        rows = running.rows()
    assert len(finished(rows)) == 3
    void = [row for row in rows if row.fate == "void"]
    assert [row.host for row in void] == ["two"]
    assert {row.host for row in rows if row.fate == "scored"} == {"one", "three"}


def test_a_host_that_was_cut_off_is_given_up_and_what_it_sends_later_is_not_read(
    ray: LoopbackCluster, tmp_path: Path, cell: Suite
) -> None:
    one, two = ray.have("one", "two")
    with connected(ray.address, cell) as cluster:
        running = Running(cluster, cell, tmp_path / "run", count=2, runs=2)
        running.watched.wait_for_acting(2)
        go(one, two)
        two.pause()
        running.watched.wait_for_rows(2)
        two.resume()
        rows = running.rows()
    assert len(rows) == 3
    assert len(finished(rows)) == 2
    assert [row.host for row in rows if row.fate == "void"] == ["two"]
    assert {row.host for row in rows if row.fate == "scored"} == {"one"}


def test_branches_run_on_the_host_that_has_their_checkpoint(
    ray: LoopbackCluster, tmp_path: Path, cell: Suite
) -> None:
    one, two = ray.have("one", "two")
    recorded, fork, again = (tmp_path / name for name in ("recorded", "fork", "again"))
    every, two_machines = CheckpointPolicy(), replace(OPTIONS, machines=2)
    agents = (f"{PLACE}:Meets",)
    request = RunRequest(cell, agents, plan(agents, 4, cell), Limits(), CATALOGUE, keep=every)
    request = replace(request, options=RunOptions(runs=4))
    with on_machines(two_machines, on_cluster(ray.address)) as play:
        with ThreadPoolExecutor() as threads:  # each host takes part, however slow its start is
            playing = threads.submit(play, request, recorded)
            here = [host.cache / "here" for host in (one, two)]
            wait_until(lambda: playing.done() or all(path.exists() for path in here))
            go(one, two)
            parents = playing.result()
        assert {row.host for row in parents} == {"one", "two"}
        branches = [Branch(trial=row.folder, step=2) for row in parents]
        rows = play(fork_of(recorded, branches, 1, CATALOGUE, keep=every), fork)
        inherited = Branch(trial=next(row.folder for row in rows if row.host == "one"), step=2)
        [grandchild] = play(fork_of(fork, [inherited], 1, CATALOGUE), again)
    hosts = {row.folder: row.host for row in parents}
    assert [hosts[row.parent.trial] for row in rows if row.parent] == [row.host for row in rows]
    assert [row.score for row in (*rows, grandchild)] == [1.0] * 5
    assert grandchild.host == "one"
    start = next(read_trajectory(fork / rows[0].folder))
    assert start["from"]["run"] == str(recorded.resolve()), "as the head names it"
    assert not [*tmp_path.rglob("desktop")], "checkpoints stay on their hosts"
    request = fork_of(recorded, [branches[0]], 1, CATALOGUE)
    with pytest.raises(UsageError, match=r"hosts of a cluster have these checkpoints: (one|two)"):
        launch(request, tmp_path / "here", OPTIONS)
    ray.remove(two)
    [gone] = [branch for branch in branches if hosts[branch.trial] == "two"][:1]
    request = fork_of(recorded, [gone], 1, CATALOGUE)
    with pytest.raises(UsageError, match="the host two has the checkpoints to start from, and"):
        launch(request, tmp_path / "gone", OPTIONS, open_lanes=on_cluster(ray.address))


def test_a_draining_host_finishes_its_trial_and_gets_no_other(
    ray: LoopbackCluster, tmp_path: Path, cell: Suite
) -> None:
    one, two = ray.have("one", "two")
    with connected(ray.address, cell) as cluster:
        running = Running(cluster, cell, tmp_path / "run", count=2, runs=4)
        running.watched.wait_for_acting(2)
        ray.drain(two)
        cluster.look_for_draining()
        go(two)
        running.watched.wait_for_rows(1)
        go(one)
        rows = running.rows()
    assert sorted(row.host for row in rows) == ["one", "one", "one", "two"]
    assert {row.fate for row in rows} == {"scored"}


def test_a_run_without_a_usable_host_says_why(
    ray: LoopbackCluster, tmp_path: Path, cell: Suite
) -> None:
    ray.have("one")
    with (
        connected(ray.address, cell, least_disk=1 << 60) as cluster,
        pytest.raises(UsageError, match=r"the host one cannot take part: .* MiB are free"),
    ):
        cluster.first()


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_a_head_that_was_ended_is_resumed_with_nothing_lost_or_repeated(
    ray: LoopbackCluster, tmp_path: Path, cell: Suite, ending: signal.Signals
) -> None:
    folder = tmp_path / "run"
    script = "from tests.host.cluster.test_cluster import head; head()"
    given = {"RUN": str(folder), "SUITE": str(cell.folder), "ADDRESS": ray.address}
    one, two = ray.have("one", "two")
    go(one)
    head = subprocess.Popen([sys.executable, "-c", script], env={**os.environ, **given}, cwd=ROOT)
    results = folder / "results.jsonl"
    wait_until(lambda: results.exists() and results.read_bytes().count(b"\n") >= 2, head)
    wait_until(lambda: bool(two.workers()), head)
    head.send_signal(ending)
    head.wait(300)
    wait_until(lambda: not two.workers())
    before = results.read_bytes()
    go(two)
    with connected(ray.address, cell) as cluster:
        rows = run_waiting(cluster, cell, folder, 2, 12, SilentWatcher())
    assert results.read_bytes().startswith(before)
    assert len(rows) == len(finished(rows)) == 12
    assert rows == read_rows(folder)


def wait_until(
    condition: Callable[[], bool], process: subprocess.Popen[bytes] | None = None
) -> None:
    end = time.monotonic() + 300
    while not condition():
        assert process is None or process.poll() is None, "the head ended by itself"
        assert time.monotonic() < end
        time.sleep(0.02)


def head() -> None:
    """The body of the head to end: it keeps a trial on the host that has no `go`."""
    # A shell starts jobs in the background with SIGINT ignored, and children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    suite = load_suite(Path(os.environ["SUITE"]), CATALOGUE)
    with connected(os.environ["ADDRESS"], suite) as cluster:
        run_waiting(cluster, suite, Path(os.environ["RUN"]), 2, 12, SilentWatcher())
