"""`python -S -m ambidex.vm.sandbox.enter TAG`: mounts a sandbox's files, then runs bubblewrap.

Reads its plan from standard input. It uses the standard library alone, and starts no thread: a
process with threads cannot enter a user namespace.
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
"""Where it is laid out: every machine has that folder, and only we see what we mount there."""
UPPER, WORK, ROOT, CODE = (f"{STAGE}/{name}" for name in ("upper", "work", "root", "code"))
INSIDE = f"{STAGE}/inside.py"

CLONE_NEWNS = 0x0002_0000
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 4096, 16384, 1 << 18
O_FOLDER = os.O_PATH | os.O_DIRECTORY


@dataclass(frozen=True)
class Plan:
    """What a sandbox is made of."""

    lower: list[str]
    """Folders of its file system, read-only, the topmost first."""
    code: str
    """Folder with the guest's code."""
    disk: int
    """Bytes that it may write."""
    owner: int
    """An id that nothing else uses, to own its namespace; only root can say."""
    groups: list[str]
    """Control groups to join."""
    bubblewrap: list[str]
    """Command line."""

    def written(self) -> str:
        """As the other side reads it."""
        return json.dumps(asdict(self))


def _mount(kind: str, source: str, target: str, flags: int = 0, options: str = "") -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    words = [each.encode() for each in (source, target, kind)]
    if libc.mount(*words, ctypes.c_ulong(flags), options.encode() or None) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"mounting {kind or 'a folder'} at {target}: {os.strerror(number)}")


def _own_mounts() -> None:
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNS) != 0:
        raise OSError(ctypes.get_errno(), "no mount namespace of its own")
    _mount("", "none", "/", MS_REC | MS_PRIVATE)


def _lay_out(plan: Plan, inside: str) -> None:
    """Mount it all, unseen by others; whoever does is root, of this machine or of the namespace."""
    _own_mounts()
    # Opened before anything covers the way to them; a path may hold what an option may not.
    folders = [os.open(path, O_FOLDER) for path in plan.lower]
    code = os.open(plan.code, O_FOLDER)
    roots = os.geteuid() == 0 and _is_first_namespace()
    first, first_group = (id_range("uid"), id_range("gid")) if roots else (0, 0)
    flags = MS_NOSUID | MS_NODEV
    _mount("tmpfs", "ambidex", STAGE, flags, f"size={plan.disk},mode=0755")
    for each in (UPPER, WORK, ROOT, CODE):
        os.mkdir(each, 0o755)
    Path(INSIDE).write_text(inside)
    os.chmod(INSIDE, 0o644)
    for each in (STAGE, UPPER, WORK):
        os.chown(each, first, first_group)
    lower = ":".join(f"/proc/self/fd/{number}" for number in folders)
    # Root's own mounts keep their notes where ordinary users cannot write them.
    notes = "" if roots else ",userxattr"
    layers = f"lowerdir={lower},upperdir={UPPER},workdir={WORK}{notes}"
    _mount("overlay", "ambidex", ROOT, flags, layers)
    _mount("", f"/proc/self/fd/{code}", CODE, MS_BIND)


def _is_first_namespace() -> bool:
    return Path("/proc/self/uid_map").read_text().split() == ["0", "0", str(2**32 - 1)]


def main() -> None:
    """Join the groups, lay out the files, enter the namespace, become bubblewrap."""
    plan = Plan(**json.loads(sys.stdin.read()))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    try:
        for group in plan.groups:
            (Path(group) / "cgroup.procs").write_text(str(os.getpid()))
        inside = Path(__file__).with_name("inside.py").read_text()
        os.umask(0o022)
        if os.geteuid() == 0:
            _lay_out(plan, inside)
            become_root_of_a_namespace(plan.owner)
        else:
            become_root_of_a_namespace(with_me=True)  # to find the way to one's own files
            _lay_out(plan, inside)
        os.execvp(plan.bubblewrap[0], plan.bubblewrap)
    except (OSError, NoIdRangeError) as error:
        raise SystemExit(f"the sandbox was not set up: {error}") from None


if __name__ == "__main__":
    main()
