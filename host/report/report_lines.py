"""The lines of a report: one line is one agent of one run at one limit on steps."""

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
    """One agent of one run, at the run's limit on steps or at the limit of an interim verdict."""

    run: Path
    agent: str
    config: RunConfig
    planned: int
    """Number of trials that the run's configuration plans."""
    tasks: tuple[str, ...]
    """Tasks planned for this agent."""
    cap: int
    """The limit on steps."""
    rows: tuple[Row, ...]
    """The rows at that limit."""
    assisted: int
    """Scored trials in which a person helped; they are left out of `rows`."""
    summary: Summary

    @property
    def player(self) -> str:
        """The model's name for the agent `model`, otherwise the agent's name."""
        model = self.config.model
        return model.name if model and self.agent == "model" else self.agent

    @property
    def name(self) -> str:
        """The line's label in tables."""
        capped = f" @{self.cap}" if self.config.checkpoints else ""
        # A model's vendor prefix would only widen the columns.
        player = self.player.rpartition("/")[2] if self.agent == "model" else self.player
        effort = f" ({self.effort})" if self.effort else ""
        return f"{self.run.name} {player}{effort}{capped}"

    @property
    def effort(self) -> str:
        """The reasoning effort that the model was asked for; empty if none was."""
        model = self.config.model
        return (model.effort or "") if model else ""

    @property
    def condition(self) -> str:
        """The condition in words, with the model's effort."""
        effort = f", {self.effort} effort" if self.effort else ""
        return f"{self.config.condition}{effort}"

    @property
    def warning(self) -> str:
        """Why these numbers should not be published as they are; empty if they may be."""
        s = self.summary
        if s.publishable:
            return ""
        everything = s.groups[-1]
        return (
            f"{self.name} ({self.condition}) is not publishable: {s.unscored} of"
            f" {s.unscored + everything.n} trials have no score, {percent(s.lost)} %, and at most"
            f" {percent(MOST_LOST)} % may be lost. Accuracy is {percent(everything.accuracy)} % of"
            f" the trials that have one, and {percent(everything.worst)} % if the others failed."
            " Resume the run: trials without a score run again."
        )

    @property
    def paper_model(self) -> str | None:
        """The paper's name for the model; None if the paper does not have it."""
        return model_of(self.player) if self.agent == "model" else None


def runs_in(folders: Iterable[Path]) -> list[Path]:
    """Run directories: each folder itself, or the runs in it if it is not a run."""
    runs = []
    for folder in folders:
        below = sorted(path.parent for path in folder.glob(f"*/{config.NAME}"))
        if (folder / config.NAME).exists() or not below:
            runs.append(folder)
        else:
            runs += below
    return runs


def lines(runs: Iterable[Path], *, rescored: bool = False, assisted: bool = False) -> list[Line]:
    """The lines of these runs. Raises `UsageError` for a directory that neither is nor contains a
    run.

    Trials in which a person helped are left out and counted, unless `assisted` is set.
    """
    found = []
    for run in runs_in(runs):
        settings = read_config(run)
        rows = read_rescored(run) if rescored else read_rows(run)
        for agent in sorted({row.agent for row in rows}):
            own = [row for row in rows if row.agent == agent]
            # A run of `ambidex prove` has several agents, and not every one plays every task.
            alone = len(settings.agents) == 1
            tasks = tuple(settings.tasks if alone else sorted({row.task for row in own}))
            begins = len(settings.fork.branches) if settings.fork else len(tasks)
            planned = begins * settings.runs if alone else len({row.key for row in own})
            count = 0 if assisted else sum(row.assisted for row in own)
            own = [row for row in own if assisted or not row.assisted]
            for cap in sorted({*settings.checkpoints, settings.limits.steps}):
                if cap <= settings.limits.steps:
                    capped = tuple(rows_at(own, cap))
                    found.append(
                        Line(
                            run,
                            agent,
                            settings,
                            planned,
                            tasks,
                            cap,
                            capped,
                            count,
                            summarize(capped),
                        )
                    )
    return found
