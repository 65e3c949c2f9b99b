"""The desktop session: found by looking at the desktop user's own processes.

Runs as that user, who may read the environment of those processes; the door may not.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping
from pathlib import Path

from ambidex.mcp_tools.waiting import wait_for

__all__ = ["NoSessionError", "find_session", "wait_for_session"]

TELLING = (
    "DISPLAY",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "XAUTHORITY",
    "XDG_CURRENT_DESKTOP",
    "SESSION_MANAGER",
    "XDG_SESSION_TYPE",
)
"""Variables of a process inside the session. The process that has most of them speaks for it."""

NEEDED = ("DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")


class NoSessionError(Exception):
    """No desktop session was there within the bound; says what was missing."""


def environments(proc: Path, uid: int) -> list[dict[str, str]]:
    """The environment of each process of `uid` that can be read, oldest process first."""
    found = []
    for entry in sorted((each for each in proc.iterdir() if each.name.isdigit()), key=_number):
        try:
            if entry.stat().st_uid != uid:
                continue
            pairs = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue  # it ended meanwhile, or keeps its environment to itself
        decoded = (os.fsdecode(pair).partition("=") for pair in pairs if b"=" in pair)
        found.append({name: value for name, _, value in decoded})
    return found


def _number(entry: Path) -> int:
    return int(entry.name)


def find_session(
    found: list[dict[str, str]], uid: int, runtime: Path = Path("/run/user")
) -> dict[str, str]:
    """The environment of the session among `found`; `NoSessionError` says what is missing."""
    inside = [each for each in found if "DISPLAY" in each]
    if not inside:
        raise NoSessionError(f"none of {len(found)} processes of user {uid} has a DISPLAY")
    best = max(inside, key=_tells).copy()
    home = runtime / str(uid)
    if home.is_dir():
        best.setdefault("XDG_RUNTIME_DIR", str(home))
    if (home / "bus").exists():
        best.setdefault("DBUS_SESSION_BUS_ADDRESS", f"unix:path={home / 'bus'}")
    missing = [name for name in NEEDED if name not in best]
    if missing:
        raise NoSessionError(f"the session on {best['DISPLAY']} has no {', '.join(missing)} yet")
    return best


def _tells(environment: Mapping[str, str]) -> int:
    return sum(name in environment for name in TELLING)


def listening(environment: Mapping[str, str]) -> bool:
    """Whether the X server of the session takes connections."""
    number = environment["DISPLAY"].partition(":")[2].partition(".")[0]
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(f"/tmp/.X11-unix/X{number}")
        except OSError:
            return False
    return True


def wait_for_session(within: float, say: Callable[[str], None]) -> dict[str, str]:
    """The session's environment once it is there; `say` hears what is missing meanwhile;
    `NoSessionError` at the bound.
    """
    uid = os.geteuid()
    said = ""

    def seen() -> dict[str, str] | None:
        nonlocal said
        try:
            session = find_session(environments(Path("/proc"), uid), uid)
            if listening(session):
                return session
            missing = f"nothing listens on display {session['DISPLAY']}"
        except NoSessionError as error:
            missing = str(error)
        if missing != said:
            said = missing
            say(missing)
        return None

    session = wait_for(seen, within, every=0.25)
    if session is None:
        raise NoSessionError(f"no desktop session after {within:.0f} s: {said}")
    return session
