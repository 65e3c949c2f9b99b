"""The head's connection to a cluster: it places workers, and gives a run its lanes on them."""

from __future__ import annotations

import os
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from ambidex.host.cluster import (
    DESK,
    HostFacts,
    HostRefusedError,
    ImageMissingError,
    WorkerOrder,
)
from ambidex.host.cluster.bundle import ANNOTATIONS, SUITE, write_bundle
from ambidex.host.cluster.ray_library import draining_nodes, ray_library
from ambidex.host.cluster.worker import Worker
from ambidex.host.errors import HostError, UsageError
from ambidex.host.runs.lanes import RunParts
from ambidex.host.runs.machines import MachineOptions

__all__ = ["Cluster", "Placed", "connect"]

LEASE = 60.0
"""Seconds after which a worker that has not heard from the head ends itself."""
RENEWED = 10.0
"""Seconds between two renewals of every worker's lease."""
LEAST_DISK = 1 << 30
"""Bytes that must be free on a host for an attempt."""
LOOKED = 1.0
"""Seconds between two looks at whether a place is still wanted."""
ANSWERS = 180.0
"""Seconds within which a worker answers. A lost one is noticed by Ray, long before."""
LANES = 1
"""Lanes of a worker: each machine has a process of its own."""
TOKEN = "RAY_AUTH_MODE"
LOOPBACK = ("127.", "::1", "localhost")


@dataclass(eq=False)
class Placed:
    """A worker that Ray has placed on a host."""

    actor: Any
    facts: HostFacts
    lanes: int
    """Lanes that it can still open."""
    lost: bool = False


@dataclass
class Cluster:
    """Workers of a cluster. Thread-safe; made by `connect`."""

    ray: Any
    order: WorkerOrder
    say: Callable[[str], None]
    lanes_per_worker: int = LANES
    numbers: Iterator[int] = field(default_factory=count)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _workers: list[Placed] = field(default_factory=list)
    _pending: list[Any] = field(default_factory=list)
    """Actors that Ray has not placed yet, or that are opening their machines."""
    _refused: dict[str, HostRefusedError] = field(default_factory=dict)
    _parked: list[Any] = field(default_factory=list)
    """Workers on refused hosts. They keep their places, so that Ray puts no other there."""
    _lacking: list[tuple[Any, ImageMissingError]] = field(default_factory=list)
    """Those of the parked ones whose hosts lack the image, until one has it."""
    _facts: HostFacts | None = None
    _draining: frozenset[str] = frozenset()
    _said: str = ""

    def first(self) -> HostFacts:
        """What the first host says that can take part: its image is that of the run."""
        worker = self.take(lambda: True)
        assert worker is not None
        self.give_back(worker)
        return worker.facts

    def take(self, wanted: Callable[[], bool]) -> Placed | None:
        """A worker with a free lane; waits until Ray has placed one. None if `wanted` became false.
        `UsageError` if every host that has answered was refused."""
        if worker := self._free():
            return worker
        actor, described = self._fetch_image() or self._start()
        told = False
        try:
            while wanted():
                if worker := self._free():
                    return worker
                ready, _ = self.ray.wait([described], timeout=LOOKED)
                if not ready:
                    if fetching := self._fetch_image():
                        self._forget(actor)
                        actor, described = fetching
                        continue
                    self._refuse_if_hopeless()
                    if not told and not self._has_place():
                        told = True
                        self.say_once(
                            f"waiting for a host with the resource {DESK}: `ambidex doctor "
                            "--capacity` prints the command that adds one"
                        )
                    continue
                if placed := self._placed(actor, described):
                    actor = None
                    return placed
                actor, described = self._fetch_image() or self._start()
            return None
        finally:
            if actor is not None:
                self._forget(actor)

    def give_back(self, worker: Placed) -> None:
        """Take back the lane of a worker that has closed it."""
        with self._lock:
            worker.lanes += 1

    def lose(self, worker: Placed) -> None:
        """Give a worker up: it is not asked any more, whatever it still sends."""
        with self._lock:
            worker.lost = True
            if worker in self._workers:
                self._workers.remove(worker)
        with suppress(Exception):  # its host may be gone
            self.ray.kill(worker.actor, no_restart=True)

    def refuse(self, worker: Placed, refusal: HostRefusedError) -> None:
        """Use a host no more: its worker keeps its place and does nothing."""
        with self._lock:
            worker.lost = True
            if worker in self._workers:
                self._workers.remove(worker)
        self._refuse(worker.actor, worker.facts.host, refusal)

    def call(self, worker: Placed, method: str, *arguments: object) -> Any:
        """Call a method of the worker. `HostError` if it is lost, `HostRefusedError` from it."""
        ray = self.ray
        reference = getattr(worker.actor, method).remote(*arguments)
        try:
            return ray.get(reference, timeout=ANSWERS)
        except ray.exceptions.RayTaskError as error:
            if isinstance(cause := error.cause, HostRefusedError):
                raise cause from None
            raise
        except ray.exceptions.RayError as error:
            first = next(iter(str(error).strip().splitlines()), type(error).__name__)
            raise HostError(f"the host {worker.facts.host} was lost: {first}") from None

    def is_draining(self, worker: Placed) -> bool:
        """Whether its host has been told to drain: it finishes its attempt, and gets no other."""
        return worker.facts.node in self._draining

    def tend(self, stopped: threading.Event) -> None:
        """Renew every worker's lease until `stopped`, and look which hosts drain."""
        while not stopped.wait(RENEWED):
            with self._lock:
                actors = [worker.actor for worker in self._workers]
            for actor in actors:
                with suppress(Exception):  # noticed where it is asked for news
                    actor.renew.remote()
            self.look_for_draining()

    def look_for_draining(self) -> None:
        """Ask Ray which hosts have been told to drain."""
        self._draining = draining_nodes()

    def interrupt(self) -> None:
        """End the attempts of all workers."""
        with self._lock:
            actors = [worker.actor for worker in self._workers]
        for actor in actors:
            with suppress(Exception):
                actor.interrupt.remote()

    def close(self) -> None:
        """End all workers, and with them their machines."""
        with self._lock:
            workers = [worker.actor for worker in self._workers]
            others = [*self._pending, *self._parked]
        closing = []
        for actor in workers:
            with suppress(Exception):
                closing.append(actor.close.remote())
        if closing:
            with suppress(Exception):
                self.ray.wait(closing, num_returns=len(closing), timeout=30)
        for actor in (*workers, *others):
            with suppress(Exception):
                self.ray.kill(actor, no_restart=True)

    def say_once(self, text: str) -> None:
        """Send a message, unless it was the last one."""
        with self._lock:
            if self._said == text:
                return
            self._said = text
        self.say(text)

    def _free(self) -> Placed | None:
        with self._lock:
            for worker in self._workers:
                if worker.lanes and worker.facts.node not in self._draining:
                    worker.lanes -= 1
                    return worker
        return None

    def _start(self) -> tuple[Any, Any]:
        actor_class = self.ray.remote(
            num_cpus=0,
            resources={DESK: self.lanes_per_worker},
            max_restarts=0,
            max_task_retries=0,
            max_concurrency=2 * self.lanes_per_worker + 4,
        )(NodeWorker)
        actor = actor_class.remote(self.order)
        with self._lock:
            self._pending.append(actor)
        return actor, actor.describe.remote()

    def _fetch_image(self) -> tuple[Any, Any] | None:
        """Let a host that lacks the image fetch it from one that has it, if there are both."""
        with self._lock:
            if not self._lacking or not self._workers:
                return None
            actor, _ = self._lacking.pop()
            self._parked.remove(actor)
            self._pending.append(actor)
            source = self._workers[0]
        self.say(f"a host lacks the image: it is copied from {source.facts.host}")
        return actor, actor.fetch_from.remote(source.actor)

    def _placed(self, actor: Any, described: Any) -> Placed | None:
        """The worker, if its host can take part."""
        exceptions = self.ray.exceptions
        try:
            facts: HostFacts = self.ray.get(described)
        except exceptions.RayTaskError as error:
            if not isinstance(refusal := error.cause, HostRefusedError):
                raise UsageError(f"a worker could not be started: {error}") from None
            if isinstance(refusal, ImageMissingError):
                with self._lock:
                    self._pending.remove(actor)
                    self._parked.append(actor)
                    self._lacking.append((actor, refusal))
            else:
                self._refuse(actor, str(refusal), refusal)
            return None
        except exceptions.RayError:  # its host was lost meanwhile
            self._forget(actor)
            return None
        with self._lock:
            self._pending.remove(actor)
            first, self._facts = self._facts, self._facts or facts
        if first and (first.image, first.provider) != (facts.image, facts.provider):
            refusal = HostRefusedError(
                f"the host {facts.host} cannot take part: its machines have the image "
                f"{facts.image}, those of {first.host} {first.image}",
                hint="Build the image there from the same recipe, or copy it: docs/cluster.md.",
            )
            self._refuse(actor, facts.host, refusal)
            return None
        worker = Placed(actor, facts, self.lanes_per_worker - 1)
        with self._lock:
            self._workers.append(worker)
        return worker

    def _refuse(self, actor: Any, host: str, refusal: HostRefusedError) -> None:
        with self._lock:
            if actor in self._pending:
                self._pending.remove(actor)
            self._parked.append(actor)
            known = str(refusal) in map(str, self._refused.values())
            self._refused[host] = refusal
        if not known:
            self.say(f"{refusal}. {refusal.hint}".strip())

    def _forget(self, actor: Any) -> None:
        with self._lock:
            if actor in self._pending:
                self._pending.remove(actor)
        with suppress(Exception):
            self.ray.kill(actor, no_restart=True)

    def _has_place(self) -> bool:
        return bool(self.ray.cluster_resources().get(DESK))

    def _refuse_if_hopeless(self) -> None:
        """Raise if no worker is left and hosts were refused: no other host may ever come."""
        with self._lock:
            refusals = [*self._refused.values(), *(refusal for _, refusal in self._lacking)]
            if not refusals or self._workers:
                return
        if self.ray.available_resources().get(DESK, 0) < self.lanes_per_worker:
            raise UsageError("; ".join(map(str, refusals)), hint=refusals[0].hint)


class NodeWorker(Worker):
    """A worker that asks Ray where it is."""

    def __init__(self, order: WorkerOrder) -> None:
        ray = ray_library()
        node = ray.get_runtime_context().get_node_id()
        facts = next(facts for facts in ray.nodes() if facts["NodeID"] == node)
        named = facts["NodeName"] not in ("", facts["NodeManagerAddress"])
        super().__init__(order, node, facts["NodeName"] if named else socket.gethostname())

    def fetch_from(self, other: Any) -> HostFacts:
        """Fetch the image from the host of another worker; then as `describe`."""
        ray = ray_library()

        def read(name: str, offset: int) -> bytes:
            piece: bytes = ray.get(other.read_base.remote(name, offset))
            return piece

        try:
            self.fetch_base(ray.get(other.pack_base.remote()), read)
        except ray.exceptions.RayError as error:
            raise HostRefusedError(f"the image could not be fetched: {error}") from None
        return self.describe()


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
    own = RunParts(suite, (*parts.references, options.provider, open_lanes), parts.toolsets)
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
