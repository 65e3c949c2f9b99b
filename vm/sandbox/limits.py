"""How much memory and how many processes a sandbox may have: control groups, of either version,
where they can be written.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Groups", "Limits"]

MOUNT = Path("/sys/fs/cgroup")
FILES = {
    "memory": ("memory.max", "memory.limit_in_bytes"),
    "pids": ("pids.max", "pids.max"),
}
"""What bounds a thing, in a group of version 2 and of version 1."""


@dataclass(frozen=True)
class Limits:
    """Bounds of one sandbox."""

    memory: int
    """Bytes, of its processes and its files together: files live in memory."""
    processes: int = 4096
    """Processes and threads."""
    disk: int = 2 << 30
    """Bytes that it may write to its file system."""

    def of(self, thing: str) -> int:
        """The bound of a thing in `FILES`."""
        return self.memory if thing == "memory" else self.processes


class Groups:
    """The groups of all sandboxes of one owner, one inside for each sandbox; none is left after
    `close`.
    """

    def __init__(self, tag: str) -> None:
        self._roots = _roots(tag)

    @property
    def bounded(self) -> set[str]:
        """What can be bounded here: memory, pids."""
        return set(self._roots)

    def folders(self) -> list[Path]:
        """Our own groups."""
        return list(dict.fromkeys(self._roots.values()))

    def make(self, name: str, limits: Limits) -> list[Path]:
        """The groups of a new sandbox, with these limits; a process joins by writing to each."""
        made = []
        for thing, root in self._roots.items():
            group = root / name
            group.mkdir(exist_ok=True)
            made.append(group)
            second = (group / FILES[thing][0]).exists()
            (group / FILES[thing][0 if second else 1]).write_text(str(limits.of(thing)))
        return list(dict.fromkeys(made))

    def remove(self, name: str) -> None:
        """Remove the groups of a sandbox that has ended."""
        for root in self.folders():
            remove(root / name)

    def close(self) -> None:
        """Remove our own groups."""
        for root in self.folders():
            remove(root)


def remove(group: Path) -> None:
    """Remove a group and those in it, unless a process is still there."""
    shutil.rmtree(group, ignore_errors=True)


def _roots(tag: str) -> dict[str, Path]:
    """A new group of ours for each thing that can be bounded here; fewer where we may not."""
    roots: dict[str, Path] = {}
    second = MOUNT / "cgroup.controllers"
    for thing in FILES:
        for parent in _second_parents() if second.exists() else [MOUNT / thing]:
            root = parent / tag
            try:
                root.mkdir(exist_ok=True)
                if second.exists():
                    if thing not in (root / "cgroup.controllers").read_text().split():
                        raise OSError("not handed down to us")
                    (root / "cgroup.subtree_control").write_text(f"+{thing}")
                _try_to_join(root)
            except OSError:
                if root not in roots.values():
                    remove(root)
                continue
            roots[thing] = root
            break
    return roots


def _second_parents() -> list[Path]:
    """Where we may be allowed to make a group: at the top, or in what systemd gave our user."""
    user = os.geteuid()
    service = f"user.slice/user-{user}.slice/user@{user}.service"
    return [MOUNT] if user == 0 else [MOUNT / service]


def _try_to_join(root: Path) -> None:
    """Whether a process of ours may move there is only known by moving one."""
    probe = root / "probe"
    probe.mkdir()
    move = ["sh", "-c", 'echo $$ >"$0"', str(probe / "cgroup.procs")]
    try:
        if subprocess.run(move, stderr=subprocess.DEVNULL).returncode != 0:
            raise OSError("no process may move there")
    finally:
        probe.rmdir()
