"""Read the files of a source: of a package in the asset store, a directory, an archive, or one."""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path, PurePosixPath

from ambidex.host.errors import UsageError
from ambidex.host.toolsets.sources import FileSource
from ambidex.tasks.assets import AssetStore

__all__ = ["Archive", "SourceFile", "open_archive"]

LARGEST = 256 << 20
"""Maximum bytes of one file."""
NPM = "package/"
"""What an npm package's files lie in."""


@dataclass(frozen=True)
class SourceFile:
    """One file of a source."""

    name: str
    """Path within the archive or directory; of a single file its name."""
    source: str
    """The package or path as the TOML file names it, with the file's path."""
    content: bytes

    @property
    def hash(self) -> str:
        """SHA-256 in hex."""
        return sha256(self.content).hexdigest()

    @property
    def stem(self) -> str:
        """The file's name without folders and without `.json` and the like."""
        name = PurePosixPath(self.name).name.removesuffix(".gz")
        return PurePosixPath(name).stem


class Archive:
    """The files that a source is read from."""

    def __init__(self, path: Path, named: str, patterns: tuple[str, ...]) -> None:
        """`open_archive` is the way to get one."""
        self._path = path
        self._named = named
        self._patterns = patterns

    def names(self) -> list[str]:
        """The paths of the files that the source's patterns match, in the archive's order."""
        return [name for name, _ in self._members(self._matches)]

    def files(self, wanted: Callable[[str], bool] = lambda name: True) -> Iterator[SourceFile]:
        """Read the files one at a time; `wanted` selects further, by path. `UsageError` if the
        patterns match none."""
        empty = True
        for name, read in self._members(lambda name: self._matches(name) and wanted(name)):
            empty = False
            source = f"{self._named}/{name}" if name else self._named
            yield SourceFile(name or self._path.name, source, read())
        if empty:
            raise UsageError(
                f"{self._named} has no file {' or '.join(self._patterns)}",
                hint="`files` are patterns of paths within the package, directory or archive.",
            )

    def _matches(self, name: str) -> bool:
        return not name or any(fnmatchcase(name, pattern) for pattern in self._patterns)

    def _members(self, wanted: Callable[[str], bool]) -> Iterator[tuple[str, Callable[[], bytes]]]:
        path = self._path
        if path.is_dir():
            for file in sorted(path.rglob("*")):
                name = file.relative_to(path).as_posix()
                if file.is_file() and wanted(name):
                    yield name, file.read_bytes
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as zipped:
                for entry in sorted(zipped.infolist(), key=lambda entry: entry.filename):
                    if not entry.is_dir() and wanted(entry.filename):
                        self._bound(entry.filename, entry.file_size)
                        yield entry.filename, lambda entry=entry: zipped.read(entry)  # type: ignore[misc]
        elif tarfile.is_tarfile(path):
            with tarfile.open(path) as tar:
                for member in tar:
                    name = member.name.removeprefix("./").removeprefix(NPM)
                    if member.isfile() and wanted(name):
                        self._bound(name, member.size)
                        stream = tar.extractfile(member)
                        assert stream is not None, "a regular file has content"
                        yield name, stream.read
        else:
            yield "", path.read_bytes

    def _bound(self, name: str, size: int) -> None:
        if size > LARGEST:
            raise UsageError(f"{self._named}/{name} is larger than {LARGEST} bytes")


def open_archive(
    source: FileSource, folder: Path, store: AssetStore, usual: tuple[str, ...]
) -> Archive:
    """The files of a source. Its path is relative to `folder`; `usual` are the patterns of files
    that it is read from if it names none. `UsageError` if it is not there."""
    patterns = source.files or usual
    if source.package:
        stored = store.at(source.package)
        if stored is None:
            raise UsageError(
                f"the package {source.package} is not in the asset store {store.root}",
                hint="Download it with `ambidex toolset import FILE`.",
            )
        return Archive(stored, source.package, patterns)
    path = folder / source.path
    if not path.exists():
        raise UsageError(f"no such file or directory: {path}")
    return Archive(path, source.path, patterns)
