"""How many machines this host can hold, as a Ray resource."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ambidex.host.cluster import DESK

__all__ = ["Capacity", "Kind", "ray_command", "this_host"]

RESERVED = 2048
"""MiB for the host itself and for Ray."""


@dataclass(frozen=True)
class Kind:
    """A kind of machine, with what one needs while an agent works on it."""

    name: str
    memory: int
    """MiB, its worker's process included."""
    per_core: float
    """Machines per core: an agent waits for its model most of the time."""


SANDBOX = Kind("sandbox", 1536, 2.0)
ACCELERATED = Kind("libvirt, KVM", 2048, 2.0)
EMULATED = Kind("libvirt, emulated", 3072, 0.5)


@dataclass(frozen=True)
class Capacity:
    """What a host can hold of one kind of machine."""

    kind: Kind
    free: int
    """MiB of memory that are available."""
    cores: int

    @property
    def by_memory(self) -> int:
        """Machines that fit into the memory."""
        return max(0, self.free - RESERVED) // self.kind.memory

    @property
    def by_cores(self) -> int:
        """Machines that the cores can drive."""
        return int(self.cores * self.kind.per_core)

    @property
    def machines(self) -> int:
        """Machines that the host can hold."""
        return min(self.by_memory, self.by_cores)


def this_host(*, kvm: bool) -> tuple[Capacity, ...]:
    """The capacity of this computer: of sandboxes, and of virtual machines with or without KVM."""
    free = _available(Path("/proc/meminfo").read_text())
    cores = len(os.sched_getaffinity(0))
    virtual = ACCELERATED if kvm else EMULATED
    return tuple(Capacity(kind, free, cores) for kind in (SANDBOX, virtual))


def ray_command(machines: int) -> str:
    """The command that adds a host with that many machines to a cluster."""
    return f"ray start --address=HEAD:6379 --resources='{{\"{DESK}\": {machines}}}'"


def _available(meminfo: str) -> int:
    for line in meminfo.splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) // 1024
    raise ValueError("/proc/meminfo has no MemAvailable")
