"""The little that vm asks of a guest: is it ready, and here is who you are now."""

from __future__ import annotations

import base64
import json
import os
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from ambidex.vm import MachineError
from ambidex.vm.wait import NotYetError, wait_for

__all__ = ["Door", "new_token"]

IDENTITY_BOUND = 60.0
TRY = 25.0
"""Seconds for one try of that: a fork that is slow, emulated on a busy host, gets no quicker by
being asked again, for it answers what was given up first.
"""
CLOCK_OFF = 2.0
"""Seconds that a guest's clock may be off for: emulation on a busy host answers late."""


def new_token() -> str:
    """A bearer token nobody can guess."""
    return secrets.token_urlsafe(32)


LARGEST = 32 << 20
"""Bytes of an answer. A machine may be a fork of one that an agent has used."""


@dataclass(frozen=True)
class Answer:
    """What a guest answered, within that bound."""

    status: int
    body: bytes

    @property
    def text(self) -> str:
        """The beginning of it."""
        return self.body[:600].decode(errors="replace")

    def fields(self) -> dict[str, Any]:
        """It as a JSON object; `NotYetError` where it is none."""
        try:
            said = json.loads(self.body)
        except (ValueError, RecursionError):
            raise NotYetError(f"the guest's answer is not JSON: {self.text!r:.100}") from None
        if not isinstance(said, dict):
            raise NotYetError(f"the guest's answer is not a JSON object: {self.text!r:.100}")
        return said


@dataclass(frozen=True)
class Door:
    """Where a guest answers, and the token that opens it."""

    endpoint: str
    token: str

    def _ask(self, method: str, path: str, *, timeout: float, json: object = None) -> Answer:
        headers = {"Authorization": f"Bearer {self.token}", "Accept-Encoding": "identity"}
        end = time.monotonic() + timeout
        # No proxy of the environment, and no certificates read: the other end is this machine.
        with (
            httpx.Client(
                base_url=self.endpoint,
                headers=headers,
                timeout=timeout,
                trust_env=False,
                verify=False,
            ) as client,
            client.stream(method, path, json=json) as answer,
        ):
            body = bytearray()
            for chunk in answer.iter_raw():
                body += chunk
                if len(body) > LARGEST:
                    raise httpx.ReadError(f"more than {LARGEST} bytes")
                if time.monotonic() > end:
                    raise httpx.ReadTimeout(f"not whole after {timeout:g} s")
            return Answer(answer.status_code, bytes(body))

    def health(self, timeout: float = 5.0) -> dict[str, object]:
        """The guest's own report once it is ready; `NotYetError` says what is missing."""
        try:
            answer = self._ask("GET", "/harness/health", timeout=timeout)
        except httpx.HTTPError as error:
            raise NotYetError(f"no answer at {self.endpoint} ({type(error).__name__})") from None
        if answer.status == 200:
            report: dict[str, object] = answer.fields()
            return report
        raise NotYetError(f"the guest answers {answer.status}: {answer.text}")

    def start(self, argv: Sequence[str], window: str, within: float) -> None:
        """Start a program as the desktop user and wait for its window; `MachineError` if none
        comes.
        """
        self._told("/harness/run", {"argv": list(argv), "background": True}, 60.0)
        asked = {"title": window, "timeout": within}
        self._told("/harness/wait_window", asked, within + 60.0)

    def printed(self, argv: Sequence[str]) -> str:
        """What a program prints that the desktop user runs; `MachineError` if it fails."""
        said = self._told("/harness/run", {"argv": list(argv)}, 120.0)
        if said.get("returncode") != 0:
            why = str(said.get("stderr"))[-500:]
            raise MachineError(f"in the machine, {argv[0]} failed: {why}")
        return str(said.get("stdout"))

    def _told(self, path: str, asked: dict[str, object], timeout: float) -> dict[str, Any]:
        try:
            answer = self._ask("POST", path, timeout=timeout, json=asked)
        except httpx.HTTPError as error:
            raise MachineError(f"no answer at {self.endpoint} ({type(error).__name__})") from None
        if answer.status != 200:
            raise MachineError(f"the guest answers {answer.status}: {answer.text}")
        try:
            return answer.fields()
        except NotYetError as error:
            raise MachineError(str(error)) from None

    def renew(self) -> Door:
        """Give a forked guest its own token, machine-id, entropy and the present time; the new
        door, once the guest has answered that it is ready and that its clock is right.

        Nothing else may be asked of a fork before: until then it is its siblings' twin.
        """
        door, renewed = self, Door(self.endpoint, new_token())
        said = {
            "token": renewed.token,
            "machine_id": secrets.token_hex(16),
            "entropy": base64.b64encode(os.urandom(64)).decode(),
        }

        def told() -> None:
            nonlocal door
            sent = time.time()
            identity = {**said, "clock": sent}
            try:
                answer = door._ask("POST", "/harness/identity", timeout=TRY, json=identity)
            except httpx.ConnectError:  # QEMU listens from its start on
                raise MachineError("a fork ended before it took its identity") from None
            except httpx.HTTPError as error:
                raise NotYetError(
                    f"no answer at {self.endpoint} ({type(error).__name__})"
                ) from None
            if answer.status in {200, 401}:  # 401: an earlier try arrived, its answer was lost
                door = renewed
            if answer.status != 200:
                raise NotYetError(f"{answer.status}: {answer.text}")
            try:
                _check(answer.fields(), sent)
            except (KeyError, TypeError, AttributeError) as error:
                raise NotYetError(f"its answer has a wrong form: {error!r:.200}") from None

        wait_for(
            told,
            bound=IDENTITY_BOUND,
            fail=lambda seen: MachineError(
                f"a fork did not take its identity: {seen}", stage="guest"
            ),
        )
        return renewed


def _check(reply: dict[str, Any], sent: float) -> None:
    """What a guest answers that was told its identity, at that time; `NotYetError` where it is to
    be told again: one that was slow to take it took a time that was past by then.
    """
    if skipped := reply.get("skipped"):
        raise MachineError(f"a fork could not renew all of its identity: {skipped}")
    if (health := reply.get("health")) is None:
        hint = "Its agent is older: provision it again."
        raise MachineError("a fork does not tell its health with its identity", hint=hint)
    if not health["ready"]:
        lacks = {name: it["seen"] for name, it in health["checks"].items() if not it["ok"]}
        raise NotYetError(f"it is not ready: {lacks}")
    if not sent - CLOCK_OFF < health["clock"] < time.time() + CLOCK_OFF:
        raise NotYetError(f"its clock was off by {health['clock'] - sent:.1f} s")
