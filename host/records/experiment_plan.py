"""What an experiment consists of, kept in its directory: a run of it that was not begun yet has no
directory of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from ambidex.evaluators.strict import Strict, explain
from ambidex.host.errors import UsageError
from ambidex.host.records.config import NAME as CONFIG
from ambidex.host.records.folders import make_folder
from ambidex.vm.whole_files import write_whole

__all__ = ["PlannedRun", "is_experiment", "keep_plan", "not_begun"]

NAME = "experiment.json"


class PlannedRun(Strict):
    """The trials of one run."""

    tasks: tuple[str, ...]
    runs: int
    """Trials of each task."""

    @property
    def trials(self) -> tuple[str, ...]:
        """The trials' directories, `<task>.<number>`."""
        return tuple(f"{task}.{n}" for n in range(1, self.runs + 1) for task in self.tasks)


Plan = TypeAdapter(Mapping[str, PlannedRun])


def keep_plan(folder: Path, runs: Mapping[str, PlannedRun]) -> None:
    """Keep the runs of an experiment, by the name of their directory."""
    make_folder(folder)
    write_whole(folder / NAME, Plan.dump_json(runs, indent=1) + b"\n")


def is_experiment(folder: Path) -> bool:
    """Whether an experiment was begun in this directory."""
    return (folder / NAME).is_file()


def not_begun(folder: Path) -> Iterator[tuple[str, PlannedRun]]:
    """The experiment's runs that have no configuration yet, by name; none if the directory is not
    an experiment's. `UsageError` if the file is damaged."""
    if not is_experiment(folder):
        return
    try:
        runs = Plan.validate_json((folder / NAME).read_bytes())
    except ValidationError as error:
        raise UsageError(f"{folder / NAME} cannot be read: {explain(error)}") from None
    for name, run in runs.items():
        if not (folder / name / CONFIG).is_file():
            yield name, run
