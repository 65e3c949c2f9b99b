"""The runs on disk: which there are, how large they are, and how to delete them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from ambidex.host.errors import BusyError, UsageError
from ambidex.host.records.config import LOCK, RunConfig, locked, read_config
from ambidex.host.records.config import NAME as CONFIG
from ambidex.host.records.experiment_plan import is_experiment
from ambidex.host.records.rows import NAME as RESULTS
from ambidex.host.records.rows import Row, finished, read_rows

__all__ = ["StoredRun", "delete_runs", "runner_of", "size_of", "stored_runs"]


@dataclass(frozen=True)
class StoredRun:
    """A run on disk."""

    folder: Path
    config: RunConfig | None
    """None if it cannot be read; `problem` says why."""
    rows: tuple[Row, ...]
    problem: str
    size: int
    """Bytes on disk."""
    running: bool

    @property
    def player(self) -> str:
        """The model, or else the agents."""
        if self.config is None:
            return ""
        return self.config.model.name if self.config.model else ", ".join(self.config.agents)

    @property
    def began(self) -> str:
        """When its first attempt began, UTC, ISO 8601; empty if there was none."""
        return min((row.started for row in self.rows), default="")

    @property
    def scored(self) -> int:
        """Trials with a score."""
        return len(finished(self.rows))

    @property
    def solved(self) -> int:
        """Trials that solved their task."""
        return sum(row.success for row in finished(self.rows).values())


def stored_runs(places: Iterable[Path]) -> list[StoredRun]:
    """The runs at these places, each a run, an experiment, or a directory of either. `UsageError`
    for a directory that does not exist."""
    found: dict[Path, None] = {}
    for place in places:
        if not place.is_dir():
            raise UsageError(f"no such directory: {place}")
        found |= dict.fromkeys(_runs_in(place))
    return [_stored(folder) for folder in found]


def _runs_in(place: Path) -> Iterator[Path]:
    for pattern in (CONFIG, f"*/{CONFIG}", f"*/*/{CONFIG}"):
        yield from sorted(path.parent for path in place.glob(pattern))


def _stored(folder: Path) -> StoredRun:
    config: RunConfig | None = None
    rows: tuple[Row, ...] = ()
    problem = ""
    try:
        config = read_config(folder)
        rows = tuple(read_rows(folder)) if (folder / RESULTS).is_file() else ()
    except UsageError as error:
        problem = str(error)
    return StoredRun(folder, config, rows, problem, size_of(folder), runner_of(folder) is not None)


def size_of(folder: Path) -> int:
    """Bytes that a directory occupies on disk; a file with several names counts once."""
    total, seen = 0, set()
    for root, _, files in os.walk(folder):
        for name in files:
            try:
                status = os.lstat(os.path.join(root, name))
            except FileNotFoundError:
                continue  # a running trial removed it
            if (status.st_dev, status.st_ino) not in seen:
                seen.add((status.st_dev, status.st_ino))
                total += status.st_blocks * 512
    return total


def runner_of(run: Path) -> int | None:
    """The id of the process that is running the trials of a run; None if there is none. The lock
    itself is not tried, since that could keep a runner from starting."""
    try:
        process = int((run / LOCK).read_text(encoding="utf-8"))
        lock = (run / LOCK).stat()
        for name in os.listdir(f"/proc/{process}/fd"):
            with suppress(OSError):
                if os.path.samestat(os.stat(f"/proc/{process}/fd/{name}"), lock):
                    return process
    except (OSError, ValueError):  # no lock, no such process, or a process of another user
        return None
    return None


def delete_runs(folders: Sequence[Path]) -> None:
    """Delete runs and whole experiments. Before anything is deleted, raises `UsageError` for any
    other directory and `BusyError` for a run in progress."""
    for folder in folders:
        if folder.is_symlink():
            raise UsageError(f"a symbolic link, not a run directory: {folder}")
        if not (folder / CONFIG).is_file() and not is_experiment(folder):
            raise UsageError(
                f"neither a run nor an experiment: {folder}",
                hint="Name the directories to delete one by one, such as runs/*.",
            )
    with ExitStack() as held:
        for folder in folders:
            for run in _runs_in(folder):
                try:
                    held.enter_context(locked(run))
                except BusyError as error:
                    hint = "Nothing was deleted. Stop the run first (Ctrl-C)."
                    raise BusyError(str(error), hint=hint) from None
        for folder in folders:
            try:
                shutil.rmtree(folder)
            except OSError as error:
                raise UsageError(f"{folder} cannot be deleted: {error}") from None
