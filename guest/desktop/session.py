"""Finds the desktop session from the environments of the desktop user's processes.

It runs as that user, since the door may not read those environments.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping
from pathlib import Path

from ambidex.mcp_tools.waiting import wait_for

__all__ = ["NoSessionError", "find_session", "wait_for_session"]

SESSION_VARIABLES = (
    "DISPLAY",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "XAUTHORITY",
    "XDG_CURRENT_DESKTOP",
    "SESSION_MANAGER",
    "XDG_SESSION_TYPE",
)
"""Variables of processes in the session. The process that has most of them is used."""

NEEDED = ("DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")


class NoSessionError(Exception):
    """No complete desktop session was found; the message says what is missing."""


def environments(proc: Path, uid: int) -> list[dict[str, str]]:
    """The readable environments of the processes of `uid`, lowest process id first."""
    result = []
    for entry in sorted((path for path in proc.iterdir() if path.name.isdigit()), key=_number):
        try:
            if entry.stat().st_uid != uid:
                continue
            pairs = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue  # it ended meanwhile, or does not let others read its environment
        decoded = (os.fsdecode(pair).partition("=") for pair in pairs if b"=" in pair)
        result.append({name: value for name, _, value in decoded})
    return result


def _number(entry: Path) -> int:
    return int(entry.name)


def find_session(
    candidates: list[dict[str, str]], uid: int, runtime: Path = Path("/run/user")
) -> dict[str, str]:
    """The session's environment, from those of processes; `NoSessionError` if there is none."""
    inside = [environment for environment in candidates if "DISPLAY" in environment]
    if not inside:
        raise NoSessionError(f"none of {len(candidates)} processes of user {uid} has a DISPLAY")
    best = max(inside, key=_count_session_variables).copy()
    home = runtime / str(uid)
    if home.is_dir():
        best.setdefault("XDG_RUNTIME_DIR", str(home))
    if (home / "bus").exists():
        best.setdefault("DBUS_SESSION_BUS_ADDRESS", f"unix:path={home / 'bus'}")
    missing = [name for name in NEEDED if name not in best]
    if missing:
        raise NoSessionError(f"the session on {best['DISPLAY']} has no {', '.join(missing)} yet")
    return best


def _count_session_variables(environment: Mapping[str, str]) -> int:
    return sum(name in environment for name in SESSION_VARIABLES)


def is_listening(environment: Mapping[str, str]) -> bool:
    """Whether the X server of the session accepts connections."""
    number = environment["DISPLAY"].partition(":")[2].partition(".")[0]
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(f"/tmp/.X11-unix/X{number}")
        except OSError:
            return False
    return True


def wait_for_session(within: float, say: Callable[[str], None]) -> dict[str, str]:
    """Wait for the session and return its environment; `NoSessionError` after `within` seconds.

    `say` is called with what is missing meanwhile.
    """
    uid = os.geteuid()
    reported = ""

    def find() -> dict[str, str] | None:
        nonlocal reported
        try:
            session = find_session(environments(Path("/proc"), uid), uid)
            if is_listening(session):
                return session
            missing = f"nothing listens on display {session['DISPLAY']}"
        except NoSessionError as error:
            missing = str(error)
        if missing != reported:
            reported = missing
            say(missing)
        return None

    session = wait_for(find, within, every=0.25)
    if session is None:
        raise NoSessionError(f"no desktop session after {within:.0f} s: {reported}")
    return session
