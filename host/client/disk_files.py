"""Reads the files of the evidence from the disk of a paused machine.

The answers are those of the guest's collector (`guest/evidence/`), for the same files: the same
states, bounds and hashes. Two differences: a link is followed only if the disk had it before the
agent acted, because root's links may be the agent's here; and where the disk is damaged, the answer
says that the file, list or inventory cannot be read.
"""

from __future__ import annotations

import hashlib
import posixpath
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ambidex.host.client.answers import FoundFile, GuestRefusalError, Inventory, Listing
from ambidex.vm.disk import DiskError
from ambidex.vm.disk.ext4 import PIECE, ROOT, FileSystem, Inode
from ambidex.vm.disk.guest_disk import GuestDisk

__all__ = ["DiskFiles"]

LARGEST = 64 << 20
"""Largest file in bytes whose content is returned."""
MOST_PARTS = 256
"""Maximum number of parts of a path, with those of links."""
MOST_LISTED = 100_000
"""Maximum number of entries in a listing."""
MOST_SURVEYED = 200_000
"""Maximum number of entries in an inventory."""
WITHIN = 100.0
"""Maximum time in seconds for an answer."""
LONGEST = 4096
"""Maximum length of a path in bytes, as in Linux."""
PLACES = (b"/tmp", b"/var/tmp")
"""Folders that every user may write to; they follow the home folder in an inventory."""
ZEROS = bytes(PIECE)


@dataclass(frozen=True)
class Account:
    """The desktop user, from the disk as it was before the agent acted."""

    home: bytes
    uid: int
    groups: frozenset[int]

    def may_read(self, file: Inode) -> bool:
        """Whether the permissions of a file let the desktop user read it."""
        if file.uid == self.uid:
            return bool(file.mode & stat.S_IRUSR)
        if file.gid in self.groups:
            return bool(file.mode & stat.S_IRGRP)
        return bool(file.mode & stat.S_IROTH)


class LinkError(Exception):
    """The path leads through a link that was not there before the agent acted."""


class SlowError(Exception):
    """The disk could not be read in time."""


class DiskFiles:
    """A `FileReader` for a disk that is `readable`."""

    def __init__(self, disk: GuestDisk) -> None:
        self._disk = disk

    @property
    def readable(self) -> bool:
        """Whether the disk that the machine started from can be read, and has the desktop user's
        account. The agent cannot influence that."""
        try:
            return bool(self._account.home)
        except DiskError:
            return False

    @property
    def home(self) -> str:
        """The home directory of the desktop user."""
        return _text(self._account.home)

    def find_file(self, path: str) -> FoundFile:
        """See `FileReader`."""
        full, end = self._expanded(path), time.monotonic() + WITHIN
        try:
            file = self._resolve(full, end)
            if file is None:
                return FoundFile(state="absent")
            if stat.S_ISDIR(file.mode):
                return FoundFile(state="folder")
            if not stat.S_ISREG(file.mode):
                return FoundFile(state="special")
            if not self._account.may_read(file):
                return FoundFile(state="unreadable", size=file.size)
            if file.size > LARGEST:
                return FoundFile(state="too_large", size=file.size)
            content = bytearray(file.size)
            for at, piece in self._disk.present.data(file):
                content[at : at + len(piece)] = piece
            return FoundFile(state="file", size=len(content), content=bytes(content))
        except LinkError:
            return FoundFile(state="link")
        except (DiskError, SlowError):
            return FoundFile(state="unreadable")

    def list_folder(self, path: str) -> Listing:
        """See `FileReader`."""
        full, end = self._expanded(path), time.monotonic() + WITHIN
        paths: list[str] = []
        try:
            top = self._resolve(full, end)
            if top is None or not stat.S_ISDIR(top.mode):
                return Listing(there=False, paths=(), more=False)
            for below, _ in self._walk(b"", top, end):
                if len(paths) == MOST_LISTED:
                    return Listing(there=True, paths=tuple(sorted(paths)), more=True)
                paths.append(_text(below))
        except LinkError:
            return Listing(there=False, paths=(), more=False)
        except (DiskError, SlowError):
            return Listing(there=True, paths=(), more=True)
        return Listing(there=True, paths=tuple(sorted(paths)), more=False)

    def inventory(self) -> Inventory:
        """See `FileReader`."""
        end = time.monotonic() + WITHIN
        files: dict[str, str] = {}
        refused = ""
        try:
            for path, file in self._surveyed(end):
                if len(files) >= MOST_SURVEYED:
                    refused = f"there are more than {MOST_SURVEYED:,} files"
                    break
                files[_text(path)] = self._state(file, end)
        except SlowError:
            refused = f"they could not be read within {WITHIN:g} s"
        except DiskError as error:
            refused = f"the disk cannot be read: {error}"
        return Inventory(files=files, refused=refused)

    def _surveyed(self, end: float) -> Iterator[tuple[bytes, Inode]]:
        for place in (self._account.home, *PLACES):
            try:
                top = self._resolve(place, end)
            except LinkError:
                continue
            if top is not None and stat.S_ISDIR(top.mode):
                yield from self._walk(place + b"/", top, end)

    def _state(self, file: Inode, end: float) -> str:
        """The state of a file as `guest.evidence.inventory` writes it."""
        if stat.S_ISDIR(file.mode):
            return "folder"
        if stat.S_ISLNK(file.mode):
            return f"-> {_text(self._disk.present.target(file))}"
        if not stat.S_ISREG(file.mode):
            return f"special {stat.S_IFMT(file.mode):o}"
        return f"{self._hash(file, end)} {file.mode & 0o7777:o}"

    def _hash(self, file: Inode, end: float) -> str:
        """The hash of a file; of one with holes, that of the positions and content of its data."""
        system = self._disk.present
        total, at = hashlib.blake2b(digest_size=16), 0
        sparse = file.size > file.allocated + PIECE
        begins = dict(system.regions(file)) if sparse else {}
        for position, piece in system.data(file):
            if position in begins:
                total.update(f"{position} {begins[position]} ".encode())
            elif not sparse:
                _fill(total, position - at, end)
            total.update(piece)
            at = position + len(piece)
            _check(end)
        if sparse:
            return f"sparse {total.hexdigest()}"
        _fill(total, file.size - at, end)
        return total.hexdigest()

    def _walk(self, path: bytes, top: Inode, end: float) -> Iterator[tuple[bytes, Inode]]:
        """Everything in a folder, recursively, with paths that begin with `path`. Each folder is
        visited once, and no link is followed."""
        system, seen = self._disk.present, {top.number}
        folders = [(path, top)]
        while folders:
            path, folder = folders.pop()
            _check(end)
            for name, number in system.entries(folder):
                _check(end)
                inode = system.inode(number)
                if not stat.S_ISDIR(inode.mode):
                    yield path + name, inode
                    continue
                below = path + name + b"/"
                yield below, inode
                if number in seen or len(below) > LONGEST:
                    raise DiskError("folders form a loop, or are nested too deeply")
                seen.add(number)
                folders.append((below, inode))

    def _resolve(self, path: bytes, end: float) -> Inode | None:
        """What is at a path; None if there is nothing. `LinkError` if it leads through a link of
        the agent's."""
        system = self._disk.present
        parts = _parts(path)
        folders, inode = [b""], system.inode(ROOT)
        for _ in range(MOST_PARTS):
            if not parts:
                return inode
            _check(end)
            name = parts.pop()
            if name == b"..":
                raise LinkError
            if not stat.S_ISDIR(inode.mode):
                return None
            below = system.find(inode, name)
            if below is None:
                return None
            if not stat.S_ISLNK(below.mode):
                folders, inode = [*folders, name], below
                continue
            target = system.target(below)
            if target != self._original_link(folders[1:], name):
                raise LinkError
            parts += _parts(target)
            if target.startswith(b"/"):
                folders, inode = [b""], system.inode(ROOT)
        raise LinkError

    def _original_link(self, folders: list[bytes], name: bytes) -> bytes | None:
        """The target that a link had before the agent acted; None if there was no such link."""
        system = self._disk.original
        inode: Inode | None = system.inode(ROOT)
        for part in (*folders, name):
            if inode is None or not stat.S_ISDIR(inode.mode):
                return None
            inode = system.find(inode, part)
        return system.target(inode) if inode and stat.S_ISLNK(inode.mode) else None

    def _expanded(self, path: str) -> bytes:
        """The normalised path with `~` replaced by the home."""
        raw = path.encode("utf-8", "surrogateescape")
        full = self._account.home + raw[1:] if raw == b"~" or raw.startswith(b"~/") else raw
        if not full.startswith(b"/") or b"\0" in full:
            raise GuestRefusalError(f"{path!r} is not absolute and does not begin with ~")
        return posixpath.normpath(full)

    @cached_property
    def _account(self) -> Account:
        name = self._disk.user.encode()
        try:
            system = self._disk.original
            rows = [line.split(b":") for line in _original(system, b"passwd").splitlines()]
            row = next(row for row in rows if row[0] == name and len(row) == 7)
            groups = {int(row[3])}
            for line in _original(system, b"group").splitlines():
                group = line.split(b":")
                if len(group) == 4 and name in group[3].split(b","):
                    groups.add(int(group[2]))
            return Account(posixpath.normpath(row[5]), int(row[2]), frozenset(groups))
        except (StopIteration, ValueError) as error:
            raise DiskError(f"the disk has no valid account {self._disk.user}") from error


def _original(system: FileSystem, name: bytes) -> bytes:
    folder = system.find(system.inode(ROOT), b"etc")
    file = system.find(folder, name) if folder else None
    if file is None or not stat.S_ISREG(file.mode):
        raise DiskError(f"there is no /etc/{name.decode()}")
    return b"".join(piece for _, piece in system.data(file))


def _parts(path: bytes) -> list[bytes]:
    """The parts of a path, the last one first."""
    return [part for part in reversed(path.split(b"/")) if part not in (b"", b".")]


def _text(path: bytes) -> str:
    return path.decode(errors="backslashreplace")


def _fill(total: hashlib.blake2b, length: int, end: float) -> None:
    """Add zeros to a hash."""
    while length > 0:
        total.update(ZEROS[: min(length, PIECE)])
        length -= PIECE
        _check(end)


def _check(end: float) -> None:
    """Raise `SlowError` if the time is up."""
    if time.monotonic() > end:
        raise SlowError
