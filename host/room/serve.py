"""Opening the control room."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ambidex.host.room import serving
from ambidex.host.room.app import Room
from ambidex.host.room.forking import FORK, Forks
from ambidex.host.room.serving import LOOPBACK
from ambidex.host.room.thumbnails import Eyes
from ambidex.host.room.wall import Wall

__all__ = ["opened", "serve"]

WHAT = "the control room"


def serve(
    folders: Sequence[Path],
    host: str,
    port: int,
    said: Callable[[str], None],
    browse: bool,
    names: Collection[str] = (),
) -> None:
    """Serve until interrupted; `said` is told an address, and another one whenever somebody comes
    with one that does not work any more. `names` are others by which the room is reached."""
    with serving.listening(host, port, WHAT) as listener:
        entrance = serving.entrance(listener)
        entrance.again = lambda _, address: said(address)
        said(entrance.address())
        if browse:
            webbrowser.open(entrance.address())
        serving.run(Room(Wall(folders), Eyes()), listener, entrance, names)


@contextmanager
def opened(
    folders: Sequence[Path],
    host: str = LOOPBACK,
    port: int = 0,
    fork: Sequence[str] = FORK,
    said: Callable[[str], None] = lambda address: None,
) -> Iterator[Callable[[], str]]:
    """Serve beside something else, as long as the block runs; gives addresses, each for one
    browser to enter by, and `said` is told another one as by `serve`. `fork` is the command that
    branches are begun with."""
    with serving.listening(host, port, WHAT) as listener:
        entrance = serving.entrance(listener)
        entrance.again = lambda _, address: said(address)
        room = Room(Wall(folders), Eyes(), forks=Forks(fork))
        with serving.running(room, listener, entrance):
            yield entrance.address
