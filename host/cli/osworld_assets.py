"""`ambidex assets`: fetch, import and verify the files that OSWorld's tasks need."""

from __future__ import annotations

import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import httpx
from cyclopts import App, Parameter

from ambidex.host.errors import UsageError
from ambidex.host.osworld.archives import unpack
from ambidex.host.terminal import echo
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.osworld.assets import AssetStore, ChangedAssetError, dataset_path, default_store
from ambidex.tasks.osworld.suite import Selection, survey
from ambidex.tasks.osworld.task import OSWorldBody

__all__ = ["assets"]

assets = App(name="assets")
MANY = Parameter(consume_multiple=True, negative="")
Accepted = Annotated[
    tuple[str, ...],
    Parameter(
        help="URLs for which a changed file is accepted and pinned",
        consume_multiple=True,
        negative="",
    ),
]
Store = Annotated[
    Path | None, Parameter(help="The store; by default $AMBIDEX_ASSETS, else the cache.")
]
LARGEST = 4 << 30
"""Largest size of a file, in bytes."""


@assets.command
def fetch(
    folder: Path,
    *,
    tasks: Annotated[tuple[str, ...], MANY] = (),
    list: Path | None = None,
    again: bool = False,
    accept_changed: Accepted = (),
    store: Store = None,
) -> int:
    """Download the files that the tasks of an OSWorld checkout need and the store lacks.

    The first download pins the SHA-256 of each URL's file. If a URL later serves another file, it
    is refused with both hashes, and the store is not changed.

    Parameters
    ----------
    folder
        An OSWorld checkout.
    tasks
        Only for these tasks.
    list
        Only for the tasks in an OSWorld list.
    again
        Also fetch files that the store has, to detect changes.
    """
    assets_store = _store(store)
    selection = Selection(tasks, list)
    urls = (
        [*_needed(folder, selection, assets_store)]
        if again
        else _missing(folder, selection, assets_store)
    )
    _refuse_unneeded(accept_changed, urls)
    failed = 0
    with httpx.Client(follow_redirects=True, timeout=httpx.Timeout(60, read=300)) as client:
        for number, url in enumerate(urls, 1):
            try:
                with _fetched(client, url) as path:
                    size = assets_store.keep(url, path, accept_changed=url in accept_changed).size
                echo(f"{number} of {len(urls)}: {dataset_path(url)} ({size} bytes)")
            except (httpx.HTTPError, UsageError, ChangedAssetError) as error:
                failed += 1
                message = str(error) if isinstance(error, ChangedAssetError) else f"{url}: {error}"
                echo(f"{number} of {len(urls)}: {message}", error=True)
    echo(f"{len(urls) - failed} fetched, {failed} failed: {assets_store.root}")
    return 3 if failed else 0


@assets.command(name="import")
def import_(
    source: Path, folder: Path, *, accept_changed: Accepted = (), store: Store = None
) -> int:
    """Import the files that the tasks of an OSWorld checkout need from a copy of the data set.

    Parameters
    ----------
    source
        A folder, a ZIP or a tar archive. Files are found by their path in the data set, such as
        chrome/<id>/<name>, at any depth in SOURCE.
    folder
        An OSWorld checkout.
    """
    assets_store = _store(store)
    urls = _missing(folder, Selection(), assets_store)
    _refuse_unneeded(accept_changed, urls)
    with _opened(source) as top:
        files = {
            path.relative_to(top).as_posix(): path for path in top.rglob("*") if path.is_file()
        }
        imported = 0
        for url in urls:
            place = dataset_path(url)
            ends = [name for name in files if name == place or name.endswith(f"/{place}")]
            if len(ends) > 1:
                raise UsageError(f"{source} holds {place} more than once: {', '.join(ends[:3])}")
            if ends:
                try:
                    assets_store.keep(
                        url,
                        files[ends[0]],
                        origin=str(source.resolve()),
                        accept_changed=url in accept_changed,
                    )
                except ChangedAssetError as error:
                    echo(str(error), error=True)
                    continue
                imported += 1
    echo(f"{imported} of {len(urls)} missing assets imported, {len(urls) - imported} still missing")
    return 0 if imported == len(urls) else 1


@assets.command
def verify(*, store: Store = None) -> int:
    """Verify the hash of every file in the store."""
    assets_store = _store(store)
    count = 0
    wrong = []
    try:
        wrong = [*assets_store.verify()]
        count = sum(1 for _ in assets_store.assets())
    except ValueError as error:
        raise UsageError(str(error)) from None
    for asset, reason in wrong:
        echo(f"{asset.url}: {reason}", error=True)
    echo(f"{count} assets, {len(wrong)} changed: {assets_store.root}")
    return 1 if wrong else 0


def _store(named: Path | None) -> AssetStore:
    return AssetStore(named) if named else default_store()


def _missing(folder: Path, selection: Selection, store: AssetStore) -> list[str]:
    tasks = survey(folder, read_catalogue(), selection, store)
    return [*dict.fromkeys(url for task in tasks for url in task.missing)]


def _needed(folder: Path, selection: Selection, store: AssetStore) -> list[str]:
    tasks = [entry.task for entry in survey(folder, read_catalogue(), selection, store)]
    bodies = [task.body for task in tasks if task and isinstance(task.body, OSWorldBody)]
    return [*dict.fromkeys(url for body in bodies for url in body.urls)]


def _refuse_unneeded(accepted: tuple[str, ...], urls: Sequence[str]) -> None:
    if stray := [url for url in accepted if url not in urls]:
        raise UsageError(
            f"--accept-changed names {stray[0]}, which would not be fetched",
            hint="Give the URL as in the task file; use --again if the store already has it.",
        )


@contextmanager
def _fetched(client: httpx.Client, url: str) -> Iterator[Path]:
    if urlsplit(url).scheme not in ("http", "https"):
        raise UsageError("not an http or https URL")
    with tempfile.NamedTemporaryFile(prefix="ambidex-asset-") as file:
        with client.stream("GET", url) as answer:
            answer.raise_for_status()
            for block in answer.iter_bytes(1 << 20):
                if file.tell() > LARGEST:
                    raise UsageError(f"larger than {LARGEST} bytes")
                file.write(block)
        file.flush()
        yield Path(file.name)


@contextmanager
def _opened(source: Path) -> Iterator[Path]:
    """Yield the folder itself, or a temporary folder with an archive's contents."""
    if source.is_dir():
        yield source
        return
    if not source.is_file():
        raise UsageError(f"no such file or directory: {source}")
    if not (zipfile.is_zipfile(source) or tarfile.is_tarfile(source)):
        raise UsageError(f"{source} is not a folder, a ZIP or a tar archive")
    with tempfile.TemporaryDirectory(prefix="ambidex-import-") as scratch:
        unpack(source, Path(scratch))
        yield Path(scratch)
