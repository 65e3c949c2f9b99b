"""Opening the control room."""

from __future__ import annotations

import secrets
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from host.room import serving
from host.room.app import Room
from host.room.eyes import Eyes
from host.room.forking import FORK, Forks
from host.room.serving import LOOPBACK
from host.room.wall import Wall

__all__ = ["opened", "serve"]

WHAT = "the control room"


def serve(
    folders: Sequence[Path], host: str, port: int, said: Callable[[str], None], browse: bool
) -> None:
    """Serve until interrupted; `said` is told the address, token included."""
    with serving.listening(host, port, WHAT) as listener:
        token = secrets.token_urlsafe(24)
        said(address := serving.address(listener, token))
        if browse:
            webbrowser.open(address)
        serving.run(Room(Wall(folders), token, Eyes()), listener)


@contextmanager
def opened(
    folders: Sequence[Path], host: str = LOOPBACK, port: int = 0, fork: Sequence[str] = FORK
) -> Iterator[str]:
    """Serve beside something else, as long as the block runs; gives the address, token included.
    `fork` is the command that branches are begun with."""
    with serving.listening(host, port, WHAT) as listener:
        token = secrets.token_urlsafe(24)
        room = Room(Wall(folders), token, Eyes(), forks=Forks(fork))
        with serving.running(room, listener):
            yield serving.address(listener, token)
