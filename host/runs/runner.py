"""Many trials on several machines: a queue of jobs, a thread per machine, a row per attempt."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ambidex.host.errors import UsageError
from ambidex.host.loop.episode import InterruptedEpisodeError
from ambidex.host.loop.trial import MakeAgent, Trial
from ambidex.host.records.config import MOST_RUNS, Job, RunConfig, code_hash
from ambidex.host.records.environment import keep, this_environment
from ambidex.host.records.rows import Row, Rows, finished, read_rows
from ambidex.tasks import Suite
from ambidex.vm import Machine

__all__ = ["ATTEMPTS", "MakeMachine", "Quiet", "Watcher", "plan", "run_jobs"]

ATTEMPTS = 3
"""How often a trial is tried in one go while machine, guest or model fail."""

GRACE = 20.0
"""Seconds that the trials under way get to notice an interrupt."""

MakeMachine = Callable[[], Machine]
"""A new machine, not booted yet; the one who asks for it closes it."""


class Watcher(Protocol):
    """Told what happens, from whichever thread it happens in."""

    def begun(self, job: Job, attempt: int) -> None:
        """An attempt begins."""

    def ended(self, row: Row, left: int) -> None:
        """An attempt has its row; `left` trials are still to be finished."""

    def said(self, message: str) -> None:
        """Something that whoever started the run should know."""


class Quiet:
    """A watcher that keeps it to itself."""

    def begun(self, job: Job, attempt: int) -> None:
        """Nothing."""

    def ended(self, row: Row, left: int) -> None:
        """Nothing."""

    def said(self, message: str) -> None:
        """Nothing."""


QUIET = Quiet()


def plan(agents: Sequence[str], runs: int, suite: Suite) -> tuple[Job, ...]:
    """The trials of a run: every task by every agent, so many times; whole rounds first.
    `UsageError` for a number of times that is out of range."""
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
) -> list[Row]:
    """Do what is not yet done and return all rows of the run.

    Trials with a score are never done again; void and bug rows are. `folder` is locked and adopted
    by the caller. `KeyboardInterrupt` ends it cleanly: no row for what was under way, every machine
    closed.
    """
    rows = Rows(folder)
    if damage := rows.repair():
        watcher.said(damage)
    before = read_rows(folder) if (folder / "results.jsonl").exists() else []
    done = finished(before)
    todo = [job for job in jobs if job.key not in done]
    attempts = {job.key: [row for row in before if row.key == job.key] for job in todo}
    stop = threading.Event()
    environment = keep(this_environment(config.image), folder)
    trial = Trial(config, suite, make_agent, folder, stop.is_set, code_hash(), environment)
    work = Work(todo, attempts, trial, rows, watcher, stop)
    threads = [
        threading.Thread(
            target=work.on, args=(make_machine,), name=f"machine-{number}", daemon=True
        )
        for number in range(1, min(machines, len(todo)) + 1)
    ]
    for thread in threads:
        thread.start()
    try:
        for _ in threads:
            work.ended.acquire()
    except KeyboardInterrupt:
        stop.set()
        watcher.said("interrupted: trials under way are given up and will run again on resume")
        end = time.monotonic() + GRACE
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))
        raise
    if work.broken:
        raise work.broken[0]
    return read_rows(folder) if todo or before else []


class Work:
    """The queue, and what the workers share. Rows are written under one lock."""

    def __init__(
        self,
        todo: list[Job],
        attempts: dict[tuple[str, str, int], list[Row]],
        trial: Trial,
        rows: Rows,
        watcher: Watcher,
        stop: threading.Event,
    ) -> None:
        self.broken: list[Exception] = []
        """What ended a worker that should not have ended."""
        self._queue: queue.SimpleQueue[Turn] = queue.SimpleQueue()
        for job in todo:
            earlier = attempts[job.key]
            unproved = sum(row.unproved for row in earlier)
            self._queue.put(Turn(job, len(earlier) + 1, ATTEMPTS, unproved))
        self._left = len(todo)
        self.ended = threading.Semaphore(0)
        """Released once by every worker at its end. Not `Thread.join`: an interrupt within one
        makes Python 3.11 believe that the thread has ended."""
        self._trial = trial
        self._rows = rows
        self._watcher = watcher
        self._stop = stop
        self._lock = threading.Lock()

    def on(self, make_machine: MakeMachine) -> None:
        """Work until nothing is left. After an attempt that machine, guest or model failed the
        machine is replaced by a new one."""
        try:
            while not self._stop.is_set() and self._on_one_machine(make_machine):
                pass
        except InterruptedEpisodeError:
            return
        except Exception as error:  # noqa: BLE001 - handed to the thread that started this one
            self.broken.append(error)
            self._stop.set()
        finally:
            self.ended.release()

    def _on_one_machine(self, make_machine: MakeMachine) -> bool:
        """True where another machine is wanted, false where the queue is empty."""
        with closing(make_machine()) as machine:
            while not self._stop.is_set():
                try:
                    turn = self._queue.get_nowait()
                except queue.Empty:
                    return False
                self._watcher.begun(turn.job, turn.attempt)
                row = self._trial.attempt(turn.job, turn.attempt, machine, turn.unproved)
                if row.fate != "scored" and self._stop.is_set():
                    return False  # it failed because everything is being closed
                failed = row.fate == "void" and not (row.failure and row.failure.final)
                # Of a void that the agent may have caused, one more try decides.
                again = failed and (turn.left > 1 or row.unproved)
                with self._lock:
                    self._rows.add(row)
                    self._left -= not again
                    self._watcher.ended(row, self._left)
                if again:
                    unproved = turn.unproved + row.unproved
                    self._queue.put(Turn(turn.job, turn.attempt + 1, turn.left - 1, unproved))
                if failed or row.forfeit:
                    return True
        return False


@dataclass(frozen=True)
class Turn:
    """A job in the queue: which attempt it will be, how many are left in this go, and how many
    ended void after the agent had acted."""

    job: Job
    attempt: int
    left: int
    unproved: int
