"""The files of a benchmark, kept by their content: what a URL stood for is known by its hash, and
nobody asks the network twice.

    store.at(url)     the file, or None where it was never fetched or imported
    store.keep(url, path)     ChangedAssetError where the URL stood for other bytes

A URL is pinned by the SHA-256 of the first file that it stood for. A file of the store is never
changed; `verify` says of each whether it is still what it was.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel, ConfigDict, ValidationError

from ambidex.evaluators.strict import explain

__all__ = ["Asset", "AssetStore", "ChangedAssetError", "default_store", "digest_of", "place_of"]

FOLDER = "AMBIDEX_ASSETS"
"""The variable of the environment that names another folder."""
BLOCK = 1 << 20


class Asset(BaseModel):
    """What a URL stands for."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    url: str
    sha256: str
    size: int
    origin: str
    """Where it was taken from: the URL itself, a folder or an archive."""
    kept: str
    """When, UTC."""


class ChangedAssetError(ValueError):
    """A file is not the one that its URL is pinned to."""

    def __init__(self, pinned: Asset, sha256: str, size: int) -> None:
        super().__init__(
            f"{pinned.url} has changed: pinned on {pinned.kept} is SHA-256 {pinned.sha256} "
            f"({pinned.size} bytes), and this is {sha256} ({size} bytes)"
        )


@dataclass(frozen=True)
class AssetStore:
    """A folder of contents by their hash, and of URLs that stand for them."""

    root: Path

    def known(self, url: str) -> Asset | None:
        """What is known of a URL; None where nothing is."""
        try:
            return Asset.model_validate_json(self._entry(url).read_bytes())
        except FileNotFoundError:
            return None

    def at(self, url: str) -> Path | None:
        """The file that a URL stands for, if it is here."""
        asset = self.known(url)
        path = self.content(asset.sha256) if asset else None
        return path if path and path.is_file() else None

    def content(self, sha256: str) -> Path:
        """Where the content of that hash lies, or would."""
        return self.root / "objects" / sha256[:2] / sha256

    def keep(
        self, url: str, path: Path, origin: str = "", *, accept_changed: bool = False
    ) -> Asset:
        """Copy a file in as what the URL stands for. `ChangedAssetError` where the URL is pinned to
        other bytes, unless that is accepted: the pinned content stays in the store even then."""
        pinned = self.known(url)
        self.root.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(dir=self.root, prefix="incoming-")
        incoming = Path(name)
        try:
            total, size = hashlib.sha256(), 0
            with os.fdopen(number, "wb") as to, path.open("rb") as source:
                while block := source.read(BLOCK):
                    total.update(block)
                    size += len(block)
                    to.write(block)
                to.flush()
                os.fsync(to.fileno())
            digest = total.hexdigest()
            if pinned and pinned.sha256 != digest and not accept_changed:
                raise ChangedAssetError(pinned, digest, size)
            target = self.content(digest)
            target.parent.mkdir(parents=True, exist_ok=True)
            incoming.chmod(0o444)
            incoming.rename(target)
        finally:
            incoming.unlink(missing_ok=True)
        when = datetime.now(UTC).isoformat(timespec="seconds")
        asset = Asset(url=url, sha256=digest, size=size, origin=origin or url, kept=when)
        entry = self._entry(url)
        entry.parent.mkdir(parents=True, exist_ok=True)
        staging = entry.with_name(f"{entry.name}.{os.getpid()}.new")
        staging.write_text(asset.model_dump_json(indent=1) + "\n", encoding="utf-8")
        staging.rename(entry)
        return asset

    def assets(self) -> Iterator[Asset]:
        """All that is known, in no order that means anything; a damaged entry is a `ValueError`
        that names it."""
        for path in sorted((self.root / "urls").glob("*.json")):
            try:
                yield Asset.model_validate_json(path.read_bytes())
            except ValidationError as error:
                raise ValueError(f"not an entry of the index: {path}: {explain(error)}") from None

    def verify(self) -> Iterator[tuple[Asset, str]]:
        """What is not as it was, and how: the content is missing, or is another one."""
        for asset in self.assets():
            path = self.content(asset.sha256)
            if not path.is_file():
                yield asset, "its content is missing"
            elif digest_of(path) != asset.sha256:
                yield asset, "its content has changed"

    def lay_out(self, sha256: str, target: Path) -> None:
        """Put a copy of a content at `target`; `FileNotFoundError` where the store lacks it."""
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.content(sha256), target)

    def _entry(self, url: str) -> Path:
        return self.root / "urls" / f"{hashlib.sha256(url.encode()).hexdigest()}.json"


def digest_of(path: Path) -> str:
    """SHA-256 of a file."""
    total = hashlib.sha256()
    with path.open("rb") as source:
        while block := source.read(BLOCK):
            total.update(block)
    return total.hexdigest()


def place_of(url: str) -> str:
    """Where a file of a data set lies below its root: what follows the revision in its URL."""
    path = unquote(urlsplit(url).path)
    _, marked, after = path.partition("/resolve/")
    return after.partition("/")[2] if marked else path.lstrip("/")


def default_store() -> AssetStore:
    """The store of this user."""
    named = os.environ.get(FOLDER)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return AssetStore(Path(named) if named else cache / "ambidex" / "assets")
