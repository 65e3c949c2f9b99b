"""A trial's folder on its way from a worker to the run's directory, while it is written.

Lines (`*.jsonl`) arrive as they are appended, and only once every other file is there, so that a
frame exists before the step that names it. Other files appear when they are whole. At the end, the
hashes of all files are compared; a file that differs is read again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ambidex.host.cluster import PIECE, Chunk
from ambidex.host.errors import HostError
from ambidex.host.loop.checkpointing import SNAPSHOTS
from ambidex.host.records.announcement import NAME as ANNOUNCED
from ambidex.host.records.orders import NAME as ORDERS

__all__ = ["FolderReader", "FolderWriter", "hashes", "read_piece"]

STAYS = (ANNOUNCED, ORDERS)
"""Files that do not travel: the screen's password, and the orders, which come from the head. Nor do
checkpoints: only their host has what they differ from."""
ARRIVING = ".arriving"


def _files(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Relative path and state of every file that travels, lines last."""
    found = []
    for place, _, names in os.walk(folder):
        for name in names:
            path = Path(place, name)
            relative = path.relative_to(folder).as_posix()
            if relative in STAYS or path.is_symlink() or relative.startswith(f"{SNAPSHOTS}/"):
                continue
            try:
                found.append((relative, path.stat()))
            except FileNotFoundError:
                continue  # renamed just now
    return iter(sorted(found, key=lambda item: (item[0].endswith(".jsonl"), item[0])))


def read_piece(folder: Path, path: str, offset: int) -> Chunk:
    """A piece of a file; `FileNotFoundError` if it has gone."""
    with _inside(folder, path).open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(offset)
        data = file.read(PIECE)
    return Chunk(path, offset, data, offset + len(data) >= size)


def hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of every file that travels, by its relative path."""
    result = {}
    for path, _ in _files(folder):
        with (folder / path).open("rb") as file:
            result[path] = hashlib.file_digest(file, "sha256").hexdigest()
    return result


@dataclass
class FolderReader:
    """Reads what is new in a folder, on a worker."""

    folder: Path
    _sent: dict[str, tuple[int, int, int, bool]] = field(default_factory=dict)
    """Of each file: inode, bytes sent, time of its last change then, and whether that was all."""

    def news(self) -> tuple[Chunk, ...]:
        """What was written since the last call, up to `PIECE` bytes; empty if nothing was."""
        chunks: list[Chunk] = []
        left = PIECE
        for path, state in list(_files(self.folder)):
            inode, sent, changed, whole = self._sent.get(path, (0, 0, -1, False))
            appended = path.endswith(".jsonl")
            same = inode == state.st_ino and (appended or changed == state.st_mtime_ns)
            # A file can grow within one tick of the clock, after it has arrived as a whole one.
            grew = whole and not appended and state.st_size > sent
            if not same or grew or state.st_size < sent:
                sent, changed = 0, -1
            if sent == state.st_size and changed >= 0:
                continue
            if left <= 0:
                break
            try:
                chunk = read_piece(self.folder, path, sent)
            except FileNotFoundError:
                continue
            chunks.append(chunk)
            left -= max(1, len(chunk.data))
            now = sent + len(chunk.data)
            self._sent[path] = (state.st_ino, now, state.st_mtime_ns, chunk.end)
            if not chunk.end:
                break  # the rest first: lines come after what they name
        return tuple(chunks)


@dataclass(frozen=True)
class FolderWriter:
    """Writes a trial's folder in the run's directory, on the head."""

    folder: Path

    def write(self, chunk: Chunk) -> None:
        """Store a piece of a file."""
        path = _inside(self.folder, chunk.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = chunk.path.endswith(".jsonl")
        target = path if lines else path.with_name(path.name + ARRIVING)
        with target.open("r+b" if chunk.offset else "wb") as file:
            file.seek(chunk.offset)
            file.write(chunk.data)
            file.truncate()
        if chunk.end and not lines:
            target.rename(path)

    def complete(self, files: Mapping[str, str], read: Callable[[str, int], Chunk]) -> None:
        """Make the folder the one whose files have these hashes: read those that differ again.
        `HostError` if one still differs."""
        here = hashes(self.folder)
        for path in here.keys() - files.keys():
            _inside(self.folder, path).unlink()
        for path in sorted(path for path in files if here.get(path) != files[path]):
            offset, end = 0, False
            while not end:
                chunk = read(path, offset)
                self.write(chunk)
                offset, end = offset + len(chunk.data), chunk.end
        here = hashes(self.folder)
        if wrong := sorted(path for path in files if here.get(path) != files[path]):
            raise HostError(f"{wrong[0]} of the trial arrived damaged, twice")


def _inside(folder: Path, path: str) -> Path:
    """The path of a file in the folder; `ValueError` if it would be outside."""
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts or not parts.parts:
        raise ValueError(f"not a file of a trial: {path!r}")
    return folder / parts
