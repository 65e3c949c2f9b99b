"""What there is to report: a line is one agent of one run, with one limit of steps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ambidex.host.records import config
from ambidex.host.records.config import RunConfig, read_config
from ambidex.host.records.rows import Row, read_rows
from ambidex.host.report.metrics import MOST_LOST, Summary, rows_at, summarize
from ambidex.host.report.number_format import percent
from ambidex.host.report.paper import model_of
from ambidex.host.runs.rescoring import read_rescored

__all__ = ["Line", "lines", "runs_in"]


@dataclass(frozen=True)
class Line:
    """One agent of one run, at its limit of steps or as judged at a checkpoint before it."""

    run: Path
    agent: str
    config: RunConfig
    planned: int
    """Trials that the run's configuration asks for."""
    tasks: tuple[str, ...]
    """Tasks that this agent was to play."""
    cap: int
    """The limit of steps."""
    rows: tuple[Row, ...]
    """With that limit."""
    assisted: int
    """Scored trials that a person helped in, left out of the rows."""
    summary: Summary

    @property
    def player(self) -> str:
        """The model's name, where the agent asks one; else the agent's."""
        model = self.config.model
        return model.name if model and self.agent == "model" else self.agent

    @property
    def name(self) -> str:
        """What a table calls it."""
        capped = f" @{self.cap}" if self.config.checkpoints else ""
        # The vendor before a model's name makes columns wide and says nothing new.
        player = self.player.rpartition("/")[2] if self.agent == "model" else self.player
        return f"{self.run.name} {player}{capped}"

    @property
    def warning(self) -> str:
        """Why these numbers should not be published as they are; empty where they may be."""
        s = self.summary
        if s.publishable:
            return ""
        everything = s.groups[-1]
        return (
            f"{self.name} ({self.config.condition}) is not publishable: {s.unscored} of"
            f" {s.unscored + everything.n} trials have no score, {percent(s.lost)} %, and at most"
            f" {percent(MOST_LOST)} % may be lost. Accuracy is {percent(everything.accuracy)} % of"
            f" the trials that have one, and {percent(everything.worst)} % if the others failed."
            " Resume the run: trials without a score run again."
        )

    @property
    def paper_model(self) -> str | None:
        """What the paper calls its model; None where it does not have it."""
        return model_of(self.player) if self.agent == "model" else None


def runs_in(folders: Iterable[Path]) -> list[Path]:
    """The directories of runs; of a directory that is none itself, those that lie in it."""
    found = []
    for folder in folders:
        below = sorted(path.parent for path in folder.glob(f"*/{config.NAME}"))
        if (folder / config.NAME).exists() or not below:
            found.append(folder)
        else:
            found += below
    return found


def lines(runs: Iterable[Path], *, rescored: bool = False, assisted: bool = False) -> list[Line]:
    """What there is to report; `UsageError` where a directory is neither a run nor holds one.

    Trials that a person helped in are left out, and counted, unless `assisted` asks for them.
    """
    found = []
    for run in runs_in(runs):
        said = read_config(run)
        rows = read_rescored(run) if rescored else read_rows(run)
        for agent in sorted({row.agent for row in rows}):
            own = [row for row in rows if row.agent == agent]
            # A proof has several agents, and not each of them plays every task.
            alone = len(said.agents) == 1
            tasks = tuple(said.tasks if alone else sorted({row.task for row in own}))
            begins = len(said.fork.branches) if said.fork else len(tasks)
            planned = begins * said.runs if alone else len({row.key for row in own})
            count = 0 if assisted else sum(row.assisted for row in own)
            own = [row for row in own if assisted or not row.assisted]
            for cap in sorted({*said.checkpoints, said.limits.steps}):
                if cap <= said.limits.steps:
                    capped = tuple(rows_at(own, cap))
                    found.append(
                        Line(
                            run, agent, said, planned, tasks, cap, capped, count, summarize(capped)
                        )
                    )
    return found
