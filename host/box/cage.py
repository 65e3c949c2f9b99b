"""Shutting a process in, for good. Linux only; nothing here needs to be root."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import resource
import struct
from collections.abc import Iterable
from pathlib import Path

from ambidex.host.box import Limits

__all__ = ["CageError", "landlock", "shut_in"]

PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 4, 22, 38
SECCOMP_MODE_FILTER = 2
VERSION = 0x20080522
"""Of the form of capset(2) that has 64 capabilities."""

# Numbers of system calls: x86_64, aarch64. None where the machine has no such call.
CALLS: dict[str, tuple[int | None, int | None]] = {
    "socket": (41, 198), "socketpair": (53, 199), "connect": (42, 203), "bind": (49, 200),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240), "pidfd_send_signal": (424, 424), "pidfd_open": (434, 434),
    "unshare": (272, 97), "setns": (308, 268), "io_uring_setup": (425, 425), "bpf": (321, 280),
    "userfaultfd": (323, 282), "keyctl": (250, 219), "add_key": (248, 217),
    "request_key": (249, 218), "mount": (165, 40), "chroot": (161, 51),
    "perf_event_open": (298, 241),
}  # fmt: skip
STARTING: dict[str, tuple[int | None, int | None]] = {
    "execve": (59, 221), "execveat": (322, 281), "fork": (57, None), "vfork": (58, None),
}  # fmt: skip
"""How another program or process is started."""
CLONE, CLONE3, CAPSET = (56, 220), (435, 435), (126, 91)
CLONE_THREAD = 0x0001_0000
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32 = 0x4000_0000
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, REFUSE, KILL = 0x7FFF_0000, 0x0005_0000, 0x8000_0000
NUMBER, ARCHITECTURE, FIRST = 0, 4, 16
"""Where a filter finds the call's number, the machine's kind, and the low half of an argument."""

LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_SHUT = 444, 445, 446
READS = 0x1 | 0x4 | 0x8
"""Execute, read a file, read a folder."""
EVERYTHING = (1 << 13) - 1
SINCE = {2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
"""Rights that later versions of Landlock know: to move, to cut off, to control devices."""


class CageError(Exception):
    """A process cannot be shut in here, so nothing is judged."""


def shut_in(limits: Limits, reads: Iterable[Path], writes: Path, *, programs: bool = False) -> None:
    """Shut this process in. It may read below `reads`, write below `writes`, and start other
    programs only with `programs`."""
    libc = ctypes.CDLL(None, use_errno=True)
    _bound(limits)
    _call(libc.prctl, PR_SET_DUMPABLE, 0, 0, 0, 0)
    _call(libc.prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    landlock(libc, reads, writes)
    _drop_capabilities(libc)
    _filter(libc, programs=programs)


def _bound(limits: Limits) -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    memory = pages * os.sysconf("SC_PAGESIZE") + limits.memory
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (limits.processor, limits.processor + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file, limits.file))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))


def _call(function: object, *given: int) -> int:
    done: int = function(*given)  # type: ignore[operator]  # of ctypes
    if done < 0:
        number = ctypes.get_errno()
        raise CageError(f"the judge's process cannot be shut in: {os.strerror(number)}")
    return done


def landlock(libc: ctypes.CDLL, reads: Iterable[Path], writes: Path) -> bool:
    """Leave only those folders to this process; false where the kernel has no Landlock: then it can
    read what its user can."""
    version = libc.syscall(LANDLOCK_CREATE, None, 0, 1)
    if version < 1:
        return False
    handled = EVERYTHING | sum(bit for since, bit in SINCE.items() if version >= since)
    asked = struct.pack("Q", handled)
    rules = _call(libc.syscall, LANDLOCK_CREATE, asked, len(asked), 0)  # type: ignore[arg-type]
    try:
        for path, rights in (*((each, READS) for each in reads), (writes, handled)):
            with contextlib.suppress(FileNotFoundError):
                number = os.open(path, os.O_PATH | os.O_CLOEXEC)
                try:
                    folder = path.is_dir()
                    given = rights if folder else rights & (0x1 | 0x4)
                    rule = struct.pack("=Qi", given, number)
                    _call(libc.syscall, LANDLOCK_ADD, rules, 1, rule, 0)  # type: ignore[arg-type]
                finally:
                    os.close(number)
        _call(libc.syscall, LANDLOCK_SHUT, rules, 0)
    finally:
        os.close(rules)
    return True


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    header = ctypes.create_string_buffer(struct.pack("Ii", VERSION, 0))
    data = ctypes.create_string_buffer(24)
    _call(libc.syscall, CAPSET[_machine()], header, data)  # type: ignore[arg-type]


def _machine() -> int:
    known = list(AUDIT)
    if platform.machine() not in known:
        raise CageError(f"verdicts are given on {' and '.join(known)}, not {platform.machine()}")
    return known.index(platform.machine())


def _filter(libc: ctypes.CDLL, *, programs: bool) -> None:
    """Refuse the calls above, and to start a process that is no thread."""
    machine = _machine()
    named = {**CALLS, **({} if programs else STARTING)}
    refused = [number for each in named.values() if (number := each[machine]) is not None]

    def line(code: int, yes: int, no: int, value: int) -> bytes:
        return struct.pack("HBBI", code, yes, no, value)

    no = line(RETURN, 0, 0, REFUSE | errno.EPERM)
    code = [
        line(LOAD, 0, 0, ARCHITECTURE),
        line(EQUAL, 1, 0, list(AUDIT.values())[machine]),
        line(RETURN, 0, 0, KILL),
        line(LOAD, 0, 0, NUMBER),
        line(AT_LEAST, 0, 1, X32),
        no,
    ]
    for number in refused:
        code += [line(EQUAL, 0, 1, number), no]
    if not programs:
        # The C library falls back to clone, whose flags a filter can read.
        code += [
            line(EQUAL, 0, 1, CLONE3[machine]),
            line(RETURN, 0, 0, REFUSE | errno.ENOSYS),
            line(EQUAL, 0, 3, CLONE[machine]),
            line(LOAD, 0, 0, FIRST),
            line(ANY_BIT, 1, 0, CLONE_THREAD),
            no,
        ]
    code.append(line(RETURN, 0, 0, ALLOW))
    program = ctypes.create_string_buffer(b"".join(code))
    about = struct.pack("HxxxxxxP", len(code), ctypes.addressof(program))
    held = ctypes.create_string_buffer(about)
    address = ctypes.addressof(held)
    prctl = libc.prctl
    prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    _call(prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, address, 0, 0)
