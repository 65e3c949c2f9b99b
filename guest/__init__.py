"""The guest: one server inside the desktop, through which everything reaches it.

The *door* (`python3 -m ambidex.guest`) runs as a system account: it holds the token, checks
arguments, keeps the results of calls, and can do nothing at the desktop. The *workers* (copies of
`guest.forkserver`) hold no secret and do everything that is done. A worker that hangs is killed and
replaced; the door never waits for one without a bound.

The agent acts as the desktop user, and so do the workers that run tools. The worker `harness`,
which serves the host, has the desktop user's rights and is not the agent's to stop or to write to
(`guest.credentials`). The worker `collector` reads the evidence: it has an account of its own, may
read every file, and runs nothing that the desktop user has written. `POST /harness/freeze` stops
all processes of the desktop user first.

    /mcp        what an agent may call: the tools of `mcp_tools`
    /harness/*  what the host alone may ask: health, frames, files, commands, identity

Fates of an error: `ToolError` is an error result of the call, for the model. `HarnessError` is an
answer with a 4xx status, for the host. A worker that dies is an error result with the code
`timeout` or `crashed`. Anything else is a bug: status 500, and the traceback in the journal.
"""

from __future__ import annotations

__all__ = [
    "CALL_AGAIN",
    "CALL_ID",
    "COLLECTOR",
    "DEFAULT_PORT",
    "FREEZER",
    "HARNESS",
    "SUITE",
    "THAWER",
    "HarnessError",
]

DEFAULT_PORT = 8770

CALL_ID = "ambidex/call"
"""Key in a request's `_meta`: the id by which a repeated call is recognised."""

CALL_AGAIN = "ambidex/again"
"""Key beside it: the result of that id is wanted, and nothing is to be done now."""

HARNESS = "harness"
"""Name of the worker that serves the host instead of the agent."""

COLLECTOR = "collector"
"""Name of the worker that reads the evidence."""

SUITE = "suite"
"""Name of the worker that runs the test suite of a task, and ends."""

FREEZER, THAWER = "freezer", "thawer"
"""Names of the workers that stop the desktop user's processes, or let them run again, and end."""


class HarnessError(Exception):
    """The host asked for what cannot be had; it gets `status` and this text. Never a model's
    business.
    """

    def __init__(
        self, message: str, *, code: str = "failed", hint: str = "", status: int = 400
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.hint = hint
        self.status = status
