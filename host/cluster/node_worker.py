"""A worker as Ray runs it: an actor."""

from __future__ import annotations

import socket
from typing import Any

from ambidex.host.cluster import HostFacts, HostRefusedError, WorkerOrder
from ambidex.host.cluster.ray_library import ray_library
from ambidex.host.cluster.worker import Worker

__all__ = ["NodeWorker"]


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
