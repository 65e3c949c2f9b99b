"""The evidence of an OSWorld task on disk: a record of all getter results, and collected files.

Files of the guest are stored in the evidence directory; files of the benchmark are referenced by
hash and stay in the asset store. So a run can be judged again without a machine, years later.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Literal

from pydantic import JsonValue, ValidationError

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.strict import Strict, explain
from ambidex.tasks.assets import AssetStore

__all__ = ["NAME", "Collected", "Record", "StoredFile", "read_record", "value_of"]

NAME = "collected.json"


class StoredFile(Strict):
    """A file by the path at which a metric finds it, relative to the evidence directory."""

    name: str
    sha256: str = ""
    """Set for a file of the benchmark, whose content is in the asset store."""


class Collected(Strict):
    """The result of one getter."""

    getter: str
    state: Literal["value", "files", "failed"]
    value: JsonValue = None
    files: tuple[StoredFile | None, ...] = ()
    """The files to judge, in order; None for one that was missing."""
    beside: tuple[StoredFile, ...] = ()
    """Files that must be present alongside but are not judged themselves."""
    listed: bool = False
    """Whether the metric gets a list even for a single file."""
    said: str = ""
    """The reason of a failure, or another remark."""
    shadowed: tuple[StoredFile | None, ...] | None = None
    """The guest's files that OSWorld uses instead of files of the benchmark, because they were
    fetched under the same name; it then compares them with themselves."""


class Record(Strict):
    """All getter results: for each metric, the result and what to compare it with."""

    results: tuple[Collected | None, ...]
    expected: tuple[Collected | None, ...]
    failed_step: str = ""
    """The step after the episode at which OSWorld would have raised an exception."""
    clock: str = ""
    """The time of the guest's clock, ISO 8601."""


def read_record(evidence: Path) -> Record:
    """Read the record; `UnreadableError` if it is missing or damaged."""
    try:
        return Record.model_validate_json((evidence / NAME).read_bytes())
    except FileNotFoundError:
        raise UnreadableError(f"nothing was collected: {NAME} is missing") from None
    except ValidationError as error:
        raise UnreadableError(f"{NAME} cannot be read: {explain(error)}") from None


def value_of(
    collected: Collected, evidence: Path, room: Path, store: AssetStore, *, shadowed: bool
) -> Value:
    """The value to pass to a metric, with files of the benchmark copied into `room`.

    With `shadowed`, files of the benchmark are replaced by those that OSWorld would use instead.
    Raises `FileNotFoundError` for a file that the store lacks.
    """
    if collected.state == "failed":
        return None
    if collected.state == "value":
        return collected.value
    files: Sequence[StoredFile | None] = collected.files
    if shadowed and collected.shadowed is not None:
        files = collected.shadowed
    for file in (*files, *collected.beside):
        if file is not None and file.sha256:
            _lay_out(file, room, store)
    paths: list[Path | None] = [
        None if file is None else (room if file.sha256 else evidence) / _inside(file.name)
        for file in files
    ]
    return list(paths) if collected.listed or len(paths) != 1 else paths[0]


def _lay_out(file: StoredFile, room: Path, store: AssetStore) -> None:
    target = room / _inside(file.name)
    if target.exists():
        return
    try:
        store.lay_out(file.sha256, target)
    except FileNotFoundError:
        raise FileNotFoundError(
            f"the asset {file.sha256} ({file.name}) is not in the store {store.root}"
        ) from None


def _inside(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise UnreadableError(f"{name} points outside the evidence directory")
    return path
