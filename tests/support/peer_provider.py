"""Peers as a provider of machines: `--provider tests.support.peer_provider:PEERS`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ambidex.host.runs.machines import MachineOptions, Source
from tests.support.peer import PeerMachine

__all__ = ["PEERS"]


class Peers:
    """Makes peers, and remembers them."""

    def __init__(self) -> None:
        self.machines: list[PeerMachine] = []
        self.broken_reverts = 0
        """How often the next machine refuses to revert."""
        self.spares = 0
        """Spares that the last run wanted."""

    def forks(self, image: str) -> bool:
        """See `Provider`."""
        return True

    @contextmanager
    def open(
        self, options: MachineOptions, say: Callable[[str], None], code: Path | None
    ) -> Iterator[Source]:
        """See `Provider`."""
        self.spares = options.spares
        yield Source(self._make, "peer", "peers")

    def _make(self) -> PeerMachine:
        self.machines.append(PeerMachine(broken_reverts=self.broken_reverts))
        self.broken_reverts = 0
        return self.machines[-1]


PEERS = Peers()
