"""What a run on a cluster costs its head: time per trial, memory, rows, and resuming."""

from __future__ import annotations

import gc
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any

from rich.console import Console
from rich.table import Table

from ambidex.host import Limits, Model
from ambidex.host.cluster.connection import connect
from ambidex.host.cluster.lanes import ClusterSource
from ambidex.host.records.config import ModelConfig, RunConfig, adopt, locked
from ambidex.host.records.jobs import Job
from ambidex.host.records.rows import Row, finished
from ambidex.host.runs.lanes import Lane, LaneRequest, Lanes, RunParts, Started
from ambidex.host.runs.machines import MachineOptions
from ambidex.host.runs.runner import SilentWatcher, run_on_lanes
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite

__all__ = ["cluster"]

SUITE = Path(__file__).parents[2] / "tasks" / "demo"
AGENT, TASK = "says_done", "files-invoices"
STORE = 200 << 20
"""Bytes of each raylet's object store."""


def cluster(
    *,
    machines: int = 1000,
    trials: int = 20_000,
    hosts: int = 2,
    lanes: int = 50,
    seconds: float = 30.0,
    voids: float = 0.02,
) -> None:
    """Run invented attempts on a cluster on the loopback, and print what the head needed.

    Machines are threads that wait (`bench/cluster/machines.py`): `lanes` of them share a worker's
    process, because a thousand processes need more memory than this computer has. `seconds` is the
    mean duration of an attempt, `voids` the share of void ones.
    """
    suite = load_suite(SUITE, read_catalogue(), (TASK,))
    config = RunConfig(
        version="bench",
        suite=str(suite.folder),
        tasks={task.name: task.hash for task in suite.tasks},
        agents=(AGENT,),
        condition="hybrid",
        runs=trials if trials <= 10_000 else 10_000,
        limits=Limits(seconds=seconds, cost=voids),
        provider="synthetic",
        image="synthetic",
    )
    if trials > config.runs:  # a task has at most 10,000 trials in a run
        second = {f"{TASK}-{number}": "0" for number in range(1, -(-trials // config.runs))}
        config = config.model_copy(update={"tasks": {**config.tasks, **second}})
    jobs = [
        Job(name, AGENT, trial) for trial in range(1, config.runs + 1) for name in config.tasks
    ][:trials]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "run"
        with _loopback(hosts, machines) as address:
            watched = Watched()
            parts, options = RunParts(suite, ("bench.cluster.machines:x",)), MachineOptions()
            with (
                connect(
                    address, options, parts, print, lanes_per_worker=lanes,
                    open_lanes="bench.cluster.machines:open_synthetic",
                ) as workers,
                locked(folder),
            ):  # fmt: skip
                adopt(folder, config)
                request = LaneRequest(config, suite, folder, _no_model, threading.Event())
                source = ClusterSource(workers, config.image, config.provider)
                before, began = _memory("VmRSS"), time.monotonic()
                processor = time.process_time()
                with source.lanes(request) as opened:
                    timed = TimedLanes(opened)
                    rows = run_on_lanes(
                        jobs, folder, timed, count=machines, watcher=watched, stop=request.stop
                    )
                took, processor = time.monotonic() - began, time.process_time() - processor
                highest = _memory("VmHWM")
        gc.collect()
        began = time.monotonic()
        run_on_lanes(jobs, folder, opened, watcher=watched)
        resumed = watched.started - began
    assert len(finished(rows)) == trials
    overheads = sorted(timed.overheads)
    cuts = quantiles(overheads, n=100)
    table = Table("measured", "value", title=f"{trials:,} trials on {machines:,} invented machines")
    table.add_row("rows, void ones included", f"{len(rows):,}")
    table.add_row("head's processor time per attempt", f"{1000 * processor / len(rows):.1f} ms")
    table.add_row("added to an attempt, median", f"{1000 * cuts[49]:.0f} ms")
    table.add_row("added to an attempt, 99th percentile", f"{1000 * cuts[98]:.0f} ms")
    table.add_row("rows per second", f"{len(rows) / took:.1f}")
    table.add_row("head's memory before, and at most", f"{before:.0f} MiB, {highest:.0f} MiB")
    table.add_row("resume with all rows, until the first trial", f"{resumed:.2f} s")
    Console().print(table)


class Watched(SilentWatcher):
    """Notes when the queue was ready."""

    started = 0.0

    def run_started(self, before: object, left: int) -> None:
        """See `Watcher`."""
        self.started = time.monotonic()


@dataclass
class TimedLanes:
    """Lanes that note how much longer an attempt took on the head than on its machine."""

    lanes: Lanes
    overheads: list[float] = field(default_factory=list)
    """Seconds."""

    def open(self, wanted: Callable[[], bool], host: str = "") -> TimedLane | None:
        """See `Lanes`."""
        lane = self.lanes.open(wanted, host)
        return TimedLane(lane, self.overheads) if lane else None


@dataclass
class TimedLane:
    """See `TimedLanes`."""

    lane: Lane
    overheads: list[float]

    @property
    def host(self) -> str:
        """See `Lane`."""
        return self.lane.host

    def attempt(self, job: Job, number: int, unproved: int, started: Started) -> Row:
        """See `Lane`."""
        began = time.monotonic()
        row = self.lane.attempt(job, number, unproved, started)
        self.overheads.append(time.monotonic() - began - row.seconds.get("total", 0.0))
        return row

    def usable(self) -> bool:
        """See `Lane`."""
        return self.lane.usable()

    def close(self) -> None:
        """See `Lane`."""
        self.lane.close()


@contextmanager
def _loopback(hosts: int, machines: int) -> Iterator[str]:
    """The address of a cluster on this computer, whose hosts have enough desks together."""
    os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # else not the loopback's address
    from ray.cluster_utils import Cluster

    common: dict[str, Any] = {"node_ip_address": "127.0.0.1", "object_store_memory": STORE}
    head = {**common, "num_cpus": 0, "include_dashboard": False}
    head["_system_config"] = {"worker_niceness": 0}
    local = Cluster(initialize_head=True, shutdown_at_exit=False, head_node_args=head)
    try:
        for number in range(1, hosts + 1):
            desks = {"desk": -(-machines // hosts) + 100}
            local.add_node(
                **common,
                node_name=f"host-{number}",
                runtime_env_dir_name=f"runtime-{number}",  # as on a computer of its own
                num_cpus=1,
                resources=desks,
            )
        yield local.address
    finally:
        local.shutdown()


def _memory(name: str) -> float:
    """A line of this process's state in MiB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    raise ValueError(name)


def _no_model(config: ModelConfig) -> Model:
    raise AssertionError("invented attempts ask no model")
