"""A guest that is already running somewhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from ambidex.host.client.guest import Guest
from ambidex.host.errors import UsageError
from ambidex.host.runs.machines import MachineOptions, Source
from ambidex.vm import Machine, MachineError, Place, Program

__all__ = ["PROVIDER", "Attached"]

ENDPOINT, TOKEN = "AMBIDEX_TEST_ENDPOINT", "AMBIDEX_TEST_TOKEN"


class Attached:
    """A guest that is already running somewhere: for authors of tools and tasks.

    Nothing is reverted, so one trial sees what the last one left; such scores are not worth
    keeping.
    """

    def __init__(self, endpoint: str, token: str) -> None:
        self.endpoint = endpoint
        self.token = token
        self.vnc = ("", "")

    def boot(self) -> None:
        """Nothing: it runs."""

    def revert(self, snapshot: Place) -> None:
        """It cannot; a desktop that was frozen to read the evidence runs again."""
        with Guest(self.endpoint, self.token) as guest:
            guest.thaw()

    def snapshot(self, name: Place, programs: Sequence[Program] = ()) -> None:
        """Refuse."""
        raise MachineError("an attached guest has no snapshots")

    def fork(self) -> AbstractContextManager[Machine]:
        """Refuse."""
        raise MachineError("an attached guest cannot be forked")

    def close(self) -> None:
        """Leave it running."""

    def console(self) -> str:
        """Nothing is known of it."""
        return ""

    def picture(self) -> bytes:
        """Refuse: there is no view from outside."""
        raise MachineError("an attached guest cannot be seen from outside")


class AttachedProvider:
    """One guest, named by two environment variables."""

    forks = False

    @contextmanager
    def open(
        self, options: MachineOptions, say: Callable[[str], None], code: Path | None
    ) -> Iterator[Source]:
        """That guest; `UsageError` where it is not named, or where more than one is asked for."""
        endpoint, token = os.environ.get(ENDPOINT, ""), os.environ.get(TOKEN, "")
        if not endpoint:
            raise UsageError(f"--provider attached needs {ENDPOINT} (and {TOKEN}) to be set")
        if options.machines != 1:
            raise UsageError("an attached guest is one machine")
        yield Source(lambda: Attached(endpoint, token), f"attached:{endpoint}", "attached")


PROVIDER = AttachedProvider()
