"""`ambidex assets`: fetch, import and verify the files that the tasks of a benchmark need."""

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

from ambidex.host.cli.options import SelectionOptions
from ambidex.host.errors import UsageError
from ambidex.host.osworld.archives import unpack
from ambidex.host.terminal import echo
from ambidex.tasks.assets import AssetStore, ChangedAssetError, dataset_path, default_store
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import survey
from ambidex.tasks.mcpmark.body import ProgramBody
from ambidex.tasks.osworld.task import OSWorldBody
from ambidex.tasks.survey import Selection

__all__ = ["Store", "assets", "store_of"]

assets = App(name="assets")
MANY = Parameter(consume_multiple=True, negative="")
Accepted = Annotated[
    tuple[str, ...],
    Parameter(
        help="URLs for which a changed file is accepted and pinned.",
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
    of: SelectionOptions = SelectionOptions(),
    again: bool = False,
    accept_changed: Accepted = (),
    store: Store = None,
) -> int:
    """Download the files that the tasks of OSWorld or MCPMark need and the store lacks.

    The first download pins the SHA-256 of each URL's file. If a URL later serves another file, it
    is refused with both hashes, and the store is not changed.

    Parameters
    ----------
    folder
        A checkout of OSWorld or MCPMark.
    tasks
        Only for these tasks.
    again
        Also fetch files that the store has, to detect changes.
    """
    assets_store = store_of(store)
    choices = _needed(folder, of.with_tasks(tasks), assets_store, again=again)
    _refuse_unneeded(accept_changed, choices)
    failed = 0
    with httpx.Client(follow_redirects=True, timeout=httpx.Timeout(60, read=300)) as client:
        for number, urls in enumerate(choices, 1):
            for url in urls:
                try:
                    with _fetched(client, url) as path:
                        accept = url in accept_changed
                        size = assets_store.keep(url, path, accept_changed=accept).size
                except (httpx.HTTPError, UsageError, ChangedAssetError) as error:
                    changed = isinstance(error, ChangedAssetError)
                    message = str(error) if changed else f"{url}: {error}"
                    echo(f"{number} of {len(choices)}: {message}", error=True)
                else:
                    echo(f"{number} of {len(choices)}: {dataset_path(url)} ({size} bytes)")
                    break
            else:
                failed += 1
    echo(f"{len(choices) - failed} fetched, {failed} failed: {assets_store.root}")
    return 3 if failed else 0


@assets.command(name="import")
def import_(
    source: Path, folder: Path, *, accept_changed: Accepted = (), store: Store = None
) -> int:
    """Import the files that the tasks of OSWorld or MCPMark need from a copy of the data set.

    Parameters
    ----------
    source
        A folder, a ZIP or a tar archive. Files are found by their path in the data set, such as
        chrome/<id>/<name> or postgres/chinook.backup, at any depth in SOURCE.
    folder
        A checkout of OSWorld or MCPMark.
    """
    assets_store = store_of(store)
    choices = _needed(folder, Selection(), assets_store)
    _refuse_unneeded(accept_changed, choices)
    with _opened(source) as top:
        files = {
            path.relative_to(top).as_posix(): path for path in top.rglob("*") if path.is_file()
        }
        imported: set[tuple[str, ...]] = set()
        for choice in choices:
            for url in choice:
                place = dataset_path(url)
                ends = [name for name in files if name == place or name.endswith(f"/{place}")]
                if len(ends) > 1:
                    several = ", ".join(ends[:3])
                    raise UsageError(f"{source} holds {place} more than once: {several}")
                if not ends:
                    continue
                try:
                    assets_store.keep(
                        url,
                        files[ends[0]],
                        origin=str(source.resolve()),
                        accept_changed=url in accept_changed,
                    )
                except ChangedAssetError as error:
                    echo(str(error), error=True)
                else:
                    imported.add(choice)
    left = len(choices) - len(imported)
    echo(f"{len(imported)} of {len(choices)} missing assets imported, {left} still missing")
    return 1 if left else 0


@assets.command
def verify(*, store: Store = None) -> int:
    """Verify the hash of every file in the store."""
    assets_store = store_of(store)
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


def store_of(named: Path | None) -> AssetStore:
    """The asset store in that folder, or the default one."""
    return AssetStore(named) if named else default_store()


def _needed(
    folder: Path, selection: Selection, store: AssetStore, *, again: bool = False
) -> list[tuple[str, ...]]:
    """The URLs of each file that the tasks need, in order of preference: one is enough. Without
    `again`, only of those that the store lacks."""
    tasks = [entry.task for entry in survey(folder, read_catalogue(), selection, store)]
    bodies = [task.body for task in tasks if task]
    choices = dict.fromkeys(
        urls
        for body in bodies
        if isinstance(body, OSWorldBody | ProgramBody)
        for urls in body.url_choices
    )
    return [urls for urls in choices if again or not any(store.at(url) for url in urls)]


def _refuse_unneeded(accepted: tuple[str, ...], choices: Sequence[tuple[str, ...]]) -> None:
    if stray := [url for url in accepted if not any(url in urls for urls in choices)]:
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
