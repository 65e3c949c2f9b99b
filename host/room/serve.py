"""Serving the control room."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ambidex.host.room import serving
from ambidex.host.room.app import Room
from ambidex.host.room.forking import FORK, Forks
from ambidex.host.room.runs.control import AMBIDEX, RunControl
from ambidex.host.room.serving import LOOPBACK
from ambidex.host.room.thumbnails import Thumbnails
from ambidex.host.room.wall import Wall

__all__ = ["opened", "serve"]

WHAT = "the control room"


def serve(
    folders: Sequence[Path],
    host: str,
    port: int,
    announce: Callable[[str], None],
    browse: bool,
    names: Collection[str] = (),
) -> None:
    """Serve until interrupted. `announce` is called with an address, and with a new one whenever an
    address that is no longer valid is opened. `names` are further host names of the room."""
    with serving.listening(host, port, WHAT) as listener:
        sign_in = serving.sign_in(listener)
        sign_in.on_expired = lambda _, address: announce(address)
        announce(sign_in.address())
        if browse:
            webbrowser.open(sign_in.address())
        serving.run(Room(Wall(folders), Thumbnails()), listener, sign_in, names)


@contextmanager
def opened(
    folders: Sequence[Path],
    host: str = LOOPBACK,
    port: int = 0,
    fork: Sequence[str] = FORK,
    run: Sequence[str] = AMBIDEX,
    announce: Callable[[str], None] = lambda address: None,
) -> Iterator[Callable[[], str]]:
    """Serve in the background while the block runs. Yields a function that issues addresses, each
    for one browser; `announce` is called with new ones as in `serve`. `fork` is the command that
    starts branches, `run` the one that starts runs."""
    with serving.listening(host, port, WHAT) as listener:
        sign_in = serving.sign_in(listener)
        sign_in.on_expired = lambda _, address: announce(address)
        control = RunControl(run)
        room = Room(Wall(folders), Thumbnails(), forks=Forks(fork), control=control)
        with serving.running(room, listener, sign_in):
            yield sign_in.address
