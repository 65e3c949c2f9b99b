"""One lane of a worker: a thread that owns a machine and executes what the head begins."""

from __future__ import annotations

import queue
import shutil
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import dataclass
from pathlib import Path

from ambidex.host import Answer, Request
from ambidex.host.cluster import Chunk, Progress, Question, Report
from ambidex.host.cluster.folders import FolderReader, hashes, read_piece
from ambidex.host.cluster.screens import ScreenConnections
from ambidex.host.errors import ModelError
from ambidex.host.loop.branch_point import saved_steps
from ambidex.host.loop.checkpointing import SNAPSHOTS
from ambidex.host.loop.episode import InterruptedEpisodeError
from ambidex.host.records.announcement import ScreenAddress, running_trials
from ambidex.host.records.config import ModelConfig
from ambidex.host.records.environment import FOLDER as ENVIRONMENTS
from ambidex.host.records.jobs import Job
from ambidex.host.records.orders import NAME as ORDERS
from ambidex.host.runs.lanes import Lanes
from ambidex.host.runs.live_table import AttemptState

__all__ = ["AskedModel", "WorkerLane"]

LOOKED = 0.25
"""Seconds between two looks at the trial's folder while the head waits for news."""


@dataclass
class AskedModel:
    """A `host.Model` that the head asks."""

    name: str
    config: ModelConfig
    lane: WorkerLane

    def ask(self, request: Request) -> Answer:
        """See `host.Model`."""
        return self.lane.ask(self.config, request)


@dataclass(frozen=True)
class Task:
    """An attempt that the head has begun."""

    job: Job
    number: int
    unproved: int
    folder: str
    """Name of the trial's folder."""


class WorkerLane:
    """Executes attempts in a thread of its own, one after another, and reports. `begin`, `news`,
    `answer` and `close` are called in turn by the head; `order` and `interrupt` at any time."""

    def __init__(
        self,
        lanes: Callable[[WorkerLane], AbstractContextManager[Lanes]],
        run: Path,
        interrupted: threading.Event,
        kept: Path,
    ) -> None:
        """`lanes` provides the machine; it is called in the lane's thread. `run` is the directory
        in which trials have their folders, and is removed at the end; those of scored trials with
        checkpoints are moved to `kept`."""
        self._open, self._run, self._interrupted, self._kept = lanes, run, interrupted, kept
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Answer | ModelError] = queue.SimpleQueue()
        self._changed = threading.Condition()
        self._question: Question | None = None
        self._asked = 0
        self._asking = threading.Lock()
        self._task: Task | None = None
        self._state: AttemptState | None = None
        self._end: Report | None = None
        self._scored = False
        """Whether the last attempt was scored."""
        self._reader: FolderReader | None = None
        self._screen: ScreenAddress | None = None
        self.screens = ScreenConnections()
        self._thread = threading.Thread(target=self._work, name=f"lane {run.name}", daemon=True)
        self._thread.start()

    def begin(self, job: Job, number: int, unproved: int, folder: str) -> None:
        """Start an attempt, whose folder has that name."""
        with self._changed:
            self._task = Task(job, number, unproved, folder)
            self._state = self._end = self._question = None
            self._reader = FolderReader(self._run / folder)
            self._screen = None
        self.screens.close()
        self._tasks.put(self._task)

    def news(self, wait: float) -> Report:
        """What has happened since the last call; waits for it, at most `wait` seconds."""
        end = time.monotonic() + wait
        while True:
            with self._changed:
                finished, question = self._end, self._question
                self._question = None
            reader, task = self._reader, self._task
            assert reader is not None
            assert task is not None
            chunks = reader.news() if finished is None or finished.row else ()
            if finished is not None and not chunks:
                return finished
            left, screen = end - time.monotonic(), self._new_screen(task)
            if chunks or question or left <= 0 or screen:
                return Report(task.number, self._progress(), chunks, question, screen)
            with self._changed:
                if self._end is None and self._question is None:
                    self._changed.wait(min(LOOKED, left))

    def ask(self, config: ModelConfig, request: Request) -> Answer:
        """Let the head ask a model, one request after another: an agent's model and a colleague's
        are asked from different threads. Raises what the model raised there."""
        with self._asking:
            with self._changed:
                self._asked += 1
                self._question = Question(self._asked, config.model_dump_json(), request)
                self._changed.notify_all()
            while not self._interrupted.is_set():
                with suppress(queue.Empty):
                    answer = self._answers.get(timeout=LOOKED)
                    if isinstance(answer, ModelError):
                        raise answer
                    return answer
        raise ModelError(f"the run was interrupted before {config.name} answered")

    def answer(self, answer: Answer | ModelError) -> None:
        """Take the answer to the last question."""
        self._answers.put(answer)

    def read(self, path: str, offset: int) -> Chunk:
        """A piece of a file in the trial's folder."""
        assert self._task is not None
        return read_piece(self._run / self._task.folder, path, offset)

    def order(self, lines: bytes) -> None:
        """Append a person's orders to those of the trial."""
        if (task := self._task) is not None:
            with suppress(FileNotFoundError), (self._run / task.folder / ORDERS).open("ab") as file:
                file.write(lines)

    def connect_screen(self) -> int:
        """Connect to the machine's screen. `ConnectionRefusedError` if it has none now."""
        if self._screen is None or not self._screen.vnc:
            raise ConnectionRefusedError("the machine has no screen now")
        return self.screens.connect(self._screen.vnc)

    def close(self) -> None:
        """End the machine, and wait for that."""
        self.screens.close()
        self._tasks.put(None)
        self._thread.join()

    def _new_screen(self, task: Task) -> str | None:
        """The password of a screen that was not there before."""
        shown = dict(running_trials(self._run, [task.folder])).get(task.folder)
        if shown is None or shown == self._screen or not shown.vnc:
            return None
        self._screen = shown
        return shown.password

    def _progress(self) -> Progress:
        state = self._state
        return Progress(state.phase, state.steps, state.acted) if state else Progress()

    def _work(self) -> None:
        try:
            with self._open(self) as lanes:
                self._serve(lanes)
        except Exception:  # noqa: BLE001 - reported to the head, which decides
            self._finish(crash=traceback.format_exc())
        finally:
            self._put_away()
            shutil.rmtree(self._run, ignore_errors=True)

    def _serve(self, lanes: Lanes) -> None:
        lane = lanes.open(lambda: True)
        assert lane is not None, "a lane on this computer never waits"
        with closing(lane):
            while (task := self._tasks.get()) is not None:
                self._put_away()
                self._scored = False
                try:
                    row = lane.attempt(task.job, task.number, task.unproved, self._started)
                except InterruptedEpisodeError:
                    self._finish(interrupted=True)
                    continue
                self._scored = row.fate == "scored"
                self._finish(row=row.model_dump_json(), folder=self._run / task.folder)

    def _put_away(self) -> None:
        """Remove the folder of the previous attempt, which the head has by now. If that attempt was
        scored and has checkpoints, which are only here, keep the folder."""
        for old in self._folders():
            target = self._kept / old.name
            if self._scored and (old / SNAPSHOTS).is_dir():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.rmtree(target, ignore_errors=True)
                old.rename(target)
            else:
                shutil.rmtree(old, ignore_errors=True)

    def _folders(self) -> Iterator[Path]:
        for path in self._run.iterdir():
            if path.is_dir() and path.name != ENVIRONMENTS:
                yield path

    def _started(self, state: AttemptState) -> None:
        self._state = state

    def _finish(
        self,
        *,
        row: str = "",
        folder: Path | None = None,
        interrupted: bool = False,
        crash: str = "",
    ) -> None:
        task = self._task
        environments = [path.read_text() for path in self._run.glob(f"{ENVIRONMENTS}/*.json")]
        report = Report(
            attempt=task.number if task else 0,
            progress=self._progress(),
            row=row,
            files=hashes(folder) if folder else {},
            kept=tuple(sorted(saved_steps(folder))) if folder and self._scored else (),
            environment=environments[0] if environments else "",
            interrupted=interrupted,
            crash=crash,
        )
        with self._changed:
            self._end = report
            self._changed.notify_all()
