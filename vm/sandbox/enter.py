"""`python -S -m ambidex.vm.sandbox.enter TAG`: mounts a sandbox's files, then runs bubblewrap.

Reads a `Plan` from standard input. Uses only the standard library, and starts no threads: a process
with threads cannot enter a user namespace.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from ambidex.vm.namespace import NoIdRangeError, become_root_of_a_namespace, id_range

__all__ = ["CODE", "INSIDE", "ROOT", "STAGE", "UPPER", "Plan"]

STAGE = "/tmp"
"""The mount point: every host has that folder, and the mounts are visible only in our namespace."""
UPPER, WORK, ROOT, CODE = (f"{STAGE}/{name}" for name in ("upper", "work", "root", "code"))
INSIDE = f"{STAGE}/inside.py"

CLONE_NEWNS = 0x0002_0000
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 4096, 16384, 1 << 18
O_FOLDER = os.O_PATH | os.O_DIRECTORY


@dataclass(frozen=True)
class Plan:
    """How to set up a sandbox."""

    lower: list[str]
    """Read-only folders of its file system, the topmost first."""
    code: str
    """Folder with the guest's code."""
    disk: int
    """Bytes that it may write."""
    owner: int
    """An otherwise unused id that owns its namespace; used only if the caller is root."""
    groups: list[str]
    """Control groups to join."""
    bubblewrap: list[str]
    """The command line of bubblewrap."""

    def to_json(self) -> str:
        """The plan as `main` reads it."""
        return json.dumps(asdict(self))


def _mount(kind: str, source: str, target: str, flags: int = 0, options: str = "") -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    names = [name.encode() for name in (source, target, kind)]
    if libc.mount(*names, ctypes.c_ulong(flags), options.encode() or None) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"mounting {kind or 'a folder'} at {target}: {os.strerror(number)}")


def _enter_mount_namespace() -> None:
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNS) != 0:
        raise OSError(ctypes.get_errno(), "cannot enter a mount namespace")
    _mount("", "none", "/", MS_REC | MS_PRIVATE)


def _mount_files(plan: Plan, inside: str) -> None:
    """Mount the sandbox's file system, in a mount namespace.

    The caller must be root, of the host or of a user namespace.
    """
    _enter_mount_namespace()
    # Opened before mounts hide their paths. Mount options take descriptors, not arbitrary paths.
    folders = [os.open(path, O_FOLDER) for path in plan.lower]
    code = os.open(plan.code, O_FOLDER)
    is_host_root = os.geteuid() == 0 and _is_first_namespace()
    first, first_group = (id_range("uid"), id_range("gid")) if is_host_root else (0, 0)
    flags = MS_NOSUID | MS_NODEV
    _mount("tmpfs", "ambidex", STAGE, flags, f"size={plan.disk},mode=0755")
    for folder in (UPPER, WORK, ROOT, CODE):
        os.mkdir(folder, 0o755)
    Path(INSIDE).write_text(inside)
    os.chmod(INSIDE, 0o644)
    for folder in (STAGE, UPPER, WORK):
        os.chown(folder, first, first_group)
    lower = ":".join(f"/proc/self/fd/{number}" for number in folders)
    # For root, overlayfs stores its metadata in attributes that ordinary users cannot write.
    metadata = "" if is_host_root else ",userxattr"
    layers = f"lowerdir={lower},upperdir={UPPER},workdir={WORK}{metadata}"
    _mount("overlay", "ambidex", ROOT, flags, layers)
    _mount("", f"/proc/self/fd/{code}", CODE, MS_BIND)


def _is_first_namespace() -> bool:
    return Path("/proc/self/uid_map").read_text().split() == ["0", "0", str(2**32 - 1)]


def main() -> None:
    """Join the control groups, mount the files, enter the namespace and execute bubblewrap."""
    plan = Plan(**json.loads(sys.stdin.read()))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    try:
        for group in plan.groups:
            (Path(group) / "cgroup.procs").write_text(str(os.getpid()))
        inside = Path(__file__).with_name("inside.py").read_text()
        os.umask(0o022)
        if os.geteuid() == 0:
            _mount_files(plan, inside)
            become_root_of_a_namespace(plan.owner)
        else:
            become_root_of_a_namespace(with_me=True)  # for access to the caller's own files
            _mount_files(plan, inside)
        os.execvp(plan.bubblewrap[0], plan.bubblewrap)
    except (OSError, NoIdRangeError) as error:
        raise SystemExit(f"the sandbox could not be set up: {error}") from None


if __name__ == "__main__":
    main()
