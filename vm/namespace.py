"""Root of a user namespace of one's own, with a whole range of ids: what unpacks an image and what
a sandbox lives in. No id of the range is anybody on this machine.

`python vm/namespace.py PROGRAM…` runs a program so, who may also touch what belongs to the caller.
It uses the standard library alone, and no other module of the project: it is run by its path.
"""

from __future__ import annotations

import ctypes
import getpass
import os
import pwd
import shutil
import signal
import subprocess
import sys
from pathlib import Path

__all__ = ["COMMAND", "ME", "NoIdRangeError", "become_root_of_a_namespace", "id_range"]

COMMAND = (sys.executable, "-I", "-S", __file__)
"""Put before a program it runs that program as root of a namespace."""

IDS = 65536
"""Ids that a distribution uses: 0 to `nobody`."""
ME = IDS
"""What the caller is inside, where it is anybody."""
ROOTS_RANGE = 0x7000_0000
"""Root has a range without asking for it: far from people's ids, and outside of what other programs
take for containers.
"""
CLONE_NEWUSER = 0x1000_0000
PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP = 28, 1 << 2


class NoIdRangeError(Exception):
    """This user cannot have a user namespace with a range of ids; says why, and what would help."""


def id_range(kind: str = "uid") -> int:
    """The first id of the range on this machine; `kind` is uid or gid. `NoIdRangeError` if there is
    none.
    """
    if os.geteuid() == 0:
        return ROOTS_RANGE
    name, table = pwd.getpwuid(os.geteuid()).pw_name, Path(f"/etc/sub{kind}")
    lines = table.read_text().splitlines() if table.exists() else []
    for line in lines:
        who, first, count = line.split(":")
        if who in (name, str(os.geteuid())) and int(count) >= IDS:
            return int(first)
    raise NoIdRangeError(
        f"{table} gives {name} no range of {IDS} ids: `usermod --add-sub{kind}s "
        f"100000-{100000 + IDS - 1} {name}` as root gives one"
    )


def become_root_of_a_namespace(owner: int = 0, *, with_me: bool = False) -> None:
    """Make this process root of a new user namespace; the namespace belongs to the id `owner` where
    root asks for it, to the caller otherwise. `with_me` keeps the caller as the id `ME` inside.

    The kernel counts what a namespace uses (inotify instances, keys) against its owner.
    """
    me = {"uid": os.geteuid(), "gid": os.getegid()}
    ranges = {kind: [(0, id_range(kind), IDS)] for kind in me}
    if with_me:
        for kind, number in me.items():
            ranges[kind].append((ME, number, 1))
    libc = ctypes.CDLL(None, use_errno=True)
    began, begin = os.pipe()
    process = os.getpid()
    helper = os.fork()
    if helper == 0:
        # Stays outside, where the maps have to be written from.
        status = 1
        try:
            os.close(begin)
            if os.read(began, 1):
                for kind, ids in ranges.items():
                    _write_map(process, kind, ids)
                status = 0
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"no map of ids could be written: {error}", file=sys.stderr, flush=True)
        finally:
            os._exit(status)
    os.close(began)
    if owner and me["uid"] == 0:
        libc.prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0)
        os.setresuid(owner, owner, owner)
    refused = libc.unshare(CLONE_NEWUSER) != 0
    why = os.strerror(ctypes.get_errno())
    os.write(begin, b"" if refused else b"1")
    os.close(begin)
    _, ended = os.waitpid(helper, 0)
    if refused or ended != 0:
        hint = "does the kernel allow user namespaces to ordinary users?"
        raise NoIdRangeError(f"no user namespace: {why if refused else 'no map of ids'}; {hint}")
    os.setresgid(0, 0, 0)
    os.setgroups([])
    os.setresuid(0, 0, 0)


def _write_map(process: int, kind: str, ids: list[tuple[int, int, int]]) -> None:
    if os.geteuid() == 0:
        text = "\n".join(" ".join(map(str, line)) for line in ids)
        with open(f"/proc/{process}/{kind}_map", "w") as file:
            file.write(text)
        return
    program = shutil.which(f"new{kind}map")
    if program is None:
        raise OSError(f"new{kind}map is missing: the package uidmap has it")
    numbers = [str(number) for line in ids for number in line]
    subprocess.run([program, str(process), *numbers], check=True)


def main() -> None:
    """Become root of a namespace, then the program."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        become_root_of_a_namespace(with_me=True)
    except NoIdRangeError as error:
        raise SystemExit(f"{getpass.getuser()}: {error}") from None
    os.umask(0o022)
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
