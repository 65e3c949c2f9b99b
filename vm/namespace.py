"""Enters a new user namespace as its root, with a range of ids that are unused on this machine.

Images are unpacked and sandboxes run in such namespaces. `python vm/namespace.py PROGRAM…` runs a
program in one, where it can also access the caller's files. This module is run by its path, so it
imports the standard library only.
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
"""The prefix of a command line that runs a program as root of a namespace."""

IDS = 65536
"""The number of ids that a distribution uses: 0 to `nobody`."""
ME = IDS
"""The caller's id inside, if it is mapped."""
ROOTS_RANGE = 0x7000_0000
"""The first id of root's range, which needs no entry in /etc/subuid: far from ids of people, and
outside the ranges that other programs use for containers.
"""
CLONE_NEWUSER = 0x1000_0000
PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP = 28, 1 << 2


class NoIdRangeError(Exception):
    """This user cannot have a user namespace with a range of ids; the message says why."""


def id_range(kind: str = "uid") -> int:
    """The first id of the caller's range on this machine; `kind` is `uid` or `gid`.

    `NoIdRangeError` if the caller has none.
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
        f"{table} has no range of {IDS} ids for {name}: `usermod --add-sub{kind}s "
        f"100000-{100000 + IDS - 1} {name}` as root adds one"
    )


def become_root_of_a_namespace(owner: int = 0, *, with_me: bool = False) -> None:
    """Make this process root of a new user namespace.

    If the caller is root and names an `owner`, the namespace belongs to that id, otherwise to the
    caller; the kernel counts its resources (inotify instances, keys) against the owner. `with_me`
    maps the caller to the id `ME` inside. `NoIdRangeError` if that is not possible.
    """
    caller = {"uid": os.geteuid(), "gid": os.getegid()}
    ranges = {kind: [(0, id_range(kind), IDS)] for kind in caller}
    if with_me:
        for kind, number in caller.items():
            ranges[kind].append((ME, number, 1))
    libc = ctypes.CDLL(None, use_errno=True)
    reading_end, writing_end = os.pipe()
    process = os.getpid()
    helper = os.fork()
    if helper == 0:
        # The helper stays in the outer namespace, from which the maps must be written.
        status = 1
        try:
            os.close(writing_end)
            if os.read(reading_end, 1):
                for kind, ids in ranges.items():
                    _write_map(process, kind, ids)
                status = 0
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"the map of ids could not be written: {error}", file=sys.stderr, flush=True)
        finally:
            os._exit(status)
    os.close(reading_end)
    if owner and caller["uid"] == 0:
        libc.prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0)
        os.setresuid(owner, owner, owner)
    refused = libc.unshare(CLONE_NEWUSER) != 0
    reason = os.strerror(ctypes.get_errno()) if refused else "the ids could not be mapped"
    os.write(writing_end, b"" if refused else b"1")
    os.close(writing_end)
    _, helper_status = os.waitpid(helper, 0)
    if refused or helper_status != 0:
        hint = "does the kernel allow user namespaces to ordinary users?"
        raise NoIdRangeError(f"no user namespace: {reason}; {hint}")
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
        raise OSError(f"new{kind}map is missing: install the package uidmap")
    numbers = [str(number) for line in ids for number in line]
    subprocess.run([program, str(process), *numbers], check=True)


def main() -> None:
    """Become root of a namespace, then execute the program."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        become_root_of_a_namespace(with_me=True)
    except NoIdRangeError as error:
        raise SystemExit(f"{getpass.getuser()}: {error}") from None
    os.umask(0o022)
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
