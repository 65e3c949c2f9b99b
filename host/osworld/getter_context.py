"""The context that every getter runs in, and constructors for the forms of its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from errno import ENAMETOOLONG
from pathlib import Path, PurePosixPath

from pydantic import JsonValue

from ambidex.host.client.answers import GuestRefusalError
from ambidex.host.client.evidence_files import FileReader
from ambidex.host.client.guest import Guest
from ambidex.host.osworld.waiting import Waiting
from ambidex.tasks.assets import AssetStore
from ambidex.tasks.osworld.evidence import Collected, StoredFile

__all__ = ["GetterContext", "GetterError", "fetched", "file_of", "files_of", "value"]


class GetterError(Exception):
    """The getter fails as OSWorld's would, with an exception; the result has no verdict."""


@dataclass(frozen=True)
class GetterContext:
    """The guest, folders and clock that one getter of a task works with."""

    guest: Guest
    files: FileReader
    """Reads the guest's files; the guest itself, except where the agent is root."""
    store: AssetStore
    waiting: Waiting
    evidence: Path
    name: str
    """Name of the folder for its files, such as `result-0` or `expected-2`."""
    steps: Sequence[Path]
    """Folders in which setup steps stored files, the latest first."""
    clock: str
    """The guest's time at the end of the episode, in ISO format."""

    def keep(self, name: str, content: bytes) -> StoredFile:
        """Store content as evidence under the name that the task gives it."""
        plain = PurePosixPath(name).name
        if plain in ("", ".", ".."):
            raise GetterError(f"not a file name: {name!r}")
        folder = self.evidence / self.name
        folder.mkdir(exist_ok=True)
        try:
            (folder / plain).write_bytes(content)
        except ValueError as error:
            raise GetterError(f"not a file name: {plain[:80]!r}: {error}") from None
        except OSError as error:
            if error.errno != ENAMETOOLONG:
                raise
            raise GetterError(f"the file name {plain[:80]!r}… is too long") from None
        return StoredFile(name=f"{self.name}/{plain}")


def value(getter: str, content: JsonValue, note: str = "") -> Collected:
    """An answer that is a value; None if there was none."""
    return Collected(getter=getter, state="value", value=content, said=note)


def file_of(getter: str, kept: StoredFile | None, note: str = "") -> Collected:
    """An answer that is one file, or None if there was none."""
    return files_of(getter, [kept], note=note)


def files_of(
    getter: str,
    files: Sequence[StoredFile | None],
    *,
    beside: Sequence[StoredFile] = (),
    note: str = "",
) -> Collected:
    """An answer of files: a single one by itself, several as a list."""
    listed = len(files) != 1
    return Collected(
        getter=getter,
        state="files",
        files=tuple(files),
        beside=tuple(beside),
        listed=listed,
        said=note,
    )


def fetched(context: GetterContext, path: str) -> bytes | None:
    """The content of a file in the guest; None if it cannot be read."""
    if "\0" in path:  # possible in a link inside a file made by the agent
        return None
    full = path if path.startswith(("/", "~")) else f"~/{path}"
    try:
        file = context.files.find_file(full)
    except GuestRefusalError:
        return None
    return file.content if file.state == "file" else None
