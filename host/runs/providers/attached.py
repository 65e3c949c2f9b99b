"""The provider `attached`: a guest that is already running."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from ambidex.host.client.guest import Guest
from ambidex.host.errors import UsageError
from ambidex.host.runs.machines import MachineOptions, Source
from ambidex.vm import Machine, MachineError, Place, Program, UnforkableError

__all__ = ["PROVIDER", "Attached"]

ENDPOINT, TOKEN = "AMBIDEX_TEST_ENDPOINT", "AMBIDEX_TEST_TOKEN"


class Attached:
    """A guest that is already running, for authors of tools and tasks.

    Nothing is reverted, so a trial starts from what the last one left behind. Its scores are not
    valid results.
    """

    def __init__(self, endpoint: str, token: str) -> None:
        self.endpoint = endpoint
        self.token = token
        self.vnc = None

    def boot(self) -> None:
        """Do nothing: the guest is already running."""

    def revert(self, snapshot: Place, services: Sequence[str] | None = None) -> None:
        """Only resume a desktop that was frozen to collect evidence; nothing is reverted."""
        with Guest(self.endpoint, self.token) as guest:
            guest.thaw()

    def snapshot(self, name: Place, programs: Sequence[Program] = ()) -> None:
        """Not supported: raises `MachineError`."""
        raise MachineError("an attached guest has no snapshots")

    def fork(self) -> AbstractContextManager[Machine]:
        """Not supported: raises `MachineError`."""
        raise UnforkableError("an attached guest cannot be forked")

    def close(self) -> None:
        """Leave it running."""

    def console(self) -> str:
        """Empty: the guest's console is not accessible."""
        return ""

    def picture(self) -> bytes:
        """Not supported: raises `MachineError`."""
        raise MachineError("an attached guest has no screen outside its own screenshots")


class AttachedProvider:
    """Provides the one guest that two environment variables name."""

    def forks(self, image: str) -> bool:
        """See `Provider`."""
        return False

    @contextmanager
    def open(
        self, options: MachineOptions, say: Callable[[str], None], code: Path | None
    ) -> Iterator[Source]:
        """See `Provider`. `UsageError` if the variables are not set, or if more than one machine is
        requested."""
        endpoint, token = os.environ.get(ENDPOINT, ""), os.environ.get(TOKEN, "")
        if not endpoint:
            raise UsageError(f"--provider attached needs {ENDPOINT} (and {TOKEN}) to be set")
        if options.machines != 1:
            raise UsageError("--provider attached has exactly one machine")
        yield Source(
            lambda: Attached(endpoint, token),
            f"attached:{endpoint}",
            "attached",
            network=options.network,
        )


PROVIDER = AttachedProvider()
