"""What a worker checks before it takes part, and how it ends when its head has gone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread

import pytest

from ambidex.host import Answer, Request, Usage
from ambidex.host.cluster import HostFacts, HostRefusedError, ImageMissingError, WorkerOrder
from ambidex.host.cluster.bundle import source_digest
from ambidex.host.cluster.scratch import scratch_folder
from ambidex.host.cluster.worker import Worker
from ambidex.host.cluster.worker_lane import AskedModel, WorkerLane
from ambidex.host.loop.episode import InterruptedEpisodeError
from ambidex.host.records.config import ModelConfig
from ambidex.host.records.jobs import Job
from ambidex.host.records.rows import Row
from ambidex.host.runs.lanes import LaneSource, RunParts, on_this_computer
from ambidex.host.runs.machines import MachineOptions
from ambidex.tasks import Suite
from tests.support.suites import CELL, write_suite

PEERS = MachineOptions(provider="tests.support.peer_provider:PEERS")
ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AMBIDEX_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(autouse=True)
def catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.support.peer import CATALOGUE

    monkeypatch.setattr("ambidex.host.cluster.worker.read_catalogue", lambda: CATALOGUE)


def order(
    suite: Path,
    tasks: Mapping[str, str],
    machines: MachineOptions = PEERS,
    *,
    source: str = "",
    least_disk: int = 0,
) -> WorkerOrder:
    source = source or source_digest()
    return WorkerOrder(machines, str(suite), "", tasks, source, 60.0, least_disk)


def hashes(suite: Suite) -> dict[str, str]:
    return {task.name: task.hash for task in suite.tasks}


def describe(given: WorkerOrder) -> HostFacts:
    with closing(Worker(given, "id", "desk-1")) as worker:
        return worker.describe()


def test_a_host_says_what_its_machines_are(suite: Suite) -> None:
    given = order(suite.folder, hashes(suite))
    assert describe(given) == HostFacts("desk-1", "id", "peer", "peers")


SERVED: list[Path | None] = []


@contextmanager
def spying(
    options: MachineOptions, parts: RunParts, say: Callable[[str], None]
) -> Iterator[LaneSource]:
    SERVED.append(parts.code)
    with on_this_computer(options, parts, say) as source:
        yield source


def test_guests_serve_the_code_that_came_with_the_bundle(suite: Suite) -> None:
    given = order(suite.folder, hashes(suite))
    describe(replace(given, open_lanes=f"{__name__}:spying", code="code"))
    describe(replace(given, open_lanes=f"{__name__}:spying"))
    assert [Path("code").resolve(), None] == SERVED


def test_another_code_is_refused_by_the_hosts_name(suite: Suite) -> None:
    given = order(suite.folder, hashes(suite), source="0123")
    with pytest.raises(HostRefusedError, match=r"desk-1 cannot take part: its code .* not 0123"):
        describe(given)


def test_another_task_is_refused_by_its_name(suite: Suite) -> None:
    given = order(suite.folder, hashes(suite) | {"cell": "0"})
    with pytest.raises(HostRefusedError, match=r"desk-1 .* the task cell is not the head's"):
        describe(given)


def test_a_suite_that_does_not_load_is_refused(tmp_path: Path, suite: Suite) -> None:
    given = order(tmp_path / "none", hashes(suite))
    with pytest.raises(HostRefusedError, match="the suite does not load there"):
        describe(given)


def test_a_full_disk_is_refused_before_an_attempt(suite: Suite) -> None:
    given = order(suite.folder, hashes(suite), least_disk=1 << 60)
    with pytest.raises(HostRefusedError, match="MiB are free in"):
        describe(given)


def test_a_missing_image_can_be_fetched_from_another_host(suite: Suite) -> None:
    machines = MachineOptions(provider="sandbox", image="debian-12")
    given = order(suite.folder, hashes(suite), machines)
    with pytest.raises(ImageMissingError, match=r"desk-1 .* 'debian-12' is not built"):
        describe(given)


def test_what_a_killed_worker_left_is_removed_by_the_next(tmp_path: Path) -> None:
    script = (
        "import os, sys, pathlib\n"
        "from ambidex.host.cluster.scratch import scratch_folder\n"
        "with scratch_folder(pathlib.Path(sys.argv[1])) as folder: os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], cwd=ROOT, check=False)
    [left] = tmp_path.glob("worker-*")
    with scratch_folder(tmp_path) as first, scratch_folder(tmp_path) as second:
        assert sorted(tmp_path.glob("worker-*")) == sorted([first, second])
        assert not left.exists()
    assert list(tmp_path.iterdir()) == []


def test_a_process_ends_when_its_worker_s_lease_has_run_out_unless_it_was_closed(
    tmp_path: Path,
) -> None:
    suite = write_suite(tmp_path / "cells", cell=CELL)
    script = (
        "from threading import Event; from tests.host.cluster.test_worker import serve\n"
        "serve().close(); Event().wait(1); print('alive', flush=True)\n"
        "serve(); Event().wait(60)"
    )
    command = [sys.executable, "-c", script, str(suite)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    assert (ended.stdout, ended.returncode) == (b"serving\nalive\nserving\n", 1), ended.stderr


def serve() -> Worker:
    """A worker that nobody has called since it described itself, with a lease of 0.2 s."""
    from ambidex.host.cluster import worker as module
    from ambidex.tasks.load import load_suite
    from tests.support.peer import CATALOGUE

    module.read_catalogue = lambda: CATALOGUE  # type: ignore[attr-defined]
    suite = load_suite(Path(sys.argv[1]), CATALOGUE)
    served = WorkerOrder(PEERS, sys.argv[1], "", hashes(suite), source_digest(), 0.2, 0)
    worker = Worker(served, "id", "desk-1")
    worker.describe()
    print("serving", flush=True)
    return worker


def test_models_that_are_asked_at_once_get_their_own_answers(tmp_path: Path) -> None:
    """An agent's model, and one behind a colleague."""
    heard: dict[tuple[str, int], object] = {}

    class Asks:
        host = ""

        def __init__(self, lane: WorkerLane) -> None:
            self._model = AskedModel("one", ModelConfig(name="one"), lane)

        def attempt(self, *_: object) -> Row:
            threads = [Thread(target=self._ask, args=(name,)) for name in ("agent", "colleague")]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            raise InterruptedEpisodeError

        def _ask(self, name: str) -> None:
            for number in range(20):
                asked = {"name": name, "number": number}
                heard[name, number] = self._model.ask(Request("chat", asked)).body

        def usable(self) -> bool:
            return True

        def close(self) -> None:
            pass

        def open(self, wanted: object, host: str = "") -> Asks:
            return self

    (tmp_path / "run").mkdir()
    lane = WorkerLane(lambda lane: nullcontext(Asks(lane)), tmp_path / "run", Event(), tmp_path)
    lane.begin(Job("cell", "says_done", 1), 1, 0, "cell.1")
    while not (report := lane.news(5)).interrupted:
        assert not report.crash
        if report.question:
            lane.answer(Answer(report.question.request.body, Usage()))
    lane.close()
    assert len(heard) == 40
    assert all(body == {"name": name, "number": n} for (name, n), body in heard.items())
