"""Which of the trials that runs ask for have no scored row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ambidex.host.records.command import command_of
from ambidex.host.records.config import read_config
from ambidex.host.records.experiment_plan import not_begun
from ambidex.host.records.jury import jury_command
from ambidex.host.records.rows import NAME as RESULTS
from ambidex.host.records.rows import read_rows, unjudged
from ambidex.host.report.report_lines import missing, runs_in

__all__ = ["Gap", "gaps"]


@dataclass(frozen=True)
class Gap:
    """Trials of one run without a scored row."""

    run: Path
    missing: tuple[str, ...]
    """See `report_lines.missing`."""
    empty: bool
    """Whether the run has no row at all, and so no line in the report."""
    command: str
    """What fills the gap; empty if unknown."""

    def __str__(self) -> str:
        return f"{self.run}: no scored row of {', '.join(self.missing)}"


def gaps(folders: Iterable[Path]) -> Iterator[Gap]:
    """The gaps of these runs and experiments, runs that were not begun among them."""
    for folder in folders:
        for run in runs_in([folder]):
            rows = read_rows(run) if (run / RESULTS).is_file() else []
            if absent := missing(read_config(run), rows):
                judging = len(absent) == len(unjudged(rows))
                command = jury_command(run) if judging else command_of(run)
                yield Gap(run, absent, not rows, command)
        for name, planned in not_begun(folder):
            yield Gap(folder / name, planned.trials, True, command_of(folder))
