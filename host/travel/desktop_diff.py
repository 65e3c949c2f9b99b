"""What differs between a desktop before two steps of an episode."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from ambidex.host.client.answers import GuestRefusalError, NoSuchFileError
from ambidex.host.client.guest import Guest
from ambidex.host.client.survey import Change, changes, survey
from ambidex.vm import Machine, Place

__all__ = ["desktop_diff"]

SIDES = ("before", "after")
MOST = 50
"""Changed files whose contents are compared."""


def desktop_diff(machine: Machine, before: Place, after: Place) -> list[Change]:
    """Files, settings, windows and processes that differ when the machine becomes what is kept at
    these two places, and of files that changed, what they say otherwise, where it can be read. The
    machine is at the first of them afterwards.
    """
    with _at(machine, before) as guest:
        then = survey(guest)
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with _at(machine, after) as guest:
            found = changes(then, survey(guest))
            paths = [e.what for e in found if (e.kind, e.how) == ("file", "changed")][:MOST]
            _fetch(guest, paths, folder, "after")
        with _at(machine, before) as guest:
            _fetch(guest, paths, folder, "before")
        return [*found, *_documents(paths, folder)]


@contextmanager
def _at(machine: Machine, place: Place) -> Iterator[Guest]:
    machine.revert(place)
    with Guest(machine.endpoint, machine.token) as guest:
        guest.wait_ready()
        yield guest


def _fetch(guest: Guest, paths: Sequence[str], folder: Path, side: str) -> None:
    for number, path in enumerate(paths):
        kept = folder / str(number) / side
        kept.mkdir(parents=True, exist_ok=True)
        try:
            guest.save(path, kept / _plain(path))
        except (NoSuchFileError, GuestRefusalError):  # a link, or what is no file any more
            continue


def _plain(path: str) -> str:
    """The name of a file as it is kept here: one in the guest may be too long, or none at all."""
    name = PurePosixPath(path).name
    return name if name not in ("", "..") and len(name.encode()) < 200 else "file"


def _documents(paths: Sequence[str], folder: Path) -> Iterator[Change]:
    from ambidex.evaluators.meaning import differences  # heavy: it reads office files

    for number, path in enumerate(paths):
        both = [folder / str(number) / side for side in SIDES]
        name = _plain(path)
        for said in differences(both[0], both[1], SIDES):
            yield Change("document", path, said.removeprefix(f"{name}: "))
