"""User ids and capabilities of workers.

The agent is the desktop user, so a process that carries evidence must be one that this user can
neither stop, nor trace, nor write to. The kernel lets a process signal another one if its own user
id is the other's *real* or *saved* one, and trace it if all three ids are its own. Files, buses and
displays check only the *effective* user id.
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
"""The version of the capset(2) interface with 64 capabilities."""


@dataclass(frozen=True)
class Credentials:
    """User ids, groups and capabilities of a worker."""

    real: int
    effective: int
    saved: int
    group: int
    groups: tuple[int, ...] = ()
    keeps: tuple[str, ...] = ()
    """Names in `CAPABILITIES`; all others are dropped."""

    def assume(self) -> None:
        """Give these to this process, permanently; OSError if that is not permitted."""
        os.setgroups(self.groups)
        os.setresgid(self.group, self.group, self.group)
        os.setresuid(self.real, self.effective, self.saved)
        _set_capabilities(sum(1 << CAPABILITIES[name] for name in self.keeps))


def protect() -> None:
    """Prevent other accounts from accessing this process's memory, and have it killed when its
    parent ends, which it may be too stuck to notice. A change of credentials undoes both.
    """
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def keep_for_children(libc: ctypes.CDLL) -> None:
    """Let programs that this process executes keep its capabilities.

    It runs between fork and exec, so the caller must have loaded the library.
    """
    for number in CAPABILITIES.values():
        if libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, number, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "a capability cannot be passed on")


def _set_capabilities(mask: int) -> None:
    """Set the effective and permitted capabilities to `mask`, and the inheritable ones to none."""
    libc = ctypes.CDLL(None, use_errno=True)
    low, high = mask & 0xFFFF_FFFF, mask >> 32
    header = ctypes.create_string_buffer(struct.pack("Ii", VERSION, 0))
    data = ctypes.create_string_buffer(struct.pack("6I", low, low, 0, high, high, 0))
    if libc.syscall(SYS_CAPSET[os.uname().machine], header, data) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"capabilities could not be dropped: {os.strerror(number)}")
