"""In the guest: an audit hook that refuses and records what a draft may not access. Python's audit
hooks cannot be removed. Written for Python 3.10.

The hook covers the draft's own process. What other programs do for it shows in the survey of the
machine.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["watch"]

MAX_MARKS = 50
"""Maximum number of violations that are recorded."""
TOKEN = re.compile(r"^/(etc|run)/ambidex(/|$)|^/run/credentials(/|$)")
SECRETS = re.compile(
    r"^/etc/(shadow|gshadow|sudoers)|/\.(ssh|gnupg|mozilla|pki|netrc)(/|$)|/keyrings(/|$)"
    r"|^/proc/[^/]+/(environ|mem)$|\.bash_history$|/\.Xauthority$"
)


def watch(allowance: dict[str, Any]) -> list[dict[str, str]]:
    """Install the audit hook. Returns a list that grows with each violation. `allowance` holds the
    port of the guest's server (`door`), the `programs` that may be started, and whether addresses
    on the loopback interface may be reached (`loopback`).
    """
    marks: list[dict[str, str]] = []
    programs = frozenset(allowance["programs"])
    door, loopback = int(allowance["door"]), bool(allowance["loopback"])
    fsdecode = os.fsdecode

    def refuse(rule: str, what: str) -> None:
        if len(marks) < MAX_MARKS:
            marks.append({"rule": rule, "what": what[:300]})
        raise PermissionError(f"not allowed for a draft ({rule}): {what[:300]}")

    def check_path(path: Any) -> None:
        if isinstance(path, (str, bytes)) and path:
            whole = os.path.abspath(fsdecode(path))
            if TOKEN.search(whole):
                refuse("token", whole)
            if SECRETS.search(whole):
                refuse("secrets", whole)

    def check_address(address: Any) -> None:
        if not isinstance(address, tuple):
            return  # a Unix socket of the desktop
        host, port = str(address[0]), int(address[1])
        if port == door:
            refuse("harness door", f"{host}:{port}")
        if not (loopback and host in ("127.0.0.1", "::1", "localhost")):
            refuse("network", f"{host}:{port}")

    def check_program(program: Any) -> None:
        name = os.path.basename(fsdecode(program))
        if name not in programs:
            refuse("program", fsdecode(program))

    checks: dict[str, Callable[[Any], None]] = {
        "open": lambda args: check_path(args[0]),
        "os.listdir": lambda args: check_path(args[0]),
        "os.scandir": lambda args: check_path(args[0]),
        "os.rename": lambda args: check_path(args[0]),
        "os.link": lambda args: check_path(args[0]),
        "os.symlink": lambda args: check_path(args[0]),
        "socket.connect": lambda args: check_address(args[1]),
        "socket.sendto": lambda args: check_address(args[1]),
        "socket.bind": lambda args: check_address(args[1]),
        "socket.getaddrinfo": lambda args: (
            refuse("network", f"looks up {args[0]}")
            if args[0] not in (None, "127.0.0.1", "::1", "localhost")
            else None
        ),
        "subprocess.Popen": lambda args: check_program(args[0] or args[1][0]),
        "os.exec": lambda args: check_program(args[0]),
        "os.posix_spawn": lambda args: check_program(args[0]),
        "os.system": lambda args: refuse("program", fsdecode(args[0])),
        "pty.spawn": lambda args: refuse("program", str(args[0])),
        "os.putenv": lambda args: None,
    }

    def hook(event: str, args: Any) -> None:
        check = checks.get(event)
        if check is not None:
            check(args)

    sys.addaudithook(hook)
    return marks
