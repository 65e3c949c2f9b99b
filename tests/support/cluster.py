"""A Ray cluster on the loopback: a head without desks, and hosts with some.

Each host is a raylet with a cache directory of its own. It can be killed, paused and told to drain.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

__all__ = ["Host", "LoopbackCluster", "loopback_cluster"]

STORE = 80 << 20
"""Bytes of an object store: about the least that Ray takes."""
LOOPBACK_ONLY = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""Otherwise a driver takes the loopback's address for one of the network's."""
SETTINGS = {
    "worker_niceness": 0,
    "health_check_initial_delay_ms": 1000,
    "health_check_period_ms": 500,
    "health_check_failure_threshold": 6,
    "health_check_timeout_ms": 1000,
}
"""A host that does not answer for some seconds is lost."""


class Host:
    """A raylet, with the processes that it has started."""

    def __init__(self, node: Any, name: str, cache: Path) -> None:
        self.node, self.name, self.cache = node, name, cache
        self.raylet: int = node.all_processes["raylet"][0].process.pid
        self.spent = False
        """Whether it was done something to, so that it cannot be used again."""

    @property
    def id(self) -> str:
        """Ray's id of it."""
        return str(self.node.node_id)

    def kill(self) -> None:
        """End the raylet with SIGKILL; its workers end by themselves."""
        self.spent = True
        self.node.kill_raylet(check_alive=False)

    def pause(self) -> None:
        """Stop the raylet and its workers, as if the network were gone."""
        self.spent = True
        for pid in (self.raylet, *self.workers()):
            os.kill(pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let them run again."""
        for pid in (self.raylet, *self.workers()):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def workers(self) -> list[int]:
        """The processes of workers that a head has placed here."""
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            with suppress(FileNotFoundError, ProcessLookupError):
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
                title = (entry / "cmdline").read_bytes()
                if int(parent) == self.raylet and title.startswith(b"ray::NodeWorker"):
                    found.append(int(entry.name))
        return found


class LoopbackCluster:
    """A head, and the hosts that were added."""

    def __init__(self, cluster: Any, folder: Path) -> None:
        self._cluster, self._folder = cluster, folder
        self.address: str = cluster.address
        self.hosts: dict[str, Host] = {}
        self._added = 0

    def add(self, name: str, desks: int = 1) -> Host:
        """Start a host with that many desks."""
        self._added += 1
        cache = self._folder / f"{name}-{self._added}"
        cache.mkdir()
        node = self._cluster.add_node(
            node_ip_address="127.0.0.1",
            node_name=name,
            num_cpus=2,
            resources={"desk": desks},
            object_store_memory=STORE,
            env_vars={"AMBIDEX_CACHE": str(cache)},
            runtime_env_dir_name=f"runtime-{cache.name}",  # as on a computer of its own
        )
        self.hosts[name] = Host(node, name, cache)
        return self.hosts[name]

    def have(self, *names: str) -> list[Host]:
        """Have these hosts and no others. Those that are there are kept: a start takes long."""
        for host in list(self.hosts.values()):
            if host.spent or host.name not in names:
                self.remove(host)
            else:
                (host.cache / "go").unlink(missing_ok=True)
        return [self.hosts.get(name) or self.add(name) for name in names]

    def remove(self, host: Host) -> None:
        """End a host and everything that it has started."""
        del self.hosts[host.name]
        self._cluster.remove_node(host.node, allow_graceful=False)

    def drain(self, host: Host) -> None:
        """Tell a host to finish what it runs, and to take no more."""
        host.spent = True
        arguments = ["drain-node", "--address", self.address, "--node-id", host.id]
        reason = ["--reason", "DRAIN_NODE_REASON_PREEMPTION", "--reason-message", "a test"]
        ray = Path(sys.executable).with_name("ray")
        later = ["--deadline-remaining-seconds", "600"]
        subprocess.run([ray, *arguments, *reason, *later], check=True, capture_output=True)


@contextmanager
def loopback_cluster(folder: Path) -> Iterator[LoopbackCluster]:
    """A head without hosts."""
    os.environ[LOOPBACK_ONLY] = "0"  # read when Ray is imported
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True,
        shutdown_at_exit=False,
        head_node_args={
            "node_ip_address": "127.0.0.1",
            "num_cpus": 0,
            "object_store_memory": STORE,
            "include_dashboard": False,
            "_system_config": SETTINGS,
        },
    )
    try:
        yield LoopbackCluster(cluster, folder)
    finally:
        cluster.shutdown()
