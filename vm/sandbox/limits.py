"""Limits on a sandbox's memory and processes, by control groups of either version if available."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ControlGroups", "Limits"]

MOUNT = Path("/sys/fs/cgroup")
FILES = {
    "memory": ("memory.max", "memory.limit_in_bytes"),
    "pids": ("pids.max", "pids.max"),
}
"""The file that limits a resource, in a group of version 2 and of version 1."""


@dataclass(frozen=True)
class Limits:
    """Limits of one sandbox."""

    memory: int
    """Bytes of its processes and its files together, since its files are in memory."""
    processes: int = 4096
    """Processes and threads."""
    disk: int = 2 << 30
    """Bytes that it may write to its file system."""

    def of(self, resource: str) -> int:
        """The limit of a resource in `FILES`."""
        return self.memory if resource == "memory" else self.processes


class ControlGroups:
    """The control groups of one owner, with one inside for each sandbox; `close` removes them."""

    def __init__(self, tag: str) -> None:
        self._roots = _roots(tag)

    @property
    def limited(self) -> set[str]:
        """The resources that can be limited here: `memory`, `pids`."""
        return set(self._roots)

    def folders(self) -> list[Path]:
        """The owner's groups, which contain those of its sandboxes."""
        return list(dict.fromkeys(self._roots.values()))

    def make(self, name: str, limits: Limits) -> list[Path]:
        """Make the groups of a new sandbox, with these limits; a process must join each of them."""
        groups = []
        for resource, root in self._roots.items():
            group = root / name
            group.mkdir(exist_ok=True)
            groups.append(group)
            is_v2 = (group / FILES[resource][0]).exists()
            (group / FILES[resource][0 if is_v2 else 1]).write_text(str(limits.of(resource)))
        return list(dict.fromkeys(groups))

    def remove(self, name: str) -> None:
        """Remove the groups of a sandbox that has ended."""
        for root in self.folders():
            remove(root / name)

    def close(self) -> None:
        """Remove the owner's groups."""
        for root in self.folders():
            remove(root)


def remove(group: Path) -> None:
    """Remove a group and those in it; one that still has a process stays."""
    shutil.rmtree(group, ignore_errors=True)


def _roots(tag: str) -> dict[str, Path]:
    """Make a group for each resource that can be limited here; others are left out."""
    roots: dict[str, Path] = {}
    v2_controllers = MOUNT / "cgroup.controllers"
    for resource in FILES:
        for parent in _v2_parents() if v2_controllers.exists() else [MOUNT / resource]:
            root = parent / tag
            try:
                root.mkdir(exist_ok=True)
                if v2_controllers.exists():
                    if resource not in (root / "cgroup.controllers").read_text().split():
                        raise OSError("the controller is not delegated to us")
                    (root / "cgroup.subtree_control").write_text(f"+{resource}")
                _check_joinable(root)
            except OSError:
                if root not in roots.values():
                    remove(root)
                continue
            roots[resource] = root
            break
    return roots


def _v2_parents() -> list[Path]:
    """Where we may be allowed to make a group: at the top, or below our user's systemd service."""
    user = os.geteuid()
    service = f"user.slice/user-{user}.slice/user@{user}.service"
    return [MOUNT] if user == 0 else [MOUNT / service]


def _check_joinable(root: Path) -> None:
    """`OSError` unless a process of ours can join a group in `root`; found out by moving one."""
    probe = root / "probe"
    probe.mkdir()
    move = ["sh", "-c", 'echo $$ >"$0"', str(probe / "cgroup.procs")]
    try:
        if subprocess.run(move, stderr=subprocess.DEVNULL).returncode != 0:
            raise OSError("processes may not join")
    finally:
        probe.rmdir()
