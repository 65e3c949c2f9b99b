"""A worker: the process on a host that has machines and executes attempts. A Ray actor's body.

It answers the head and never calls it. It ends itself, and with it its machines, when it has not
heard from the head for the time of its lease: then the head is gone, or has given it up.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import cast

from ambidex.host import Answer
from ambidex.host.cluster import (
    Chunk,
    HostFacts,
    HostRefusedError,
    ImageMissingError,
    Report,
    WorkerOrder,
)
from ambidex.host.cluster.bases import Archive, fetch_base, pack_base, read_archive
from ambidex.host.cluster.bundle import source_digest
from ambidex.host.cluster.kept import kept_trials
from ambidex.host.cluster.scratch import scratch_folder
from ambidex.host.cluster.worker_lane import AskedModel, WorkerLane
from ambidex.host.errors import HostError, ModelError, UsageError
from ambidex.host.named import load_reference
from ambidex.host.records.config import ModelConfig, RunConfig
from ambidex.host.records.jobs import Job
from ambidex.host.runs.lanes import LaneRequest, Lanes, LaneSource, OpenLanes, RunParts
from ambidex.host.runs.machine_checks import BUILT_FROM_IMAGES
from ambidex.host.terminal import echo
from ambidex.tasks import Suite, TaskError
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from ambidex.tasks.survey import Selection
from ambidex.vm import MachineError
from ambidex.vm.building.image import bases_folder, find_base
from ambidex.vm.store import cache_folder

__all__ = ["Worker"]


class Worker:
    """See the module. Its methods may be called from several threads; those of one lane in turn."""

    def __init__(self, order: WorkerOrder, node: str, host: str) -> None:
        """`node` and `host` are Ray's id and name of the host."""
        self._order, self._node, self._host = order, node, host
        self._stack = ExitStack()
        self._source: LaneSource | None = None
        self._suite: Suite | None = None
        self._scratch = Path()
        self._lanes: dict[int, WorkerLane] = {}
        self._interrupted = threading.Event()
        self._closed = threading.Event()
        self._heard = time.monotonic()

    def describe(self) -> HostFacts:
        """Check the host and open its machines. `HostRefusedError` says why it cannot take part."""
        if self._source is None:
            if (here := source_digest()) != self._order.source:
                raise self._refused(
                    f"its code is not the head's ({here}, not {self._order.source})",
                    "Remove Ambidex from PYTHONPATH where `ray start` is given there.",
                )
            self._suite = self._load_suite()
            self._check_disk()
            self._check_image()
            self._source = self._open_machines()
            # From here on the head renews the lease; before, Ray ends workers whose head has gone.
            self._heard = time.monotonic()
            threading.Thread(target=self._watch_lease, name="lease", daemon=True).start()
        return HostFacts(self._host, self._node, self._source.image, self._source.provider)

    def pack_base(self) -> Archive:
        """Pack the base of the image for another host."""
        return pack_base(find_base(self._order.machines.image).folder, self._packed)

    def read_base(self, name: str, offset: int) -> bytes:
        """A piece of what `pack_base` has packed."""
        return read_archive(self._packed, name, offset)

    def fetch_base(self, archive: Archive, read: Callable[[str, int], bytes]) -> None:
        """Fetch the base of the image from another host. `HostRefusedError` if that fails."""
        self._packed.mkdir(parents=True, exist_ok=True)
        try:
            fetch_base(archive, read, bases_folder(), self._packed)
        except (HostError, MachineError, OSError) as error:
            raise self._refused(f"the image could not be fetched: {error}") from None

    @property
    def _packed(self) -> Path:
        return cache_folder() / "cluster" / "bases"

    def _check_image(self) -> None:
        options = self._order.machines
        if options.provider in BUILT_FROM_IMAGES:
            try:
                find_base(options.image)
            except MachineError as error:
                message = f"the host {self._host} cannot take part: {error}"
                raise ImageMissingError(message, hint=error.hint) from None

    def open_lane(self, lane: int, config: str, run_name: str) -> None:
        """Open a lane for the run in the head's directory `run_name`, with that configuration.
        `HostRefusedError` if the host's disk has filled up."""
        self._heard = time.monotonic()
        self._check_disk()
        facts = RunConfig.model_validate_json(config)
        run = self._scratch / str(lane)
        run.mkdir()

        @contextmanager
        def lanes(worker_lane: WorkerLane) -> Iterator[Lanes]:
            def make_model(model: ModelConfig) -> AskedModel:
                return AskedModel(model.name, model, worker_lane)

            assert self._source is not None
            assert self._suite is not None
            request = LaneRequest(
                facts, self._suite, run, make_model, self._interrupted, runs=kept_trials
            )
            with self._source.lanes(request) as opened:
                yield opened

        self._lanes[lane] = WorkerLane(lanes, run, self._interrupted, kept_trials(run_name))

    def begin(self, lane: int, job: Job, number: int, unproved: int, folder: str) -> None:
        """See `WorkerLane.begin`. `HostRefusedError` if the disk is nearly full."""
        self._heard = time.monotonic()
        self._check_disk()
        self._lanes[lane].begin(job, number, unproved, folder)

    def news(self, lane: int, wait: float) -> Report:
        """See `WorkerLane.news`."""
        self._heard = time.monotonic()
        report = self._lanes[lane].news(wait)
        self._heard = time.monotonic()
        return report

    def answer(self, lane: int, answer: Answer | ModelError) -> None:
        """See `WorkerLane.answer`."""
        self._heard = time.monotonic()
        self._lanes[lane].answer(answer)

    def read(self, lane: int, path: str, offset: int) -> Chunk:
        """See `WorkerLane.read`."""
        self._heard = time.monotonic()
        return self._lanes[lane].read(path, offset)

    def close_lane(self, lane: int) -> None:
        """See `WorkerLane.close`."""
        self._heard = time.monotonic()
        self._lanes.pop(lane).close()

    def order(self, lane: int, lines: bytes) -> None:
        """See `WorkerLane.order`."""
        if found := self._lanes.get(lane):
            found.order(lines)

    def connect_screen(self, lane: int) -> int:
        """See `WorkerLane.connect_screen`."""
        return self._lanes[lane].connect_screen()

    def send_to_screen(self, lane: int, connection: int, data: bytes) -> None:
        """See `ScreenConnections.send`."""
        self._lanes[lane].screens.send(connection, data)

    def receive_from_screen(self, lane: int, connection: int, wait: float) -> bytes | None:
        """See `ScreenConnections.receive`."""
        return self._lanes[lane].screens.receive(connection, wait)

    def disconnect_screen(self, lane: int, connection: int) -> None:
        """See `ScreenConnections.disconnect`."""
        self._lanes[lane].screens.disconnect(connection)

    def renew(self) -> None:
        """Extend the lease."""
        self._heard = time.monotonic()

    def interrupt(self) -> None:
        """End the attempts of all lanes."""
        self._interrupted.set()

    def close(self) -> None:
        """Close all lanes and machines. The lease no longer counts."""
        self._interrupted.set()
        try:
            for lane in list(self._lanes):
                self.close_lane(lane)
            self._stack.close()
        finally:
            self._closed.set()

    def _refused(self, why: str, hint: str = "") -> HostRefusedError:
        return HostRefusedError(f"the host {self._host} cannot take part: {why}", hint=hint)

    def _check_disk(self) -> None:
        folder = cache_folder() / "cluster"
        folder.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(folder).free
        if free < self._order.least_disk:
            raise self._refused(
                f"{free >> 20} MiB are free in {folder}, less than {self._order.least_disk >> 20}",
                "Free some space there and start the run again.",
            )
        if self._scratch == Path():
            self._scratch = self._stack.enter_context(scratch_folder(folder))

    def _load_suite(self) -> Suite:
        order = self._order
        annotations = Path(order.annotations) if order.annotations else None
        selection = Selection(tasks=tuple(order.tasks), annotations=annotations)
        try:
            suite = load_suite(Path(order.suite).resolve(), read_catalogue(), selection=selection)
        except (TaskError, UsageError) as error:
            raise self._refused(f"the suite does not load there: {error}") from None
        here = {task.name: task.hash for task in suite.tasks}
        for name, content in order.tasks.items():
            if here.get(name) != content:
                reasons = [left.why for left in suite.left_out if left.name == name]
                why = reasons[0] if reasons else "it loads differently there"
                raise self._refused(f"the task {name} is not the head's: {why}")
        return suite

    def _open_machines(self) -> LaneSource:
        assert self._suite is not None
        name = self._order.open_lanes
        open_lanes = cast(OpenLanes, load_reference("lanes", name, "Name module:attribute."))
        code = Path(self._order.code).resolve() if self._order.code else None
        lanes: AbstractContextManager[LaneSource] = open_lanes(
            self._order.machines, RunParts(self._suite, code=code), echo
        )
        try:
            return self._stack.enter_context(lanes)
        except (MachineError, UsageError) as error:
            raise self._refused(f"no machine starts there: {error}", error.hint) from None

    def _watch_lease(self) -> None:
        while (left := self._heard + self._order.lease - time.monotonic()) > 0:
            if self._closed.wait(left):
                return
        os._exit(1)  # its machines end with their process
