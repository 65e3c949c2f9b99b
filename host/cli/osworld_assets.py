"""`ambidex assets`: the files that OSWorld's tasks need, fetched once, imported from a folder or an
archive, and verified."""

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
from ambidex.host.osworld.archives import unpacked
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
        help="URLs whose changed file becomes the pinned one", consume_multiple=True, negative=""
    ),
]
Store = Annotated[Path | None, Parameter(help="the store; else AMBIDEX_ASSETS, else the cache")]
LARGEST = 4 << 30
"""Bytes of one file."""


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

    The first download pins the SHA-256 of each URL's file. If a URL later serves another file,
    it is refused with both hashes and the store stays as it is.

    Parameters
    ----------
    folder
        An OSWorld checkout.
    tasks
        Only for these tasks.
    list
        Only for the tasks in an OSWorld list.
    again
        Fetch what the store has as well, to see what has changed.
    """
    kept = _store(store)
    selection = Selection(tasks, list)
    wanted = [*_needed(folder, selection, kept)] if again else _missing(folder, selection, kept)
    _refuse_unneeded(accept_changed, wanted)
    failed = 0
    with httpx.Client(follow_redirects=True, timeout=httpx.Timeout(60, read=300)) as client:
        for number, url in enumerate(wanted, 1):
            try:
                with _fetched(client, url) as path:
                    size = kept.keep(url, path, accept_changed=url in accept_changed).size
                echo(f"{number} of {len(wanted)}: {dataset_path(url)} ({size} bytes)")
            except (httpx.HTTPError, UsageError, ChangedAssetError) as error:
                failed += 1
                said = str(error) if isinstance(error, ChangedAssetError) else f"{url}: {error}"
                echo(f"{number} of {len(wanted)}: {said}", error=True)
    echo(f"{len(wanted) - failed} fetched, {failed} failed: {kept.root}")
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
    kept = _store(store)
    wanted = _missing(folder, Selection(), kept)
    _refuse_unneeded(accept_changed, wanted)
    with _opened(source) as top:
        found = {
            path.relative_to(top).as_posix(): path for path in top.rglob("*") if path.is_file()
        }
        taken = 0
        for url in wanted:
            place = dataset_path(url)
            ends = [name for name in found if name == place or name.endswith(f"/{place}")]
            if len(ends) > 1:
                raise UsageError(f"{source} holds {place} more than once: {', '.join(ends[:3])}")
            if ends:
                try:
                    kept.keep(
                        url,
                        found[ends[0]],
                        origin=str(source.resolve()),
                        accept_changed=url in accept_changed,
                    )
                except ChangedAssetError as error:
                    echo(str(error), error=True)
                    continue
                taken += 1
    echo(f"{taken} of {len(wanted)} missing assets imported, {len(wanted) - taken} still missing")
    return 0 if taken == len(wanted) else 1


@assets.command
def verify(*, store: Store = None) -> int:
    """Verify the hash of every file in the store."""
    kept = _store(store)
    count = 0
    wrong = []
    try:
        wrong = [*kept.verify()]
        count = sum(1 for _ in kept.assets())
    except ValueError as error:
        raise UsageError(str(error)) from None
    for asset, said in wrong:
        echo(f"{asset.url}: {said}", error=True)
    echo(f"{count} assets, {len(wrong)} changed: {kept.root}")
    return 1 if wrong else 0


def _store(named: Path | None) -> AssetStore:
    return AssetStore(named) if named else default_store()


def _missing(folder: Path, selection: Selection, store: AssetStore) -> list[str]:
    found = survey(folder, read_catalogue(), selection, store)
    return [*dict.fromkeys(url for each in found for url in each.missing)]


def _needed(folder: Path, selection: Selection, store: AssetStore) -> list[str]:
    tasks = [each.task for each in survey(folder, read_catalogue(), selection, store)]
    bodies = [task.body for task in tasks if task and isinstance(task.body, OSWorldBody)]
    return [*dict.fromkeys(url for body in bodies for url in body.urls)]


def _refuse_unneeded(accepted: tuple[str, ...], wanted: Sequence[str]) -> None:
    if stray := [url for url in accepted if url not in wanted]:
        raise UsageError(
            f"--accept-changed names {stray[0]}, which is not to be fetched now",
            hint="It takes URLs as the task files say them; --again fetches what is there as well.",
        )


@contextmanager
def _fetched(client: httpx.Client, url: str) -> Iterator[Path]:
    if urlsplit(url).scheme not in ("http", "https"):
        raise UsageError("not an address of the web")
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
    """The folder itself, or what an archive holds, in a place of its own."""
    if source.is_dir():
        yield source
        return
    if not source.is_file():
        raise UsageError(f"no such file or directory: {source}")
    if not (zipfile.is_zipfile(source) or tarfile.is_tarfile(source)):
        raise UsageError(f"{source} is not a folder, a ZIP or a tar archive")
    with tempfile.TemporaryDirectory(prefix="ambidex-import-") as room:
        unpacked(source, Path(room))
        yield Path(room)
