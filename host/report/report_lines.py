"""The lines of a report: one line is one agent of one run at one limit on steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ambidex.host.records import config
from ambidex.host.records.config import RunConfig, read_config
from ambidex.host.records.experiment_plan import is_experiment
from ambidex.host.records.jury import jury_command
from ambidex.host.records.rows import NAME as RESULTS
from ambidex.host.records.rows import Row, read_rows
from ambidex.host.report.metrics import MOST_LOST, Summary, rows_at, summarize
from ambidex.host.report.number_format import money, percent
from ambidex.host.report.paper import model_of
from ambidex.host.runs.null import NullRun
from ambidex.host.runs.rescoring import read_rescored

__all__ = ["Line", "labelled", "lines", "missing", "runs_in"]

NAMED = 5
"""Number of missing trials that a report names."""


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
    missing: tuple[str, ...]
    """Planned trials without a score, see `missing`."""
    assisted: int
    """Scored trials in which a person helped; they are left out of `rows`."""
    summary: Summary
    excluded: tuple[str, ...] = ()
    """Tasks that are left out because a null agent solved them; they are in no other field."""
    label: str = ""
    """Its name among the lines of a report; empty: its own, see `name`."""

    @property
    def player(self) -> str:
        """The model's name for the agent `model`, otherwise the agent's name."""
        model = self.config.model
        return model.name if model and self.agent == "model" else self.agent

    @property
    def name(self) -> str:
        """What the line is called in tables and plots."""
        return self.label or f"{self.run.name} {self.names[0]}"

    @property
    def names(self) -> tuple[str, ...]:
        """Possible labels, from the shortest to the one that says most."""
        capped = f" @{self.cap}" if self.config.checkpoints else ""
        # A model's vendor prefix would only widen the columns.
        player = self.player.rpartition("/")[2] if self.agent == "model" else self.player
        effort = f" ({self.effort})" if self.effort else ""
        short = f"{player}{effort}{capped}"
        run = self.run.resolve()
        return (
            short,
            f"{player}{effort}, {self.config.condition}{capped}",
            f"{run.name} {short}",
            f"{run.parent.name}/{run.name} {short}",
        )

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
        if s.unjudged:
            return (
                f"{self.name} ({self.condition}) is not publishable: {s.unjudged} trials were"
                " played and not judged. They are not part of the accuracy."
                f" `{jury_command(self.run)}` judges them, without a machine."
            )
        everything = s.groups[-1]
        return (
            f"{self.name} ({self.condition}) is not publishable: {s.unscored} of"
            f" {s.unscored + everything.n} trials have no score, {percent(s.lost)} %, and at most"
            f" {percent(MOST_LOST)} % may be lost. Accuracy is {percent(everything.accuracy)} % of"
            f" the trials that have one, and {percent(everything.worst)} % if the others failed."
            " Resume the run: trials without a score run again."
        )

    @property
    def colleagues(self) -> str:
        """Which model answered as the colleagues in the chat; empty if they followed scripts."""
        model = self.config.colleagues.model
        records = [row.colleagues for row in self.rows if row.colleagues]
        if not model:
            return ""
        costs = [record.cost for record in records]
        known = [cost for cost in costs if cost is not None]
        spent = money(sum(known) if len(known) == len(costs) else None)
        answers = sum(record.answers for record in records)
        return (
            f"{self.name}: {model} answered as the colleagues in the chat (answers: {answers};"
            f" cost: {spent}, not part of the agent's). Scripts answer the same in every trial; a"
            " model may not."
        )

    @property
    def gap(self) -> str:
        """Which planned trials have no score; empty if all have one."""
        if not self.missing:
            return ""
        more = len(self.missing) - NAMED
        names = ", ".join(self.missing[:NAMED]) + (f" and {more} more" if more > 0 else "")
        return (
            f"{self.name} is incomplete: {len(self.missing)} of {self.planned} planned trials have"
            f" no score: {names}. `ambidex report --complete` names the command that runs them."
        )

    @property
    def exclusion(self) -> str:
        """Which tasks are left out because a null agent solved them; empty if none is."""
        if not self.excluded:
            return ""
        names, count = ", ".join(self.excluded), len(self.excluded)
        return f"{self.name}: tasks left out because a null agent solved them ({count}): {names}."

    @property
    def paper_model(self) -> str | None:
        """The paper's name for the model; None if the paper does not have it."""
        return model_of(self.player) if self.agent == "model" else None


def runs_in(folders: Iterable[Path]) -> list[Path]:
    """Run directories: each folder itself, or the runs in it if it is not a run."""
    runs = []
    for folder in folders:
        below = sorted(path.parent for path in folder.glob(f"*/{config.NAME}"))
        if (folder / config.NAME).exists() or not (below or is_experiment(folder)):
            runs.append(folder)
        else:
            runs += below
    return runs


def missing(config: RunConfig, rows: Iterable[Row]) -> tuple[str, ...]:
    """The trials that a run's configuration asks for and that have no scored row, as
    `<task>.<trial>` or, in a fork, by branch point. Of several agents (`ambidex prove`), not every
    one plays every task: there, only trials that were begun are known to be missing."""
    begun = {row.key for row in rows}
    scored = {row.key: row for row in rows if row.fate == "scored"}
    repeats = range(1, config.runs + 1)
    if config.fork:
        done = Counter((row.parent.trial, row.parent.step) for row in scored.values() if row.parent)
        return tuple(
            f"{branch.trial} step {branch.step}, branch {number}"
            for branch in config.fork.branches
            for number in repeats[done[branch.trial, branch.step] :]
        )
    if len(config.agents) > 1:
        return tuple(f"{task}.{trial} by {by}" for task, by, trial in sorted(begun - scored.keys()))
    done_trials = {(task, trial) for task, _, trial in scored}
    return tuple(
        f"{task}.{trial}"
        for trial in repeats
        for task in config.tasks
        if (task, trial) not in done_trials
    )


def lines(
    runs: Iterable[Path],
    *,
    rescored: bool = False,
    assisted: bool = False,
    without: NullRun | None = None,
) -> list[Line]:
    """The lines of these runs. Raises `UsageError` for a directory that neither is nor contains a
    run.

    Trials in which a person helped are left out and counted, unless `assisted` is set. Tasks that
    a null agent solved in the run `without` are left out and named.
    """
    found = []
    for run in runs_in(runs):
        settings = read_config(run)
        if not (run / RESULTS).is_file():
            continue  # begun, without a row yet: see `completeness`
        rows = read_rescored(run) if rescored else read_rows(run)
        excluded = without.solvable_of(settings) if without else ()
        rows = [row for row in rows if row.task not in excluded]
        kept = _without(settings, excluded)
        for agent in sorted({row.agent for row in rows}):
            own = [row for row in rows if row.agent == agent]
            # A run of `ambidex prove` has several agents, and not every one plays every task.
            alone = len(settings.agents) == 1
            tasks = tuple(kept.tasks if alone else sorted({row.task for row in own}))
            begins = len(kept.fork.branches) if kept.fork else len(tasks)
            planned = begins * settings.runs if alone else len({row.key for row in own})
            count = 0 if assisted else sum(row.assisted for row in own)
            absent = missing(kept, own)
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
                            absent,
                            count,
                            summarize(capped),
                            excluded,
                        )
                    )
    return labelled(found)


def _without(config: RunConfig, tasks: Sequence[str]) -> RunConfig:
    """The configuration as if these tasks had not been part of the run."""
    if not tasks:
        return config
    kept = {name: hash for name, hash in config.tasks.items() if name not in tasks}
    fork = config.fork
    if fork:
        starts = tuple(f"{task}." for task in tasks)
        branches = tuple(one for one in fork.branches if not one.trial.startswith(starts))
        fork = fork.model_copy(update={"branches": branches})
    return config.model_copy(update={"tasks": kept, "fork": fork})


def labelled(lines: Sequence[Line]) -> list[Line]:
    """The lines with the shortest labels that tell them apart: model names, if those do."""
    for choice in zip(*(line.names for line in lines), strict=True):
        if len(set(choice)) == len(lines):
            return [replace(line, label=name) for line, name in zip(lines, choice, strict=True)]
    return [replace(line, label=f"{line.names[-1]} {at}") for at, line in enumerate(lines, 1)]
