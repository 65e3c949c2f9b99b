"""The differences between a desktop's states at two checkpoints of an episode."""

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
"""Largest number of changed files whose contents are compared."""


def desktop_diff(machine: Machine, before: Place, after: Place) -> list[Change]:
    """Files, settings, windows and processes that differ between two checkpoints, and the changed
    contents of files in readable formats. Reverts the machine several times, at last to `before`.
    """
    with _at(machine, before) as guest:
        then = survey(guest)
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with _at(machine, after) as guest:
            differences = changes(then, survey(guest))
            paths = [
                change.what
                for change in differences
                if (change.kind, change.how) == ("file", "changed")
            ][:MOST]
            _fetch(guest, paths, folder, "after")
        with _at(machine, before) as guest:
            _fetch(guest, paths, folder, "before")
        return [*differences, *_documents(paths, folder)]


@contextmanager
def _at(machine: Machine, place: Place) -> Iterator[Guest]:
    machine.revert(place)
    with Guest(machine.endpoint, machine.token) as guest:
        guest.wait_ready()
        yield guest


def _fetch(guest: Guest, paths: Sequence[str], folder: Path, side: str) -> None:
    for number, path in enumerate(paths):
        target = folder / str(number) / side
        target.mkdir(parents=True, exist_ok=True)
        try:
            guest.save(path, target / _plain(path))
        except (NoSuchFileError, GuestRefusalError):  # a link, or no longer a file
            continue


def _plain(path: str) -> str:
    """A file name that is valid on the host: a guest's name may be too long, or none at all."""
    name = PurePosixPath(path).name
    return name if name not in ("", "..") and len(name.encode()) < 200 else "file"


def _documents(paths: Sequence[str], folder: Path) -> Iterator[Change]:
    from ambidex.evaluators.meaning import differences  # heavy: it reads office files

    for number, path in enumerate(paths):
        both = [folder / str(number) / side for side in SIDES]
        name = _plain(path)
        for difference in differences(both[0], both[1], SIDES):
            yield Change("document", path, difference.removeprefix(f"{name}: "))
