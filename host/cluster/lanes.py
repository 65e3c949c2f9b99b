"""Lanes on the machines of other hosts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from ambidex.host import Agent, Answer, Briefing, Model
from ambidex.host.cluster import Chunk, HostRefusedError, Progress, Question, Report
from ambidex.host.cluster.cluster import Cluster, Placed
from ambidex.host.cluster.connection import connect
from ambidex.host.cluster.folders import FolderWriter
from ambidex.host.cluster.screens import ScreenWorker, listening
from ambidex.host.errors import HostError, ModelError, UsageError
from ambidex.host.loop.branch_point import note_host
from ambidex.host.loop.episode import InterruptedEpisodeError
from ambidex.host.loop.progress import Episode
from ambidex.host.loop.trial import Trial, new_folder
from ambidex.host.records.announcement import announced
from ambidex.host.records.code import code_hash
from ambidex.host.records.config import ModelConfig
from ambidex.host.records.environment import Environment, keep
from ambidex.host.records.jobs import Job
from ambidex.host.records.orders import NAME as ORDERS
from ambidex.host.records.rows import Phase, Row
from ambidex.host.runs.lanes import LaneRequest, OpenLanes, RunParts, Started
from ambidex.host.runs.machines import MachineOptions
from ambidex.host.runs.task_checks import refuse_keys_elsewhere
from ambidex.tasks import Task

__all__ = ["ClusterLanes", "ClusterSource", "RemoteLane", "on_cluster"]

WAIT = 5.0
"""Seconds that a worker waits for news before it says that there are none."""
MOST_FAILURES = 3
"""Workers in a row that may fail to open a lane."""
LOOKED = 0.2
"""Seconds between two looks for a person's orders and for the end of the run."""


@dataclass
class RemoteAttempt:
    """An attempt on another host, as far as it has reported."""

    folder: Path
    phase: Phase = ""
    steps: int = 0
    acted: int = 0
    ordered: int = 0
    """Bytes of orders that have been sent."""
    announcement: ExitStack = field(default_factory=ExitStack)
    """Withdraws the announcement of the screen when it is closed."""

    @property
    def episode(self) -> Episode:
        """The counts that are known here."""
        return Episode(steps=self.steps)

    def announce(self, screen: ScreenWorker, password: str) -> None:
        """Announce a new screen, at an address on this computer."""
        self.announcement.close()
        address = self.announcement.enter_context(listening(lambda: screen))
        self.announcement.enter_context(announced(self.folder, (address, password)))

    def update(self, progress: Progress) -> None:
        """Take over what a report says."""
        self.phase, self.steps, self.acted = progress.phase, progress.steps, progress.acted


@dataclass(eq=False)
class RemoteLane:
    """A lane of a worker. See `host.runs.lanes.Lane`."""

    cluster: Cluster
    worker: Placed
    number: int
    request: LaneRequest
    trial: Trial
    models: Callable[[str], Model]
    attempting: RemoteAttempt | None = None

    @property
    def host(self) -> str:
        """See `Lane`."""
        return self.worker.facts.host

    def attempt(self, job: Job, number: int, unproved: int, started: Started) -> Row:
        """See `Lane`. If the host is lost, the row is void and says so; what its worker still sends
        is never read."""
        folder = new_folder(self.request.folder / self.trial.name_of(job))
        seen = RemoteAttempt(folder)
        started(seen)
        try:
            with ExitStack() as stack:
                seen.announcement.enter_context(announced(folder, None))
                stack.push(seen.announcement)
                self.attempting = seen
                row = self._row(job, number, unproved, seen)
        except HostRefusedError as refusal:
            self.cluster.refuse(self.worker, refusal)
            row = self.trial.lost(job, number, unproved, seen, HostError(str(refusal)))
        except HostError as error:
            if self.request.stop.is_set():
                raise InterruptedEpisodeError from None
            self.cluster.lose(self.worker)
            row = self.trial.lost(job, number, unproved, seen, error)
        finally:
            self.attempting = None
        return row.model_copy(update={"host": self.host})

    def usable(self) -> bool:
        """See `Lane`."""
        return not self.worker.lost and not self.cluster.is_draining(self.worker)

    def close(self) -> None:
        """See `Lane`."""
        if self.worker.lost:
            return
        try:
            self._call("close_lane")
        except HostError:
            self.cluster.lose(self.worker)
            return
        if self.cluster.is_draining(self.worker):
            self.cluster.lose(self.worker)
        else:
            self.cluster.give_back(self.worker)

    def send_orders(self) -> None:
        """Send a person's new orders to the worker."""
        seen = self.attempting
        if seen is None:
            return
        with suppress(FileNotFoundError):
            path = seen.folder / ORDERS
            if path.stat().st_size > seen.ordered:
                with path.open("rb") as file:
                    file.seek(seen.ordered)
                    lines = file.read()
                lines = lines[: lines.rfind(b"\n") + 1]
                seen.ordered += len(lines)
                self.worker.actor.order.remote(self.number, lines)

    def _row(self, job: Job, number: int, unproved: int, seen: RemoteAttempt) -> Row:
        writer = FolderWriter(seen.folder)
        self._call("begin", job, number, unproved, seen.folder.name)
        while True:
            report = self._report(number, seen)
            for chunk in report.chunks:
                writer.write(chunk)
            if report.question:
                self._call("answer", self._answer(report.question))
            if report.interrupted:
                raise InterruptedEpisodeError
            if report.crash:
                raise HostError(f"the worker on {self.host} failed: {report.crash}")
            if report.row:
                break
        writer.complete(report.files, self._read)
        note_host(seen.folder, report.kept, self.host)
        row = Row.model_validate_json(report.row)
        if (row.key, row.attempt) != (job.key, number):
            raise HostError(f"{self.host} sent the row of {row.key}, attempt {row.attempt}")
        if report.environment:
            keep(Environment.model_validate_json(report.environment), self.request.folder)
        return row

    def _report(self, number: int, seen: RemoteAttempt) -> Report:
        report = cast(Report, self._call("news", WAIT))
        if report.attempt != number and not report.crash:
            raise HostError(f"{self.host} reported attempt {report.attempt}, not {number}")
        seen.update(report.progress)
        if report.screen is not None:
            seen.announce(RemoteScreen(self), report.screen)
        return report

    def _answer(self, question: Question) -> Answer | ModelError:
        try:
            return self.models(question.model).ask(question.request)
        except ModelError as error:
            return error

    def _read(self, path: str, offset: int) -> Chunk:
        return cast(Chunk, self._call("read", path, offset))

    def _call(self, method: str, *arguments: object) -> object:
        return self.cluster.call(self.worker, method, self.number, *arguments)


@dataclass(frozen=True)
class RemoteScreen:
    """See `ScreenWorker`."""

    lane: RemoteLane

    def connect(self) -> int:
        """See `ScreenWorker`."""
        return cast(int, self._call("connect_screen"))

    def send(self, connection: int, data: bytes) -> None:
        """See `ScreenWorker`."""
        self._call("send_to_screen", connection, data)

    def receive(self, connection: int, wait: float) -> bytes | None:
        """See `ScreenWorker`."""
        return cast("bytes | None", self._call("receive_from_screen", connection, wait))

    def disconnect(self, connection: int) -> None:
        """See `ScreenWorker`."""
        self._call("disconnect_screen", connection)

    def _call(self, method: str, *arguments: object) -> object:
        return self.lane.cluster.call(self.lane.worker, method, self.lane.number, *arguments)


@dataclass
class ClusterLanes:
    """The lanes of a run on a cluster. See `host.runs.lanes.Lanes`."""

    cluster: Cluster
    request: LaneRequest
    _trial: Trial = field(init=False)
    _models: dict[str, Model] = field(default_factory=dict)
    _lanes: list[RemoteLane] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        request = self.request
        self._trial = Trial(
            request.config,
            request.suite,
            _no_agent,
            request.folder,
            request.stop.is_set,
            code_hash(),
        )

    def open(self, wanted: Callable[[], bool], host: str = "") -> RemoteLane | None:
        """See `Lanes`."""
        config = self.request.config.model_dump_json()
        run = str(self.request.folder.resolve())
        failures = 0
        while (worker := self.cluster.take(wanted, host)) is not None:
            number = next(self.cluster.numbers)
            lane = RemoteLane(self.cluster, worker, number, self.request, self._trial, self._model)
            try:
                self.cluster.call(worker, "open_lane", number, config, run)
            except HostRefusedError as refusal:
                self.cluster.refuse(worker, refusal)
                continue
            except HostError:
                self.cluster.lose(worker)
                if (failures := failures + 1) == MOST_FAILURES:
                    raise
                continue
            with self._lock:
                self._lanes = [old for old in self._lanes if not old.worker.lost]
                self._lanes.append(lane)
            return lane
        return None

    def attend(self, closed: threading.Event) -> None:
        """Forward orders, and the end of the run, until `closed`."""
        while not closed.wait(LOOKED):
            if self.request.stop.is_set():
                self.cluster.interrupt()
                return
            with self._lock:
                lanes = list(self._lanes)
            for lane in lanes:
                lane.send_orders()

    def _model(self, config: str) -> Model:
        with self._lock:
            if config not in self._models:
                self._models[config] = self.request.make_model(
                    ModelConfig.model_validate_json(config)
                )
            return self._models[config]


@dataclass(frozen=True)
class ClusterSource:
    """The machines of a cluster. See `host.runs.lanes.LaneSource`."""

    cluster: Cluster
    image: str
    provider: str
    network: bool = False

    @contextmanager
    def lanes(self, request: LaneRequest) -> Iterator[ClusterLanes]:
        """See `LaneSource`."""
        lanes = ClusterLanes(self.cluster, request)
        closed = threading.Event()
        attending = threading.Thread(target=lanes.attend, args=(closed,), name="orders")
        attending.start()
        try:
            yield lanes
        finally:
            closed.set()
            attending.join()


def on_cluster(address: str) -> OpenLanes:
    """An `OpenLanes` for the cluster at that address: `auto`, `HOST:PORT` or `ray://HOST:PORT`."""

    @contextmanager
    def open_lanes(
        options: MachineOptions, parts: RunParts, say: Callable[[str], None]
    ) -> Iterator[ClusterSource]:
        if options.provider == "attached":
            raise UsageError("--provider attached has a machine of its own, and no other hosts")
        refuse_keys_elsewhere(parts.suite)
        with connect(address, options, parts, say) as cluster:
            facts = cluster.first()
            yield ClusterSource(cluster, facts.image, facts.provider, options.network)

    return open_lanes


def _no_agent(name: str, task: Task, briefing: Briefing) -> Agent:
    raise AssertionError("agents act on the workers")
