"""Whom a worker acts as, and what it may do beyond that. The agent is the desktop user, so a
process that carries evidence must be somebody whom that user can neither stop, nor trace, nor write
to.

The kernel lets a process signal another one whose *real* or *saved* user is its own, and lets it
trace one whose three users are. A file, a bus or a display looks at the *effective* user alone.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
from dataclasses import dataclass

__all__ = ["CAPABILITIES", "Credentials", "keep_for_children", "protect"]

CAPABILITIES = {"DAC_READ_SEARCH": 2, "KILL": 5, "SETGID": 6, "SETUID": 7}
"""Numbers of capabilities(7)."""
PR_SET_PDEATHSIG, PR_SET_DUMPABLE = 1, 4
PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 47, 2
SYS_CAPSET = {"x86_64": 126, "aarch64": 91}
VERSION = 0x20080522
"""Of the form of capset(2) that has 64 capabilities."""


@dataclass(frozen=True)
class Credentials:
    """Users, groups and capabilities of a worker."""

    real: int
    effective: int
    saved: int
    group: int
    groups: tuple[int, ...] = ()
    keeps: tuple[str, ...] = ()
    """Names in `CAPABILITIES`; all others are dropped."""

    def assume(self) -> None:
        """Make this process so, for good; OSError if it may not."""
        os.setgroups(self.groups)
        os.setresgid(self.group, self.group, self.group)
        os.setresuid(self.real, self.effective, self.saved)
        _set_capabilities(sum(1 << CAPABILITIES[name] for name in self.keeps))


def protect() -> None:
    """Nobody of another account reads this process's memory or writes to it, and it is killed when
    its parent ends, which it may be too stuck to notice. After a change of credentials, which
    undoes both.
    """
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def keep_for_children(libc: ctypes.CDLL) -> None:
    """What this process starts next has its capabilities. Called between fork and exec, so the
    library is loaded by the caller.
    """
    for number in CAPABILITIES.values():
        if libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, number, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "a capability cannot be handed on")


def _set_capabilities(mask: int) -> None:
    """Effective and permitted are those of `mask`, nothing is inheritable."""
    libc = ctypes.CDLL(None, use_errno=True)
    low, high = mask & 0xFFFF_FFFF, mask >> 32
    header = ctypes.create_string_buffer(struct.pack("Ii", VERSION, 0))
    data = ctypes.create_string_buffer(struct.pack("6I", low, low, 0, high, high, 0))
    if libc.syscall(SYS_CAPSET[os.uname().machine], header, data) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"capabilities were not dropped: {os.strerror(number)}")
