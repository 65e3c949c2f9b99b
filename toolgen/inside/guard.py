"""In the guest: what a draft reaches for, seen by Python's own audit events, which cannot be
switched off again. What is not allowed is refused and marked. Written for Python 3.10.

It sees the draft's own process. What other programs did for it is seen by `survey`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["watch"]

MOST = 50
"""Marks that are kept."""
TOKEN = re.compile(r"^/(etc|run)/ambidex(/|$)|^/run/credentials(/|$)")
SECRETS = re.compile(
    r"^/etc/(shadow|gshadow|sudoers)|/\.(ssh|gnupg|mozilla|pki|netrc)(/|$)|/keyrings(/|$)"
    r"|^/proc/[^/]+/(environ|mem)$|\.bash_history$|/\.Xauthority$"
)


def watch(allowance: dict[str, Any]) -> list[dict[str, str]]:
    """From now on; the list grows as something is marked. `allowance` names the `door`'s port, the
    `programs` that may be started, and whether `loopback` may be spoken to.
    """
    marks: list[dict[str, str]] = []
    programs = frozenset(allowance["programs"])
    door, loopback = int(allowance["door"]), bool(allowance["loopback"])
    fsdecode = os.fsdecode

    def refuse(rule: str, what: str) -> None:
        if len(marks) < MOST:
            marks.append({"rule": rule, "what": what[:300]})
        raise PermissionError(f"a draft may not do that ({rule}): {what[:300]}")

    def opened(path: Any) -> None:
        if isinstance(path, (str, bytes)) and path:
            whole = os.path.abspath(fsdecode(path))
            if TOKEN.search(whole):
                refuse("token", whole)
            if SECRETS.search(whole):
                refuse("secrets", whole)

    def connected(address: Any) -> None:
        if not isinstance(address, tuple):
            return  # a socket file of the desktop's own
        host, port = str(address[0]), int(address[1])
        if port == door:
            refuse("harness door", f"{host}:{port}")
        if not (loopback and host in ("127.0.0.1", "::1", "localhost")):
            refuse("network", f"{host}:{port}")

    def started(program: Any) -> None:
        name = os.path.basename(fsdecode(program))
        if name not in programs:
            refuse("program", fsdecode(program))

    seen: dict[str, Callable[[Any], None]] = {
        "open": lambda args: opened(args[0]),
        "os.listdir": lambda args: opened(args[0]),
        "os.scandir": lambda args: opened(args[0]),
        "os.rename": lambda args: opened(args[0]),
        "os.link": lambda args: opened(args[0]),
        "os.symlink": lambda args: opened(args[0]),
        "socket.connect": lambda args: connected(args[1]),
        "socket.sendto": lambda args: connected(args[1]),
        "socket.bind": lambda args: connected(args[1]),
        "socket.getaddrinfo": lambda args: (
            refuse("network", f"looks up {args[0]}")
            if args[0] not in (None, "127.0.0.1", "::1", "localhost")
            else None
        ),
        "subprocess.Popen": lambda args: started(args[0] or args[1][0]),
        "os.exec": lambda args: started(args[0]),
        "os.posix_spawn": lambda args: started(args[0]),
        "os.system": lambda args: refuse("program", fsdecode(args[0])),
        "pty.spawn": lambda args: refuse("program", str(args[0])),
        "os.putenv": lambda args: None,
    }

    def hook(event: str, args: Any) -> None:
        look = seen.get(event)
        if look is not None:
            look(args)

    sys.addaudithook(hook)
    return marks
