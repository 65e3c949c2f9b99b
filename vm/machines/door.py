"""Requests that vm makes to a guest: its health, a new identity, and programs to run."""

from __future__ import annotations

import base64
import json
import os
import secrets
import socket
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlsplit

from ambidex.vm import MachineError
from ambidex.vm.wait import NotYetError, wait_for

__all__ = ["Door", "new_token"]

IDENTITY_BOUND = 60.0
"""Seconds in which a guest must take its new identity."""
REQUEST_TIMEOUT = 25.0
"""Seconds for one such request. Shorter ones do not help a slow fork (emulated, on a busy host): it
answers the abandoned requests first.
"""
SERVERS_WITHIN = 900.0
"""Seconds for the stock MCP servers of an image to start, one after the other."""
CLOCK_OFF = 2.0
"""Seconds by which a guest's clock may be off: with emulation on a busy host, answers are late."""


def new_token() -> str:
    """A new random bearer token."""
    return secrets.token_urlsafe(32)


DESKTOP = "desktop"
"""The check of a health report that does not hold once the desktop session has failed."""
SLOW_SESSION = (
    "GNOME ends a session if one of its parts needs more than 90 s to start, which happens on a "
    "computer that is busy with other work; try again when it is not."
)
ERROR_TEXT, SEEN = 600, 200
"""Largest parts of an answer, and of one check, in an error message."""
LARGEST = 32 << 20
"""Largest answer in bytes. Guests are not trusted: one may be a fork that an agent has used."""


class LostError(Exception):
    """A request got no complete answer."""


class RefusedError(LostError):
    """Nobody listens at the endpoint."""


class _Socket(socket.socket):
    """A socket with one deadline for everything that is read from it: a peer that sends a byte now
    and then gains no time."""

    deadline: float

    def recv_into(self, *arguments: Any) -> int:
        """Read as usual, with the time that is left; `TimeoutError` when there is none."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.settimeout(left)
        return super().recv_into(*arguments)


class _Connection(HTTPConnection):
    """An HTTP connection whose whole answer must arrive within its timeout."""

    def connect(self) -> None:
        """Connect, and start the clock."""
        deadline = time.monotonic() + float(self.timeout or 0)
        super().connect()
        self.sock = _Socket(fileno=self.sock.detach())
        self.sock.deadline = deadline
        self.sock.settimeout(max(0.001, deadline - time.monotonic()))


@dataclass(frozen=True)
class GuestAnswer:
    """An HTTP answer of a guest, of at most `LARGEST` bytes."""

    status: int
    body: bytes

    @property
    def text(self) -> str:
        """The first `ERROR_TEXT` bytes, as text."""
        return self.body[:ERROR_TEXT].decode(errors="replace")

    def fields(self) -> dict[str, Any]:
        """The body as a JSON object; `NotYetError` if it is not one."""
        try:
            payload = json.loads(self.body)
        except (ValueError, RecursionError):
            raise NotYetError(f"the guest's answer is not JSON: {self.text!r:.100}") from None
        if not isinstance(payload, dict):
            raise NotYetError(f"the guest's answer is not a JSON object: {self.text!r:.100}")
        return payload


def not_ready(answer: GuestAnswer) -> NotYetError | MachineError:
    """The error that a health report of a guest which is not ready stands for.

    It names the checks that do not hold; `MachineError` if the desktop session has failed.
    """
    text = answer.text
    try:
        checks = answer.fields().get("checks")
    except NotYetError:
        checks = None
    failed: dict[str, str] = {}
    if isinstance(checks, dict):
        for name, check in checks.items():
            if isinstance(check, dict) and check.get("ok") is not True:
                failed[name] = str(check.get("seen"))[:SEEN]
    if failed:
        text = "; ".join(f"{name}: {seen}" for name, seen in failed.items())
    message = f"the guest answers {answer.status}: {text[:ERROR_TEXT]}"
    if DESKTOP in failed:
        return MachineError(f"{message}. {SLOW_SESSION}")
    return NotYetError(message)


@dataclass(frozen=True)
class Door:
    """A guest's HTTP endpoint, with the bearer token that it accepts."""

    endpoint: str
    token: str

    def _request(
        self, method: str, path: str, *, timeout: float, content: object = None
    ) -> GuestAnswer:
        """Send a request and read its whole answer within `timeout` seconds; `LostError` if there
        is none, `RefusedError` if nobody listens."""
        address = urlsplit(self.endpoint)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection = _Connection(str(address.hostname), address.port, timeout=timeout)
        with closing(connection):
            try:
                body = None if content is None else json.dumps(content).encode()
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
                read = answer.read(LARGEST + 1)
            except ConnectionRefusedError as error:
                raise RefusedError(str(error)) from None
            except TimeoutError:
                raise LostError(f"incomplete after {timeout:g} s") from None
            except (OSError, HTTPException, ValueError) as error:
                raise LostError(f"{type(error).__name__}: {error}") from None
        if len(read) > LARGEST:
            raise LostError(f"more than {LARGEST} bytes")
        return GuestAnswer(answer.status, read)

    def health(self, timeout: float = 5.0) -> dict[str, object]:
        """The guest's health report if it is ready; `NotYetError` says what is missing.

        `MachineError` if its desktop session has failed, since waiting does not help then.
        """
        try:
            answer = self._request("GET", "/harness/health", timeout=timeout)
        except LostError as error:
            raise NotYetError(f"no answer at {self.endpoint} ({error})") from None
        if answer.status == 200:
            report: dict[str, object] = answer.fields()
            return report
        raise not_ready(answer)

    def start(self, argv: Sequence[str], window: str, within: float) -> None:
        """Start a program as the desktop user and wait for its window.

        `MachineError` if no window with `window` in its title appears in `within` seconds.
        """
        self._post("/harness/run", {"argv": list(argv), "background": True}, 60.0)
        request = {"title": window, "timeout": within}
        self._post("/harness/wait_window", request, within + 60.0)

    def start_servers(self) -> None:
        """Start the stock MCP servers that have a first call; `MachineError` if one does not."""
        self._post("/harness/servers", {}, SERVERS_WITHIN)

    def output_of(self, argv: Sequence[str]) -> str:
        """Run a program as the desktop user and return its output; `MachineError` if it fails."""
        answer = self._post("/harness/run", {"argv": list(argv)}, 120.0)
        if answer.get("returncode") != 0:
            reason = str(answer.get("stderr"))[-500:]
            raise MachineError(f"in the machine, {argv[0]} failed: {reason}")
        return str(answer.get("stdout"))

    def _post(self, path: str, request: dict[str, object], timeout: float) -> dict[str, Any]:
        try:
            answer = self._request("POST", path, timeout=timeout, content=request)
        except LostError as error:
            raise MachineError(f"no answer at {self.endpoint} ({error})") from None
        if answer.status != 200:
            raise MachineError(f"the guest answers {answer.status}: {answer.text}")
        try:
            return answer.fields()
        except NotYetError as error:
            raise MachineError(str(error)) from None

    def renew(self) -> Door:
        """Give a forked guest its own token, machine-id, entropy and the current time.

        Returns the door with the new token, once the guest is ready and its clock is right. Make no
        other request to a fork before: until then it is identical to other forks.
        """
        door, renewed = self, Door(self.endpoint, new_token())
        secret_parts = {
            "token": renewed.token,
            "machine_id": secrets.token_hex(16),
            "entropy": base64.b64encode(os.urandom(64)).decode(),
        }

        def send_identity() -> None:
            nonlocal door
            sent = time.time()
            identity = {**secret_parts, "clock": sent}
            try:
                answer = door._request(
                    "POST", "/harness/identity", timeout=REQUEST_TIMEOUT, content=identity
                )
            except RefusedError:  # QEMU listens as soon as it has started
                raise MachineError("a fork ended before it took its identity") from None
            except LostError as error:
                raise NotYetError(f"no answer at {self.endpoint} ({error})") from None
            if answer.status in {200, 401}:  # 401: an earlier request arrived, its answer was lost
                door = renewed
            if answer.status != 200:
                raise NotYetError(f"{answer.status}: {answer.text}")
            try:
                _check(answer.fields(), sent)
            except (KeyError, TypeError, AttributeError) as error:
                raise NotYetError(f"its answer is malformed: {error!r:.200}") from None

        wait_for(
            send_identity,
            bound=IDENTITY_BOUND,
            fail=lambda seen: MachineError(
                f"a fork did not take its identity: {seen}", stage="guest"
            ),
        )
        return renewed


def _check(reply: dict[str, Any], sent: float) -> None:
    """Check a guest's answer to the identity sent at the time `sent`.

    `NotYetError` if the identity must be sent again: a guest that was slow has set its clock to a
    time that had passed by then.
    """
    if skipped := reply.get("skipped"):
        raise MachineError(f"a fork could not renew all of its identity: {skipped}")
    if (health := reply.get("health")) is None:
        hint = "Its guest server is too old: provision the image again."
        raise MachineError("a fork's answer to its identity lacks the field 'health'", hint=hint)
    if not health["ready"]:
        failed = {
            name: check["seen"] for name, check in health["checks"].items() if not check["ok"]
        }
        raise NotYetError(f"it is not ready: {failed}")
    if not sent - CLOCK_OFF < health["clock"] < time.time() + CLOCK_OFF:
        raise NotYetError(f"its clock was off by {health['clock'] - sent:.1f} s")
