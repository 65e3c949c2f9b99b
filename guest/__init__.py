"""The guest server: the only access to a machine, for agents and for the host.

The *door* (`python3 -m ambidex.guest`) runs as a system account. It holds the token, checks
arguments and stores the results of calls, but cannot do anything on the desktop. The *workers*
(copies of `guest.forkserver`) hold no secrets and do all the work. A worker that hangs is killed
and replaced; the door never waits for one without a bound.

The agent acts as the desktop user, and so do the workers that run tools. The worker `harness`,
which serves the host, has the desktop user's rights, but the agent can neither stop it nor write to
its memory (`guest.credentials`). The worker `collector` reads the evidence: it has an account of
its own, may read every file, and runs nothing that the desktop user has written. `POST
/harness/freeze` stops all processes of the desktop user first.

A guest without a desktop has no session and no screen. The harness then refuses what needs one with
the code `no_desktop`, and the apps that act on a desktop are not served.

    /mcp        for agents: the tools of `mcp_tools`
    /harness/*  for the host only: health, frames, files, commands, identity

Fates of an error: `ToolError` becomes an error result of the call, for the model. `HarnessError`
becomes an answer with a 4xx status, for the host. The death of a worker becomes an error result
with the code `timeout` or `crashed`. Anything else is a bug: status 500, and a traceback in the
journal.
"""

from __future__ import annotations

__all__ = [
    "AS_ACCOUNT",
    "CALL_AGAIN",
    "CALL_ID",
    "COLLECTOR",
    "DEFAULT_PORT",
    "FREEZER",
    "HARNESS",
    "HEADLESS",
    "SUITE",
    "THAWER",
    "VERIFIER",
    "HarnessError",
]

DEFAULT_PORT = 8770

CALL_ID = "ambidex/call"
"""Key in a request's `_meta`: the id of the call, by which a repeated request is recognised."""

CALL_AGAIN = "ambidex/again"
"""Key in `_meta`: return the stored result of that id and execute nothing."""

HARNESS = "harness"
"""Name of the worker that serves the host instead of the agent."""

HEADLESS = "AMBIDEX_HEADLESS"
"""Variable in the first environment of every worker of a guest without a desktop."""

COLLECTOR = "collector"
"""Name of the worker that reads the evidence."""

SUITE = "suite"
"""Name of the worker that runs the test suite of a task and then exits."""

VERIFIER = "verifier"
"""Name of the worker that runs the verification program of a task and then exits."""

AS_ACCOUNT = "as:"
"""Prefix of the name of a worker that runs one program of an account, which follows."""

FREEZER, THAWER = "freezer", "thawer"
"""Names of the workers that stop or resume the desktop user's processes and then exit."""


class HarnessError(Exception):
    """A request of the host failed; it gets `status` and this message. Models never see it."""

    def __init__(
        self, message: str, *, code: str = "failed", hint: str = "", status: int = 400
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.hint = hint
        self.status = status
