"""What was collected for an OSWorld task, on disk: one record of all getters, and files beside it.

Files of the guest lie in the evidence; files of the benchmark are named by their hash and stay in
the asset store. So a verdict can be given again with no machine, and years later.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Literal

from pydantic import JsonValue, ValidationError

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.strict import Strict, explain
from ambidex.tasks.osworld.assets import AssetStore

__all__ = ["NAME", "Collected", "Kept", "Record", "read_record", "value_of"]

NAME = "collected.json"


class Kept(Strict):
    """A file by the place where a metric finds it, relative to the evidence."""

    name: str
    sha256: str = ""
    """Of a file of the benchmark, whose content is in the asset store."""


class Collected(Strict):
    """What one getter gave."""

    getter: str
    state: Literal["value", "files", "failed"]
    value: JsonValue = None
    files: tuple[Kept | None, ...] = ()
    """What is judged, in order; None for one that was not there."""
    beside: tuple[Kept, ...] = ()
    """What only has to lie beside them."""
    listed: bool = False
    """Whether a metric is given a list even of one."""
    said: str = ""
    """How it failed, or what else should be known of it."""
    shadowed: tuple[Kept | None, ...] | None = None
    """For a file of the benchmark that OSWorld takes for one it has fetched from the guest under
    the same name: those files, which it compares with themselves."""


class Record(Strict):
    """All that was collected: for each question a result, and what it is compared with."""

    results: tuple[Collected | None, ...]
    expected: tuple[Collected | None, ...]
    failed_step: str = ""
    """The step after the episode in which OSWorld would have ended with an exception."""
    clock: str = ""
    """The guest's own time, ISO 8601."""


def read_record(evidence: Path) -> Record:
    """The record; `UnreadableError` where there is none."""
    try:
        return Record.model_validate_json((evidence / NAME).read_bytes())
    except FileNotFoundError:
        raise UnreadableError(f"nothing was collected: there is no {NAME}") from None
    except ValidationError as error:
        raise UnreadableError(f"{NAME} cannot be read: {explain(error)}") from None


def value_of(
    collected: Collected, evidence: Path, room: Path, store: AssetStore, *, shadowed: bool
) -> Value:
    """What a metric is given. Files of the benchmark are laid out in `room`. With `shadowed`, what
    OSWorld would take for them.

    `FileNotFoundError` names one that the store lacks.
    """
    if collected.state == "failed":
        return None
    if collected.state == "value":
        return collected.value
    files: Sequence[Kept | None] = collected.files
    if shadowed and collected.shadowed is not None:
        files = collected.shadowed
    for kept in (*files, *collected.beside):
        if kept is not None and kept.sha256:
            _lay_out(kept, room, store)
    paths: list[Path | None] = [
        None if kept is None else (room if kept.sha256 else evidence) / _inside(kept.name)
        for kept in files
    ]
    return list(paths) if collected.listed or len(paths) != 1 else paths[0]


def _lay_out(kept: Kept, room: Path, store: AssetStore) -> None:
    target = room / _inside(kept.name)
    if target.exists():
        return
    try:
        store.lay_out(kept.sha256, target)
    except FileNotFoundError:
        raise FileNotFoundError(
            f"the asset {kept.sha256} ({kept.name}) is not in the store {store.root}"
        ) from None


def _inside(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise UnreadableError(f"{name} leads out of the evidence")
    return path
