"""Read and write a toolset: one file of tools that is searched without being loaded.

The file has five parts: a magic line, a header in JSON (hash, counts, servers), a table of
offsets, a table of names with 64 bytes each, and then compressed JSON: the texts to index, as one
block, and a record for each tool. Tools are sorted by server and name, so that a name is found by
bisection in the mapped file. SQLite would do as well, but writes its version into each file and
ties a connection to a thread; here the same tools give the same bytes, and any thread may read.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import struct
import zlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from ambidex.host.errors import UsageError
from ambidex.host.toolsets import LONGEST_NAME, CatalogueTool, Server

__all__ = ["Toolset", "ToolsetWriter"]

MAGIC = b"ambidex toolset 1\n"
SIZE = struct.Struct("<Q")
LARGEST = 16 << 20
"""Maximum bytes of one tool's record."""
RENAME = "Rename the servers of one of the sources: `server` in the TOML file."
CHUNK = 1 << 20
"""Bytes of the texts that are read at a time."""


class _Header(NamedTuple):
    hash: str
    texts: int
    """Bytes of the compressed texts."""
    counts: dict[str, int]
    """Tools of each server that has any, sorted by server."""
    servers: dict[str, dict[str, Any]]


class Toolset:
    """The tools of a compiled file, read from disk one at a time. Safe to use from any thread."""

    def __init__(self, content: mmap.mmap, path: Path) -> None:
        """`open` is the way to get one."""
        start = len(MAGIC) + SIZE.size
        size = SIZE.unpack_from(content, len(MAGIC))[0]
        header = _Header(**json.loads(content[start : start + size]))
        self.path = path
        self.hash = header.hash
        """SHA-256 of servers and tools, in hex. Independent of compression."""
        self.servers: Mapping[str, Server] = {
            name: Server.model_validate(server) for name, server in header.servers.items()
        }
        self._content = content
        self._ranges: dict[str, tuple[int, int]] = {}
        count = 0
        for server, tools in header.counts.items():
            self._ranges[server] = (count, count + tools)
            count += tools
        self._count = count
        self._owners = [(end, server) for server, (_, end) in self._ranges.items()]
        self._offsets = start + size
        self._names = self._offsets + (count + 1) * SIZE.size
        self._texts = self._names + count * LONGEST_NAME
        self._records = self._texts + header.texts
        if len(content) != self._records + self._offset(count):
            raise ValueError("its size is not what its header says")

    @classmethod
    def open(cls, path: Path) -> Toolset:
        """Map a toolset's file into memory. `UsageError` if it is not one."""
        try:
            with path.open("rb") as file:
                if file.read(len(MAGIC)) != MAGIC:
                    raise UsageError(
                        f"not a toolset of this version: {path}",
                        hint="Compile it again with `ambidex toolset compile`.",
                    )
                content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            return cls(content, path)
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}") from None
        except (ValueError, TypeError, struct.error) as error:
            raise UsageError(
                f"the toolset {path} is damaged: {error}",
                hint="Compile it again with `ambidex toolset compile`.",
            ) from None

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> CatalogueTool:
        """Read one tool. `IndexError` outside 0 to len - 1; `UsageError` if it is damaged."""
        record = self._record(index)
        try:
            known = {"server": self.server_of(index), "name": self.name_of(index)}
            return CatalogueTool.model_validate(known | json.loads(record))
        except (ValidationError, ValueError) as error:
            raise UsageError(
                f"tool {index} of the toolset {self.path} is damaged: {error}"
            ) from None

    def __iter__(self) -> Iterator[CatalogueTool]:
        return (self[index] for index in range(self._count))

    def name_of(self, index: int) -> str:
        """The name of a tool, without reading its record."""
        start = self._names + index * LONGEST_NAME
        return self._content[start : start + LONGEST_NAME].rstrip(b"\0").decode("ascii")

    def names(self) -> list[str]:
        """The names of all tools in order, without reading their records."""
        end = self._names + self._count * LONGEST_NAME
        text = self._content[self._names : end].decode("ascii")
        starts = range(0, len(text), LONGEST_NAME)
        return [text[start : start + LONGEST_NAME].rstrip("\0") for start in starts]

    def count_of(self, server: str) -> int:
        """Number of a server's tools."""
        first, end = self._ranges.get(server, (0, 0))
        return end - first

    def server_of(self, index: int) -> str:
        """The name of a tool's server, without reading its record."""
        return self._owners[bisect_left(self._owners, index + 1, key=lambda owner: owner[0])][1]

    def index_of(self, server: str, name: str) -> int | None:
        """The index of a tool, or None if the server does not offer that name."""
        first, end = self._ranges.get(server, (0, 0))
        index = bisect_left(range(end), name, lo=first, key=self.name_of)
        return index if index < end and self.name_of(index) == name else None

    def texts(self) -> Iterator[tuple[str, str, str]]:
        """Server, name and description of each tool in order, without reading the records."""
        reader, rest = zlib.decompressobj(), b""
        servers = (
            server for server, (first, end) in self._ranges.items() for _ in range(first, end)
        )
        index = 0
        for start in range(self._texts, self._records, CHUNK):
            part = self._content[start : min(start + CHUNK, self._records)]
            *lines, rest = (rest + reader.decompress(part)).split(b"\n")
            for line in lines:
                yield next(servers), self.name_of(index), json.loads(line)
                index += 1

    def verify(self) -> None:
        """Read everything and compare with the hash. `UsageError` if the file was changed."""
        digest = hashlib.sha256(_json(_dumped(self.servers)))
        for index in range(self._count):
            digest.update(
                _identity(self.server_of(index), self.name_of(index), self._record(index))
            )
        if digest.hexdigest() != self.hash:
            raise UsageError(f"the toolset {self.path} does not have the content its hash names")

    def _offset(self, index: int) -> int:
        return int(SIZE.unpack_from(self._content, self._offsets + index * SIZE.size)[0])

    def _record(self, index: int) -> bytes:
        if not 0 <= index < self._count:
            raise IndexError(f"tool {index} of {self._count}")
        start, end = (self._records + self._offset(index + more) for more in (0, 1))
        try:
            return zlib.decompressobj().decompress(self._content[start:end], LARGEST)
        except zlib.error as error:
            raise UsageError(
                f"tool {index} of the toolset {self.path} is damaged: {error}"
            ) from None


class _Entry(NamedTuple):
    server: str
    name: str
    description: str
    record: bytes
    """Compressed."""
    digest: bytes


class ToolsetWriter:
    """Collects tools, compressed, and writes them as a toolset."""

    def __init__(self) -> None:
        self._servers: dict[str, Server] = {}
        self._entries: dict[str, _Entry] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def add_server(self, server: Server) -> None:
        """Add a server. `UsageError` if its name is taken."""
        if server.name in self._servers:
            raise UsageError(f"two servers are named {server.name!r}", hint=RENAME)
        self._servers[server.name] = server

    def add(self, tool: CatalogueTool) -> None:
        """Add a tool. `UsageError` if its name is taken, or its server was not added."""
        if tool.server not in self._servers:
            raise UsageError(f"the tool {tool.name} belongs to no server: {tool.server!r}")
        if other := self._entries.get(tool.name):
            raise UsageError(
                f"two tools are named {tool.name}: of {other.server!r} and {tool.server!r}",
                hint=RENAME,
            )
        content = tool.model_dump(mode="json", exclude={"server", "name"}, exclude_defaults=True)
        content["execution"]["kind"] = tool.execution.kind
        record = _json(content)
        self._entries[tool.name] = _Entry(
            tool.server,
            tool.name,
            tool.description,
            zlib.compress(record),
            _identity(tool.server, tool.name, record),
        )

    def write(self, path: Path) -> Toolset:
        """Write the file and open it. A file that exists is replaced, whole or not at all."""
        entries = sorted(self._entries.values(), key=lambda entry: entry[:2])
        servers = _dumped(dict(sorted(self._servers.items())))
        digest = hashlib.sha256(_json(servers))
        packer = zlib.compressobj()
        texts = bytearray()
        for entry in entries:
            digest.update(entry.digest)
            texts += packer.compress(_json(entry.description) + b"\n")
        texts += packer.flush()
        header = _Header(
            hash=digest.hexdigest(),
            texts=len(texts),
            counts=Counter(entry.server for entry in entries),
            servers=servers,
        )
        packed = _json(header._asdict())
        offsets = accumulate((len(entry.record) for entry in entries), initial=0)
        part = path.with_name(path.name + ".part")
        with part.open("wb") as file:
            file.write(MAGIC + SIZE.pack(len(packed)) + packed)
            file.writelines(SIZE.pack(offset) for offset in offsets)
            file.writelines(entry.name.encode().ljust(LONGEST_NAME, b"\0") for entry in entries)
            file.write(texts)
            file.writelines(entry.record for entry in entries)
        part.replace(path)
        return Toolset.open(path)


def _identity(server: str, name: str, record: bytes) -> bytes:
    """The hash of a tool, of which a toolset's hash is made."""
    return hashlib.sha256(_json([server, name]) + record).digest()


def _dumped(servers: Mapping[str, Server]) -> dict[str, Any]:
    return {
        name: server.model_dump(mode="json", exclude_defaults=True)
        for name, server in servers.items()
    }


def _json(value: object) -> bytes:
    """The canonical JSON text: the order of keys in an input does not change a hash."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("ascii")
