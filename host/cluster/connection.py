"""The connection of a head to a cluster."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from ambidex.host.cluster import WorkerOrder
from ambidex.host.cluster.bundle import ANNOTATIONS, CODE, SUITE, write_bundle
from ambidex.host.cluster.cluster import LANES, Cluster
from ambidex.host.cluster.ray_library import ray_library
from ambidex.host.errors import UsageError
from ambidex.host.runs.lanes import RunParts
from ambidex.host.runs.machines import MachineOptions

__all__ = ["connect"]

LEASE = 60.0
"""Seconds after which a worker that has not heard from the head ends itself."""
LEAST_DISK = 1 << 30
"""Bytes that must be free on a host for an attempt."""
TOKEN = "RAY_AUTH_MODE"
LOOPBACK = ("127.", "::1", "localhost")


@contextmanager
def connect(
    address: str,
    options: MachineOptions,
    parts: RunParts,
    say: Callable[[str], None],
    *,
    lanes_per_worker: int = LANES,
    lease: float = LEASE,
    least_disk: int = LEAST_DISK,
    open_lanes: str = "",
) -> Iterator[Cluster]:
    """Connect to the cluster at `address` for the block. `UsageError` if it does not answer."""
    ray = ray_library()
    suite = parts.suite
    own = replace(parts, references=(*parts.references, options.provider, open_lanes))
    with tempfile.TemporaryDirectory(prefix="ambidex-cluster-") as folder:
        source = write_bundle(Path(folder), own)
        try:
            ray.init(
                address=address, runtime_env={"working_dir": folder}, log_to_driver=False,
                logging_level="error",
            )  # fmt: skip
        except (ConnectionError, ValueError, RuntimeError, TimeoutError) as error:
            raise UsageError(
                f"the cluster {address} does not answer: {error}",
                hint="Start its head with `ray start --head`; see docs/cluster.md.",
            ) from None
    order = WorkerOrder(
        machines=replace(options, machines=lanes_per_worker),
        suite=f"{SUITE}/{suite.folder.resolve().name}",
        annotations=ANNOTATIONS if suite.annotations else "",
        tasks={task.name: task.hash for task in suite.tasks},
        source=source,
        lease=lease,
        least_disk=least_disk,
        code=CODE if parts.code else "",
        **({"open_lanes": open_lanes} if open_lanes else {}),
    )
    cluster = Cluster(ray, order, say, lanes_per_worker)
    _warn_if_open(ray, say)
    stopped = threading.Event()
    tending = threading.Thread(target=cluster.tend, args=(stopped,), name="leases", daemon=True)
    tending.start()
    try:
        yield cluster
    finally:
        stopped.set()
        try:
            cluster.close()
            tending.join()
        finally:
            ray.shutdown()


def _warn_if_open(ray: Any, say: Callable[[str], None]) -> None:
    """Say that whoever reaches a cluster's ports can run code there, unless it asks for a token."""
    nodes = [node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]]
    if os.environ.get(TOKEN) == "token" or all(name.startswith(LOOPBACK) for name in nodes):
        return
    say(
        "this cluster asks for no token: whoever reaches its ports can run code on its hosts. Use "
        f"a private network, and {TOKEN}=token (docs/cluster.md)."
    )
