"""An experiment: agents x efforts x conditions x exposures x sets of tasks x step limits x repeats,
from one TOML file.

Each combination is a run of its own, in a subdirectory of the experiment, and can be resumed,
rescored and reported like any other run.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from ambidex.evaluators.strict import Strict, explain
from ambidex.host import Limits, ToolSpec
from ambidex.host.agents import refuse_unused_model
from ambidex.host.errors import UsageError
from ambidex.host.records.config import (
    CheckpointPolicy,
    Condition,
    Effort,
    Exposure,
    ModelConfig,
    RunOptions,
)
from ambidex.host.records.experiment_plan import PlannedRun
from ambidex.host.runs.launch import RunRequest
from ambidex.host.runs.runner import plan
from ambidex.tasks import Suite
from ambidex.tasks.load import load_suite
from ambidex.tasks.survey import Net, Selection

__all__ = ["Cell", "Experiment", "cells", "read_experiment"]

Label = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")]
"""A part of a directory's name."""


class AgentEntry(Strict):
    """One of the agents to compare."""

    label: Label
    agent: str = "model"
    """The agent's name, as for `--agent`."""
    model: ModelConfig | None = None
    grounder: ModelConfig | None = None


class ExposureEntry(Exposure):
    """One of the exposures to compare."""

    label: Label


class TaskSet(Strict):
    """Tasks that make up a run of their own, such as those of one service."""

    label: Label
    tasks: Annotated[tuple[str, ...], Field(min_length=1)]
    """As `Experiment.tasks`."""


class Experiment(RunOptions):
    """An experiment file. Paths in it are relative to the file."""

    suite: str
    """A directory of tasks."""
    tasks: tuple[str, ...] = ()
    """Only these tasks."""
    task_sets: tuple[TaskSet, ...] = ()
    """Sets of tasks, each a run of its own; if empty, `tasks` is the only one."""
    list: str = ""
    """Only the tasks of this OSWorld task list."""
    net: tuple[Net, ...] = ()
    """Only tasks of a benchmark that need one of these networks."""
    annotations: str = ""
    """A file with annotations of OSWorld's tasks."""
    service: tuple[str, ...] = ()
    """Only MCPMark's tasks on these services."""
    task_suite: tuple[str, ...] = ()
    """Only these of MCPMark's suites."""
    category: tuple[str, ...] = ()
    """Only these of MCPMark's categories."""
    agents: Annotated[tuple[AgentEntry, ...], Field(min_length=1)]
    efforts: tuple[Effort, ...] = ()
    """Reasoning efforts of the agents that have a model; if empty, the effort in its
    configuration."""
    conditions: Annotated[tuple[Condition, ...], Field(min_length=1)] = ("gui", "hybrid")
    exposures: tuple[ExposureEntry, ...] = ()
    """For conditions with tools; if empty, all tools are shown."""
    steps: Annotated[tuple[Annotated[int, Field(ge=1)], ...], Field(min_length=1)] = (15,)
    checkpoints: Literal["auto", "always", "never"] = "auto"
    """Whether the smaller step limits are interim verdicts of one run with the largest limit, or
    runs of their own. `auto`: interim verdicts if the machines can be forked while they run."""
    keep: CheckpointPolicy | None = None
    """Which checkpoints of an episode are taken; None: none."""
    time_limit: Annotated[float, Field(gt=0)] = 3600.0
    """Seconds per episode."""
    cost_limit: float | None = None
    """US dollars per episode."""
    prices: str = ""
    """A price table that overrides the built-in one."""

    @model_validator(mode="after")
    def _has_no_duplicates(self) -> Experiment:
        names_by_key: dict[str, list[str]] = {
            "agents": [entry.label for entry in self.agents],
            "efforts": list(self.efforts),
            "task_sets": [entry.label for entry in self.task_sets],
            "exposures": [entry.label for entry in self.exposures],
            "conditions": list(self.conditions),
            "steps": [str(steps) for steps in self.steps],
        }
        for key, names in names_by_key.items():
            if duplicates := [name for name, count in Counter(names).items() if count > 1]:
                raise ValueError(f"{key} lists {duplicates[0]} twice")
        return self

    @model_validator(mode="after")
    def _says_each_thing_once(self) -> Experiment:
        if self.tasks and self.task_sets:
            raise ValueError("tasks and task_sets cannot both be given")
        for entry in self.agents:
            if self.efforts and entry.model and entry.model.effort:
                raise ValueError(f"efforts and the effort of the agent {entry.label} contradict")
        return self


@dataclass(frozen=True)
class Cell:
    """One run of an experiment. `name` is the name of its directory."""

    name: str
    request: RunRequest

    @property
    def plan(self) -> PlannedRun:
        """Its trials, for the record."""
        tasks = tuple(task.name for task in self.request.suite.tasks)
        return PlannedRun(tasks=tasks, runs=self.request.options.runs)


def read_experiment(path: Path) -> Experiment:
    """Read an experiment file; `UsageError` names every wrong key."""
    try:
        return Experiment.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise UsageError(f"cannot read the experiment {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"not valid TOML: {path}: {error}") from None
    except ValidationError as error:
        raise UsageError(f"{path}: {explain(error, whole='the file')}") from None


def cells(
    experiment: Experiment, home: Path, catalogue: Mapping[str, ToolSpec], *, forks: bool
) -> list[Cell]:
    """The runs of an experiment, in order. `home` is the directory of its file; `forks` says
    whether the machines can be forked while they run.
    """
    for entry in experiment.agents:
        refuse_unused_model(entry.agent, entry.model)
    suites = _suites(experiment, home, catalogue)
    return [
        Cell(
            name,
            RunRequest(
                suite=suite,
                agents=(entry.agent,),
                jobs=plan((entry.agent,), experiment.runs, suite),
                condition=condition,
                options=RunOptions.of(experiment),
                limits=Limits(steps, experiment.time_limit, experiment.cost_limit),
                catalogue=catalogue,
                exposure=exposure,
                checkpoints=checkpoints,
                keep=experiment.keep,
                model=model,
                grounder=entry.grounder,
                prices=home / experiment.prices if experiment.prices else None,
            ),
        )
        for entry in experiment.agents
        for effort, model in _models(experiment, entry)
        for condition in experiment.conditions
        for shown, exposure in _exposures(experiment, condition)
        for tasks, suite in suites
        for steps, checkpoints in _limits(experiment, forks)
        for parts in [(entry.label, effort, condition, shown, tasks, str(steps))]
        for name in [".".join(filter(None, parts))]
    ]


def _suites(
    experiment: Experiment, home: Path, catalogue: Mapping[str, ToolSpec]
) -> list[tuple[str, Suite]]:
    """The suite with each set of tasks, by the set's label."""
    everything = Selection(
        tasks=experiment.tasks,
        list=home / experiment.list if experiment.list else None,
        net=experiment.net,
        annotations=home / experiment.annotations if experiment.annotations else None,
        service=experiment.service,
        task_suite=experiment.task_suite,
        category=experiment.category,
    )
    sets = [(entry.label, replace(everything, tasks=entry.tasks)) for entry in experiment.task_sets]
    return [
        (label, load_suite(home / experiment.suite, catalogue, selection=selection))
        for label, selection in sets or [("", everything)]
    ]


def _models(experiment: Experiment, entry: AgentEntry) -> Iterator[tuple[str, ModelConfig | None]]:
    """The agent's model with each effort, by the effort's name."""
    if entry.model is None or not experiment.efforts:
        yield "", entry.model
        return
    for effort in experiment.efforts:
        yield effort, entry.model.model_copy(update={"effort": effort})


def _exposures(experiment: Experiment, condition: Condition) -> Iterator[tuple[str, Exposure]]:
    if condition == "gui" or not experiment.exposures:
        yield "", Exposure()
        return
    for entry in experiment.exposures:
        settings: dict[str, Any] = entry.model_dump(exclude={"label"})
        yield entry.label, Exposure(**settings)


def _limits(experiment: Experiment, forks: bool) -> Iterator[tuple[int, tuple[int, ...]]]:
    limits = sorted(experiment.steps)
    if experiment.checkpoints == "always" or (experiment.checkpoints == "auto" and forks):
        yield limits[-1], tuple(limits[:-1])
        return
    for steps in limits:
        yield steps, ()
