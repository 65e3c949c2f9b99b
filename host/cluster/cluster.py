"""The head's workers on a cluster: placed by Ray, checked, given out lane by lane, given up."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from ambidex.host.cluster import (
    DESK,
    HostFacts,
    HostRefusedError,
    ImageMissingError,
    WorkerOrder,
)
from ambidex.host.cluster.node_worker import NodeWorker
from ambidex.host.cluster.ray_library import draining_nodes, on_node
from ambidex.host.errors import HostError, UsageError

__all__ = ["Cluster", "Placed"]

RENEWED = 10.0
"""Seconds between two renewals of every worker's lease."""
LOOKED = 1.0
"""Seconds between two looks at whether a place is still wanted."""
ANSWERS = 180.0
"""Seconds within which a worker answers. A lost one is noticed by Ray, long before."""
CONCURRENT = 16
"""Calls at once that a worker takes besides those of its lanes: orders, and viewers of screens."""
LANES = 1
"""Lanes of a worker: each machine has a process of its own."""


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
    """Workers of a cluster. Thread-safe; made by `host.cluster.connection`."""

    ray: Any
    order: WorkerOrder
    say: Callable[[str], None]
    lanes_per_worker: int = LANES
    numbers: Iterator[int] = field(default_factory=count)
    _lock: threading.Condition = field(default_factory=threading.Condition)
    """Notified when a lane becomes free."""
    _waiting: int = 0
    """Lanes that wait for a worker."""
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

    def take(self, wanted: Callable[[], bool], host: str = "") -> Placed | None:
        """A worker with a free lane, on that host or on any; waits until Ray has placed one. None
        if `wanted` became false. `UsageError` if every host that has answered was refused, or the
        host is not in the cluster."""
        actor = described = None
        with self._lock:
            self._waiting += 1
        try:
            while wanted():
                if worker := self._free(host):
                    return worker
                if (fetching := self._fetch_image()) and actor is not None:
                    self._forget(actor)
                if started := fetching or (None if actor is not None else self._start(host)):
                    actor, described = started
                if actor is None:
                    with self._lock:
                        self._lock.wait(LOOKED)
                    continue
                ready, _ = self.ray.wait([described], timeout=LOOKED)
                if not ready:
                    self._refuse_if_hopeless()
                    self._say_if_no_place()
                    continue
                placed, actor = self._placed(actor, described), None
                if placed:
                    return placed
            return None
        finally:
            with self._lock:
                self._waiting -= 1
            if actor is not None:
                self._forget(actor)

    def give_back(self, worker: Placed) -> None:
        """Take back the lane of a worker that has closed it."""
        with self._lock:
            worker.lanes += 1
            self._lock.notify()

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
        """Call a method of the worker. `HostError` if it is lost or fails, `HostRefusedError` from
        it."""
        ray = self.ray
        reference = getattr(worker.actor, method).remote(*arguments)
        try:
            return ray.get(reference, timeout=ANSWERS)
        except ray.exceptions.RayTaskError as error:
            if isinstance(cause := error.cause, HostRefusedError):
                raise cause from None
            last = str(error).strip().splitlines()[-1]
            raise HostError(f"the worker on {worker.facts.host} failed: {last}") from error
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

    def _free(self, host: str) -> Placed | None:
        with self._lock:
            for worker in self._workers:
                if host and worker.facts.host != host:
                    continue
                if worker.lanes and worker.facts.node not in self._draining:
                    worker.lanes -= 1
                    return worker
        return None

    def _start(self, host: str) -> tuple[Any, Any] | None:
        """Start a worker, unless those that are starting suffice for the lanes that wait."""
        with self._lock:
            if not host and len(self._pending) * self.lanes_per_worker >= self._waiting:
                return None
        placing = {"scheduling_strategy": on_node(self._node_of(host))} if host else {}
        actor_class = self.ray.remote(
            num_cpus=0,
            resources={DESK: self.lanes_per_worker},
            max_restarts=0,
            max_task_retries=0,
            max_concurrency=2 * self.lanes_per_worker + CONCURRENT,
            **placing,
        )(NodeWorker)
        actor = actor_class.remote(self.order)
        with self._lock:
            self._pending.append(actor)
        return actor, actor.describe.remote()

    def _node_of(self, host: str) -> str:
        """Ray's id of a host."""
        for node in self.ray.nodes():
            if node["Alive"] and host in (node["NodeName"], node["NodeManagerHostname"]):
                return str(node["NodeID"])
        raise UsageError(
            f"the host {host} has the checkpoints to start from, and is not in the cluster",
            hint="Add it again with `ray start`, under the same name (--node-name).",
        )

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
            self._lock.notify_all()
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

    def _say_if_no_place(self) -> None:
        if not self.ray.cluster_resources().get(DESK):
            self.say_once(
                f"waiting for a host with the resource {DESK}: `ambidex doctor --capacity` prints "
                "the command that adds one"
            )

    def _refuse_if_hopeless(self) -> None:
        """Raise if no worker is left and hosts were refused: no other host may ever come."""
        with self._lock:
            refusals = [*self._refused.values(), *(refusal for _, refusal in self._lacking)]
            if not refusals or self._workers:
                return
        if self.ray.available_resources().get(DESK, 0) < self.lanes_per_worker:
            raise UsageError("; ".join(map(str, refusals)), hint=refusals[0].hint)
