"""Signing in to pages such as the control room's: a one-time code in a URL buys a cookie.

URLs leak: a browser that is started with one shows it to every user of the machine (`ps`), and
histories and logs keep it. So the code in a URL works once, within minutes, and the cookie that it
is exchanged for never appears in a URL.
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

__all__ = ["VALID", "SignIn", "authorities"]

VALID = 300.0
"""Seconds for which a code is valid."""
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
ANYWHERE = "0.0.0.0"


@dataclass
class SignIn:
    """Issues addresses with one-time codes, and cookies to the browsers that use them."""

    origin: str
    """Origin of the pages, such as `http://127.0.0.1:8765`."""
    on_expired: Callable[[str, str], None] = lambda name, address: None
    """Called with a person's name and a new address when a used or expired address is opened: once
    for each such address."""
    clock: Callable[[], float] = time.monotonic
    _codes: dict[str, tuple[str, float]] = field(default_factory=dict)
    """The person and the time of expiry of each code."""
    _spent: dict[str, str] = field(default_factory=dict)
    _cookies: dict[str, str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def address(self, name: str = "") -> str:
        """Issue an address with which one browser can enter as the person of this name."""
        code = secrets.token_urlsafe(24)
        with self._lock:
            self._codes[code] = (name, self.clock() + VALID)
        return f"{self.origin}/?code={code}"

    def redeem(self, code: str) -> str | None:
        """Exchange a code for a cookie value; None if the code is not valid."""
        with self._lock:
            name, until = self._codes.pop(code, ("", -math.inf))
            if until > -math.inf:
                self._spent[code] = name
            if self.clock() >= until:
                return None
            cookie = secrets.token_urlsafe(32)
            self._cookies[cookie] = name
            return cookie

    def replace_expired(self, code: str) -> None:
        """Call `on_expired` with a new address, if a code that was refused was valid once."""
        with self._lock:
            name = self._spent.pop(code, None)
        if name is not None:
            self.on_expired(name, self.address(name))

    def user(self, cookie: str) -> str | None:
        """The name of the person with this cookie; None for an unknown cookie."""
        return self._cookies.get(cookie)


def authorities(host: str, port: int, names: Collection[str] = ()) -> Callable[[str], bool]:
    """A predicate that accepts a `Host` header (such as `127.0.0.1:8765`) if it names a page bound
    to `host`; `names` are further names by which it is reached, behind a proxy.

    Protects against DNS rebinding: a foreign page can make its own name resolve to this machine,
    and requests then carry that name. Unknown names are refused.
    """
    known = {f"{name}:{port}".lower() for name in (*LOOPBACK_NAMES, host)}
    known |= {name.lower() for name in names}
    if host in (ANYWHERE, ""):
        known.add(f"{socket.gethostname()}:{port}".lower())

    def ours(value: str) -> bool:
        if value.lower() in known or (port == 80 and f"{value.lower()}:80" in known):
            return True
        name, _, number = value.rpartition(":")
        # Bound to every address of the machine: a numeric address cannot be rebound.
        return host in (ANYWHERE, "") and number == str(port) and _is_address(name)

    return ours


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True
