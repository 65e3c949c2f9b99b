"""Questions about the desktop that a process of the guest answers: `guest.ask`, through the
harness door."""

from __future__ import annotations

import json
from typing import Any

from host.errors import GuestError
from host.guest import Guest

__all__ = ["CODE", "Refused", "ask"]

CODE = "/opt/ambidex"
"""Where a guest has our code, and beside it the libraries."""
MAIN = f"import sys; sys.path[:0] = ['{CODE}', '{CODE}/site']; from guest.ask import main; main()"
GRACE = 30.0


class Refused(Exception):
    """The desktop cannot answer: there is no browser, a page does not load. `code` says which."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


def ask(guest: Guest, do: str, *, takes: float = 30.0, **given: object) -> Any:
    """The answer; `Refused` where the desktop cannot give one, `GuestError` where nobody answers.

    `takes` is how many seconds the question itself may take.
    """
    ran = guest.run(
        # Isolated: without what the desktop user may have put among their own libraries.
        ["python3", "-I", "-B", "-c", MAIN],
        cwd="/",
        input=json.dumps({"do": do, "with": given}),
        timeout=takes + GRACE,
    )
    if ran.timed_out:
        raise GuestError(f"{do} was not answered within {takes + GRACE:g} s")
    if ran.returncode:
        raise GuestError(f"{do} failed inside the guest: {ran.stderr.strip()[-800:]}")
    if ran.truncated:
        raise Refused(f"the answer to {do} is too long", "too_much")
    said = json.loads(ran.stdout)
    if "error" in said:
        error = said["error"]
        raise Refused(f"{error['message']} {error['hint']}".strip(), error["code"])
    return said["value"]
