"""Who is let into pages such as the control room's: a code in an address, then a cookie.

Others see an address: a browser that is started with it shows it to every user of the machine
(`ps`), histories and logs keep it. So the code in it works once, within minutes, and what it is
exchanged for is never in an address.
"""

from __future__ import annotations

import ipaddress
import math
import secrets
import socket
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

__all__ = ["VALID", "Entrance", "authorities"]

VALID = 300.0
"""Seconds within which the code of an address must be used."""
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
ANYWHERE = "0.0.0.0"


@dataclass
class Entrance:
    """Gives out addresses, and knows who has entered."""

    origin: str
    """Such as `http://127.0.0.1:8765`."""
    again: Callable[[str, str], None] = lambda name, address: None
    """Told a new address, and whose it is, where somebody came with one that was used or is too
    old: once for each such address."""
    clock: Callable[[], float] = time.monotonic
    _codes: dict[str, tuple[str, float]] = field(default_factory=dict)
    """Whose each code is, and until when it works."""
    _spent: dict[str, str] = field(default_factory=dict)
    _cookies: dict[str, str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def address(self, name: str = "") -> str:
        """An address by which one browser enters, as the person of that name."""
        code = secrets.token_urlsafe(24)
        with self._lock:
            self._codes[code] = (name, self.clock() + VALID)
        return f"{self.origin}/?code={code}"

    def admitted(self, code: str) -> str | None:
        """What a browser with that code keeps in its cookie; none where the code does not work."""
        with self._lock:
            name, until = self._codes.pop(code, ("", -math.inf))
            if until > -math.inf:
                self._spent[code] = name
            if self.clock() >= until:
                return None
            cookie = secrets.token_urlsafe(32)
            self._cookies[cookie] = name
            return cookie

    def came_too_late(self, code: str) -> None:
        """Somebody was refused with that code: if it worked once, `again` is told another one."""
        with self._lock:
            name = self._spent.pop(code, None)
        if name is not None:
            self.again(name, self.address(name))

    def whose(self, cookie: str) -> str | None:
        """The name of who has that cookie; none where nobody was given it."""
        return self._cookies.get(cookie)


def authorities(host: str, port: int, names: Collection[str] = ()) -> Callable[[str], bool]:
    """Says whether a request for that host and port (`Host: 127.0.0.1:8765`) is for a page that is
    bound to `host`; `names` are others by which it is reached, behind a proxy.

    A page elsewhere can have its own name lead to this machine (DNS rebinding), and its browser
    would then ask us under that name: names that we do not know are refused.
    """
    known = {f"{name}:{port}".lower() for name in (*LOOPBACK_NAMES, host)}
    known |= {name.lower() for name in names}
    if host in (ANYWHERE, ""):
        known.add(f"{socket.gethostname()}:{port}".lower())

    def ours(asked: str) -> bool:
        if asked.lower() in known or (port == 80 and f"{asked.lower()}:80" in known):
            return True
        name, _, number = asked.rpartition(":")
        # Bound to every address of the machine: a number cannot be made to lead elsewhere.
        return host in (ANYWHERE, "") and number == str(port) and _is_address(name)

    return ours


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True
