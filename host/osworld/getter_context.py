"""What every getter has at hand while it is carried out, and the forms in which it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from errno import ENAMETOOLONG
from pathlib import Path, PurePosixPath

from pydantic import JsonValue

from ambidex.host.client.answers import GuestRefusalError, NoSuchFileError
from ambidex.host.client.guest import Guest
from ambidex.host.osworld.waiting import Waiting
from ambidex.tasks.osworld.assets import AssetStore
from ambidex.tasks.osworld.evidence import Collected, StoredFile

__all__ = ["GetterError", "Place", "fetched", "file_of", "files_of", "value"]


class GetterError(Exception):
    """The getter ends as OSWorld's would: with an exception, and so without a verdict."""


@dataclass(frozen=True)
class Place:
    """Where one getter of a task works."""

    guest: Guest
    store: AssetStore
    waiting: Waiting
    evidence: Path
    name: str
    """Of the folder for its files: `result-0`, `expected-2`."""
    steps: Sequence[Path]
    """Where steps keep what they were told to, the latest first."""
    clock: str
    """The guest's own time when the episode had ended."""

    def keep(self, name: str, content: bytes) -> StoredFile:
        """Put content among the evidence under the name that the task gives it."""
        plain = PurePosixPath(name).name
        if plain in ("", ".", ".."):
            raise GetterError(f"{name!r} is no name for a file")
        folder = self.evidence / self.name
        folder.mkdir(exist_ok=True)
        try:
            (folder / plain).write_bytes(content)
        except ValueError as error:
            raise GetterError(f"{plain[:80]!r} is no name for a file: {error}") from None
        except OSError as error:
            if error.errno != ENAMETOOLONG:
                raise
            raise GetterError(f"{plain[:80]!r}… is too long for the name of a file") from None
        return StoredFile(name=f"{self.name}/{plain}")


def value(getter: str, said: JsonValue, note: str = "") -> Collected:
    """A value; None says that there was nothing."""
    return Collected(getter=getter, state="value", value=said, said=note)


def file_of(getter: str, kept: StoredFile | None, note: str = "") -> Collected:
    """One file, or None where there was none."""
    return files_of(getter, [kept], note=note)


def files_of(
    getter: str,
    files: Sequence[StoredFile | None],
    *,
    beside: Sequence[StoredFile] = (),
    note: str = "",
) -> Collected:
    """Files; one alone is given as itself, several as a list."""
    listed = len(files) != 1
    return Collected(
        getter=getter,
        state="files",
        files=tuple(files),
        beside=tuple(beside),
        listed=listed,
        said=note,
    )


def fetched(place: Place, path: str) -> bytes | None:
    """The content of a file of the guest; None where it cannot be read."""
    if "\0" in path:  # a link in a file of the agent's may say so
        return None
    full = path if path.startswith(("/", "~")) else f"{place.guest.home}/{path}"
    try:
        return place.guest.get(full)
    except NoSuchFileError:
        return None
    except GuestRefusalError:  # a folder, or what the desktop user may not read
        return None
