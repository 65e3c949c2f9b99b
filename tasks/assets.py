"""A content-addressed store for the files of a benchmark, so that nothing is downloaded twice.

    store.at(url)     the file, or None if it was never fetched or imported
    store.keep(url, path)     ChangedAssetError if the URL is pinned to other content

A URL is pinned to the SHA-256 of its first content. Files in the store never change; `verify`
checks that they have not.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel, ConfigDict, ValidationError

from ambidex.evaluators.strict import explain

__all__ = ["Asset", "AssetStore", "ChangedAssetError", "dataset_path", "default_store", "digest_of"]

FOLDER = "AMBIDEX_ASSETS"
"""The environment variable that overrides the folder of the store."""
BLOCK = 1 << 20


class Asset(BaseModel):
    """The content that a URL is pinned to."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    url: str
    sha256: str
    size: int
    origin: str
    """Where the file came from: the URL itself, a folder or an archive."""
    kept: str
    """When it was stored, UTC."""


class ChangedAssetError(ValueError):
    """A file differs from the content that its URL is pinned to."""

    def __init__(self, pinned: Asset, sha256: str, size: int) -> None:
        super().__init__(
            f"{pinned.url} has changed: it was pinned on {pinned.kept} to SHA-256 {pinned.sha256} "
            f"({pinned.size} bytes), and is now {sha256} ({size} bytes)"
        )


@dataclass(frozen=True)
class AssetStore:
    """A folder with contents by hash, and an index of URLs."""

    root: Path

    def known(self, url: str) -> Asset | None:
        """The index entry of a URL, or None."""
        try:
            return Asset.model_validate_json(self._entry(url).read_bytes())
        except FileNotFoundError:
            return None

    def at(self, url: str) -> Path | None:
        """The file that a URL is pinned to, if it is in the store."""
        asset = self.known(url)
        path = self.content(asset.sha256) if asset else None
        return path if path and path.is_file() else None

    def content(self, sha256: str) -> Path:
        """The path of the content with this hash, whether or not it exists."""
        return self.root / "objects" / sha256[:2] / sha256

    def keep(
        self, url: str, path: Path, origin: str = "", *, accept_changed: bool = False
    ) -> Asset:
        """Copy a file into the store as the content of a URL. Raises `ChangedAssetError` if the URL
        is pinned to other content, unless `accept_changed`; the old content stays in the store."""
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
        """All entries of the index, in no meaningful order; `ValueError` names a damaged entry."""
        for path in sorted((self.root / "urls").glob("*.json")):
            try:
                yield Asset.model_validate_json(path.read_bytes())
            except ValidationError as error:
                raise ValueError(f"not an entry of the index: {path}: {explain(error)}") from None

    def verify(self) -> Iterator[tuple[Asset, str]]:
        """Yield each asset whose content is missing or has changed, with the problem."""
        for asset in self.assets():
            path = self.content(asset.sha256)
            if not path.is_file():
                yield asset, "its content is missing"
            elif digest_of(path) != asset.sha256:
                yield asset, "its content has changed"

    def digest(self, urls: Iterable[str]) -> str:
        """SHA-256 over URLs and the hashes of their files; empty without any."""
        known = [(url, self.known(url)) for url in sorted(urls)]
        lines = [f"{url} {asset.sha256 if asset else '-'}" for url, asset in known]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest() if lines else ""

    def lay_out(self, sha256: str, target: Path) -> None:
        """Copy a content to `target`; `FileNotFoundError` if the store lacks it."""
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


def dataset_path(url: str) -> str:
    """The path of a file within its data set: the part of its URL after the revision."""
    path = unquote(urlsplit(url).path)
    _, separator, after = path.partition("/resolve/")
    return after.partition("/")[2] if separator else path.lstrip("/")


def default_store() -> AssetStore:
    """The current user's store."""
    override = os.environ.get(FOLDER)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return AssetStore(Path(override) if override else cache / "ambidex" / "assets")
