"""Confine the current process irrevocably, by rlimits, Landlock, capabilities and seccomp. Needs
Linux, but not root."""

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

__all__ = ["ConfinementError", "confine", "landlock"]

PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 4, 22, 38
SECCOMP_MODE_FILTER = 2
VERSION = 0x20080522
"""The version of capset(2)'s header for 64 capabilities."""

# System call numbers on x86_64 and aarch64; None if the architecture has no such call.
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
"""System calls that start another program or process."""
CLONE, CLONE3, CAPSET = (56, 220), (435, 435), (126, 91)
CLONE_THREAD = 0x0001_0000
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32 = 0x4000_0000
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, REFUSE, KILL = 0x7FFF_0000, 0x0005_0000, 0x8000_0000
NUMBER, ARCHITECTURE, FIRST = 0, 4, 16
"""Offsets in seccomp_data: the call's number, the architecture, the low half of the first
argument."""

LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_SHUT = 444, 445, 446
READS = 0x1 | 0x4 | 0x8
"""Landlock rights: execute, read a file, read a folder."""
EVERYTHING = (1 << 13) - 1
SINCE = {2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
"""Rights added by later versions of Landlock: refer (rename), truncate, ioctl on devices."""


class ConfinementError(Exception):
    """The process cannot be confined on this system, so nothing is judged."""


def confine(limits: Limits, reads: Iterable[Path], writes: Path, *, programs: bool = False) -> None:
    """Confine this process. It may read below `reads`, write below `writes`, and start other
    programs only if `programs` is true."""
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


def _call(function: object, *arguments: int) -> int:
    result: int = function(*arguments)  # type: ignore[operator]  # of ctypes
    if result < 0:
        number = ctypes.get_errno()
        raise ConfinementError(f"cannot confine the judge's process: {os.strerror(number)}")
    return result


def landlock(libc: ctypes.CDLL, reads: Iterable[Path], writes: Path) -> bool:
    """Restrict this process to those folders. Returns False if the kernel has no Landlock; the
    process can then read whatever its user can."""
    version = libc.syscall(LANDLOCK_CREATE, None, 0, 1)
    if version < 1:
        return False
    handled = EVERYTHING | sum(bit for since, bit in SINCE.items() if version >= since)
    attributes = struct.pack("Q", handled)
    rules = _call(
        libc.syscall,
        LANDLOCK_CREATE,
        attributes,  # type: ignore[arg-type]
        len(attributes),
        0,
    )
    try:
        for path, rights in (*((path, READS) for path in reads), (writes, handled)):
            with contextlib.suppress(FileNotFoundError):
                number = os.open(path, os.O_PATH | os.O_CLOEXEC)
                try:
                    folder = path.is_dir()
                    allowed = rights if folder else rights & (0x1 | 0x4)
                    rule = struct.pack("=Qi", allowed, number)
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
    """Index of this architecture in the tables above."""
    known = list(AUDIT)
    if platform.machine() not in known:
        raise ConfinementError(
            f"judging works on {' and '.join(known)}, not on {platform.machine()}"
        )
    return known.index(platform.machine())


def _filter(libc: ctypes.CDLL, *, programs: bool) -> None:
    """Install a seccomp filter that refuses the calls above, and clone except for threads."""
    machine = _machine()
    calls = {**CALLS, **({} if programs else STARTING)}
    refused = [number for numbers in calls.values() if (number := numbers[machine]) is not None]

    def instruction(code: int, yes: int, no: int, value: int) -> bytes:
        return struct.pack("HBBI", code, yes, no, value)

    refuse = instruction(RETURN, 0, 0, REFUSE | errno.EPERM)
    code = [
        instruction(LOAD, 0, 0, ARCHITECTURE),
        instruction(EQUAL, 1, 0, list(AUDIT.values())[machine]),
        instruction(RETURN, 0, 0, KILL),
        instruction(LOAD, 0, 0, NUMBER),
        instruction(AT_LEAST, 0, 1, X32),
        refuse,
    ]
    for number in refused:
        code += [instruction(EQUAL, 0, 1, number), refuse]
    if not programs:
        # The C library falls back from clone3 to clone, whose flags a filter can read.
        code += [
            instruction(EQUAL, 0, 1, CLONE3[machine]),
            instruction(RETURN, 0, 0, REFUSE | errno.ENOSYS),
            instruction(EQUAL, 0, 3, CLONE[machine]),
            instruction(LOAD, 0, 0, FIRST),
            instruction(ANY_BIT, 1, 0, CLONE_THREAD),
            refuse,
        ]
    code.append(instruction(RETURN, 0, 0, ALLOW))
    instructions = ctypes.create_string_buffer(b"".join(code))
    header = struct.pack("HxxxxxxP", len(code), ctypes.addressof(instructions))
    program = ctypes.create_string_buffer(header)
    address = ctypes.addressof(program)
    prctl = libc.prctl
    prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    _call(prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, address, 0, 0)
