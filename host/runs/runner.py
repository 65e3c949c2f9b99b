"""Run trials on several lanes: a queue of jobs, a thread per lane, a row per attempt."""

from __future__ import annotations

import queue
import re
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from ambidex.host.errors import FIX, ModelError, UsageError
from ambidex.host.loop.episode import InterruptedEpisodeError
from ambidex.host.loop.stage_cache import open_stages
from ambidex.host.loop.trial import MakeAgent, Trial
from ambidex.host.records.announcement import withdraw_all
from ambidex.host.records.code import code_hash
from ambidex.host.records.config import MOST_RUNS, RunConfig
from ambidex.host.records.environment import Environment, keep, this_environment
from ambidex.host.records.jobs import Job
from ambidex.host.records.rows import Row, Rows, finished, read_rows, unjudged
from ambidex.host.runs.lanes import Lane, Lanes, LocalLanes, MakeMachine
from ambidex.host.runs.live_table import AttemptState
from ambidex.tasks import Suite
from ambidex.vm.stages import StageStore

__all__ = [
    "ATTEMPTS",
    "MakeMachine",
    "SilentWatcher",
    "Watcher",
    "plan",
    "run_jobs",
    "run_on_lanes",
]

ATTEMPTS = 3
"""Maximum attempts of a trial per invocation, while attempts end void."""

EQUAL_REFUSALS = 3
"""Trials in a row with the same refusal, after which a run ends: its request needs a change."""

GRACE = 20.0
"""Seconds that running trials get to notice an interrupt."""


class Watcher(Protocol):
    """Receives the progress of a run. Called from any thread; what concerns a machine, from the
    thread that has its name."""

    def run_started(self, before: Sequence[Row], left: int) -> None:
        """The run begins with these rows of earlier invocations; `left` trials are to be run."""

    def machine_opened(self, host: str) -> None:
        """A new machine, not booted yet, will run the next attempts of this thread. `host` is empty
        for this computer."""

    def machine_closed(self) -> None:
        """The machine of this thread has been closed."""

    def attempt_started(self, job: Job, attempt: int, state: AttemptState) -> None:
        """An attempt has started; `state` says at any time how far it has come."""

    def attempt_ended(self, row: Row, left: int) -> None:
        """An attempt has its row; `left` trials are not finished yet."""

    def message(self, text: str) -> None:
        """A message for the person who started the run."""


class SilentWatcher:
    """A watcher that ignores everything."""

    def run_started(self, before: Sequence[Row], left: int) -> None:
        """Ignore."""

    def machine_opened(self, host: str) -> None:
        """Ignore."""

    def machine_closed(self) -> None:
        """Ignore."""

    def attempt_started(self, job: Job, attempt: int, state: AttemptState) -> None:
        """Ignore."""

    def attempt_ended(self, row: Row, left: int) -> None:
        """Ignore."""

    def message(self, text: str) -> None:
        """Ignore."""


QUIET = SilentWatcher()


def plan(agents: Sequence[str], runs: int, suite: Suite) -> tuple[Job, ...]:
    """The trials of a run: every task by every agent, `runs` times. All first repetitions come
    first. `UsageError` if `runs` is out of range."""
    if not 1 <= runs <= MOST_RUNS:
        raise UsageError(f"--runs must be between 1 and {MOST_RUNS}, not {runs}")
    return tuple(
        Job(task.name, agent, trial)
        for trial in range(1, runs + 1)
        for task in suite.tasks
        for agent in agents
    )


def run_jobs(
    jobs: Iterable[Job],
    config: RunConfig,
    suite: Suite,
    folder: Path,
    make_machine: MakeMachine,
    make_agent: MakeAgent,
    *,
    machines: int = 1,
    watcher: Watcher = QUIET,
    stop: threading.Event | None = None,
    stages: StageStore | None = None,
    environment: Environment | None = None,
) -> list[Row]:
    """Run the unfinished trials on machines of this computer and return all rows of the run.

    The caller has locked and adopted `folder`; see `run_on_lanes`. `stop` is set when the run ends
    early, for agents that wait. `stages` is where the tasks' stages are saved, if they are
    (`host.loop.stage_cache`). `environment` is the one of the trials, by default this process's
    with the configured image.
    """
    stop = stop or threading.Event()
    digest = keep(environment or this_environment(config.image), folder)
    cache = open_stages(config, stages, digest, watcher.message)
    trial = Trial(config, suite, make_agent, folder, stop.is_set, code_hash(), digest, cache)
    lanes = LocalLanes(make_machine, trial)
    return run_on_lanes(jobs, folder, lanes, count=machines, watcher=watcher, stop=stop)


def run_on_lanes(
    jobs: Iterable[Job],
    folder: Path,
    lanes: Lanes,
    *,
    count: int = 1,
    watcher: Watcher = QUIET,
    stop: threading.Event | None = None,
    host_of: Callable[[Job], str] = lambda job: "",
) -> list[Row]:
    """Run the unfinished trials on up to `count` lanes and return all rows of the run. `host_of`
    says on which host of a cluster a trial has to run; empty: on any.

    Scored and unjudged trials are never run again; void and bug ones are. The caller has locked and
    adopted `folder`. On `KeyboardInterrupt` the running attempts get no row and every lane is
    closed. `stop` is set when the run ends early. Raises `ModelError` after `EQUAL_REFUSALS` trials
    in a row that the model refused from their first request on.
    """
    rows = Rows(folder)
    if repaired := rows.repair():
        watcher.message(repaired)
    before = read_rows(folder) if (folder / "results.jsonl").exists() else []
    done = finished(before).keys() | unjudged(before).keys()
    todo = [job for job in jobs if job.key not in done]
    earlier: dict[tuple[str, str, int], list[Row]] = {job.key: [] for job in todo}
    for row in before:
        if row.key in earlier:
            earlier[row.key].append(row)
    watcher.run_started(before, len(todo))
    stop = stop or threading.Event()
    work = Work(todo, earlier, lanes, rows, watcher, stop, host_of)
    threads = [
        threading.Thread(target=work.run_worker, name=f"machine-{number}", daemon=True)
        for number in range(1, min(count, len(todo)) + 1)
    ]
    withdraw_all(folder)  # of a runner that was killed
    for thread in threads:
        thread.start()
    try:
        for _ in threads:
            work.worker_ended.acquire()
    except KeyboardInterrupt:
        stop.set()
        watcher.message("interrupted: running trials are abandoned and will run again on resume")
        end = time.monotonic() + GRACE
        try:
            for thread in threads:
                thread.join(max(0.0, end - time.monotonic()))
        finally:
            withdraw_all(folder)  # of trials that did not notice in time
        raise
    if work.errors:
        raise work.errors[0]
    return read_rows(folder) if todo or before else []


class Work:
    """The queue and the state that the workers share. Rows are written under one lock."""

    def __init__(
        self,
        todo: list[Job],
        attempts: dict[tuple[str, str, int], list[Row]],
        lanes: Lanes,
        rows: Rows,
        watcher: Watcher,
        stop: threading.Event,
        host_of: Callable[[Job], str],
    ) -> None:
        self.errors: list[Exception] = []
        """Unexpected exceptions that ended a worker."""
        self._host_of = host_of
        self._queues: defaultdict[str, queue.SimpleQueue[QueuedAttempt]] = defaultdict(
            queue.SimpleQueue
        )
        """By the host on which the attempts have to run."""
        self._working: Counter[str] = Counter()
        """Workers by the host whose queue they work on."""
        for job in todo:
            earlier = attempts[job.key]
            unproved = sum(row.unproved for row in earlier)
            self._put(QueuedAttempt(job, len(earlier) + 1, ATTEMPTS, unproved))
        self._left = len(todo)
        self.worker_ended = threading.Semaphore(0)
        """Released once by each worker when it ends. `Thread.join` will not do: after an interrupt
        in it, Python 3.11 considers the thread ended."""
        self._lanes = lanes
        self._rows = rows
        self._watcher = watcher
        self._stop = stop
        self._lock = threading.Lock()
        self._refusals: list[str] = []
        """The latest refusals, all equal, without an answer of the model since."""

    def run_worker(self) -> None:
        """Run attempts until the queues are empty, each worker on one lane at a time. After a void
        attempt the lane is replaced."""
        try:
            while not self._stop.is_set() and (host := self._next_host()) is not None:
                try:
                    self._on_one_lane(host)
                finally:
                    with self._lock:
                        self._working[host] -= 1
        except InterruptedEpisodeError:
            return
        except Exception as error:  # noqa: BLE001 - passed to the thread that started this one
            self.errors.append(error)
            self._stop.set()
        finally:
            self.worker_ended.release()

    def _put(self, queued: QueuedAttempt) -> None:
        self._queues[self._host_of(queued.job)].put(queued)

    def _next_host(self) -> str | None:
        """The host with the most attempts that wait without a worker; None if no attempt waits."""
        with self._lock:
            waiting = {host: queue.qsize() for host, queue in self._queues.items()}
            hosts = [host for host, count in waiting.items() if count]
            if not hosts:
                return None
            host = max(hosts, key=lambda name: waiting[name] - self._working[name])
            self._working[host] += 1
            return host

    def _on_one_lane(self, host: str) -> None:
        """Run attempts on one lane, until none waits for that host or it needs to be replaced."""
        with self._lane(host) as lane:
            while lane is not None and not self._stop.is_set():
                try:
                    queued = self._queues[host].get_nowait()
                except queue.Empty:
                    return
                started = partial(self._watcher.attempt_started, queued.job, queued.attempt)
                row = lane.attempt(queued.job, queued.attempt, queued.unproved, started)
                if row.fate in ("void", "bug") and self._stop.is_set():
                    return  # it failed because everything is being closed
                failed = row.fate == "void" and not (row.failure and row.failure.final)
                # A void that the agent may have caused always gets one more attempt, which decides.
                again = failed and (queued.left > 1 or row.unproved)
                with self._lock:
                    self._rows.add(row)
                    self._left -= not again
                    self._watcher.attempt_ended(row, self._left)
                    self._count_refusal(row)
                if again:
                    self._put(
                        QueuedAttempt(
                            queued.job,
                            queued.attempt + 1,
                            queued.left - 1,
                            queued.unproved + row.unproved,
                        )
                    )
                if failed or row.forfeit or not lane.usable():
                    return

    @contextmanager
    def _lane(self, host: str) -> Iterator[Lane | None]:
        def wanted() -> bool:
            return not self._stop.is_set() and not self._queues[host].empty()

        lane = self._lanes.open(wanted, host)
        if lane is None:
            yield None
            return
        with closing(lane):
            self._watcher.machine_opened(lane.host)
            yield lane
        self._watcher.machine_closed()

    def _count_refusal(self, row: Row) -> None:
        """End the run after several equal refusals that a repeated request would get again."""
        failure = row.failure
        if row.ended_by != "model" or failure is None or not failure.final:
            self._refusals = []
            return
        if self._refusals and _comparable(self._refusals[-1]) != _comparable(failure.message):
            self._refusals = []
        self._refusals.append(failure.message)
        if len(self._refusals) == EQUAL_REFUSALS:
            hint = f"The run ended after {EQUAL_REFUSALS} equal refusals. {failure.hint} {FIX}"
            self.errors.append(ModelError(failure.message, hint=hint))
            self._stop.set()


def _comparable(message: str) -> str:
    """The message without numbers and ids, which differ between requests."""
    return re.sub(r"[0-9a-fA-F-]{8,}|\d+", "#", message)


@dataclass(frozen=True)
class QueuedAttempt:
    """An attempt waiting in the queue."""

    job: Job
    attempt: int
    """Number of the attempt, from 1."""
    left: int
    """Attempts left in this invocation, this one included."""
    unproved: int
    """Earlier attempts that ended void in a way the agent may have caused."""
