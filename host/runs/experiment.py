"""An experiment: agents x conditions x exposures x limits of steps x repeats, from one TOML file.

Each combination is a run of its own, in a directory of the experiment's; so it is resumed, judged
again and reported like any other.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from ambidex.evaluators.strict import Strict, explain
from ambidex.host import Limits, ToolSpec
from ambidex.host.errors import UsageError
from ambidex.host.records.config import (
    Condition,
    Exposure,
    Keep,
    ModelConfig,
    RunOptions,
)
from ambidex.host.runs.launch import RunRequest
from ambidex.host.runs.runner import plan
from ambidex.tasks.load import load_suite
from ambidex.tasks.osworld.network import Net
from ambidex.tasks.osworld.suite import Selection

__all__ = ["Cell", "Experiment", "cells", "read_experiment"]

Label = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")]
"""A part of a directory's name."""


class Player(Strict):
    """One of the agents that are compared."""

    label: Label
    agent: str = "model"
    """As `--agent` takes it."""
    model: ModelConfig | None = None
    grounder: ModelConfig | None = None


class Shown(Exposure):
    """One of the exposures that are compared."""

    label: Label


class Experiment(RunOptions):
    """A whole experiment file."""

    suite: str
    """A directory of tasks, from where the file lies."""
    tasks: tuple[str, ...] = ()
    """Only these."""
    list: str = ""
    """Only those of a list of OSWorld's, from where the file lies."""
    net: tuple[Net, ...] = ()
    """Only tasks of OSWorld's that need one of these networks."""
    annotations: str = ""
    """What is known of OSWorld's tasks, from where the file lies."""
    agents: Annotated[tuple[Player, ...], Field(min_length=1)]
    conditions: Annotated[tuple[Condition, ...], Field(min_length=1)] = ("gui", "hybrid")
    exposures: tuple[Shown, ...] = ()
    """For conditions with tools; without any, all tools are shown."""
    steps: Annotated[tuple[Annotated[int, Field(ge=1)], ...], Field(min_length=1)] = (15,)
    checkpoints: Literal["auto", "always", "never"] = "auto"
    """Whether smaller limits of steps are checkpoints of one run with the largest, or runs of
    their own. `auto`: checkpoints where the machines can be forked while they run."""
    keep: Keep | None = None
    """Which steps of an episode can be gone back to."""
    time_limit: Annotated[float, Field(gt=0)] = 3600.0
    cost_limit: float | None = None
    """US dollars an episode may cost."""
    prices: str = ""
    """A price table of one's own, from where the file lies."""

    @model_validator(mode="after")
    def _says_nothing_twice(self) -> Experiment:
        named: dict[str, list[str]] = {
            "agents": [player.label for player in self.agents],
            "exposures": [shown.label for shown in self.exposures],
            "conditions": list(self.conditions),
            "steps": [str(steps) for steps in self.steps],
        }
        for key, names in named.items():
            if twice := [name for name, count in Counter(names).items() if count > 1]:
                raise ValueError(f"{key} has {twice[0]} twice")
        return self


@dataclass(frozen=True)
class Cell:
    """One run of an experiment; `name` is its directory's."""

    name: str
    request: RunRequest


def read_experiment(path: Path) -> Experiment:
    """The experiment in a file; `UsageError` names every wrong key."""
    try:
        return Experiment.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise UsageError(f"no experiment at {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"not valid TOML: {path}: {error}") from None
    except ValidationError as error:
        raise UsageError(f"{path}: {explain(error, whole='the file')}") from None


def cells(
    experiment: Experiment, home: Path, catalogue: Mapping[str, ToolSpec], *, forks: bool
) -> list[Cell]:
    """Its runs, in order. `home` is where its paths begin; `forks` says whether the machines can be
    forked while they run.
    """
    selection = Selection(
        tasks=experiment.tasks,
        list=home / experiment.list if experiment.list else None,
        net=experiment.net,
        annotations=home / experiment.annotations if experiment.annotations else None,
    )
    suite = load_suite(home / experiment.suite, catalogue, selection=selection)
    return [
        Cell(
            name,
            RunRequest(
                suite=suite,
                agents=(player.agent,),
                jobs=plan((player.agent,), experiment.runs, suite),
                condition=condition,
                options=RunOptions.of(experiment),
                limits=Limits(steps, experiment.time_limit, experiment.cost_limit),
                catalogue=catalogue,
                exposure=exposure,
                checkpoints=checkpoints,
                keep=experiment.keep,
                model=player.model,
                grounder=player.grounder,
                prices=home / experiment.prices if experiment.prices else None,
            ),
        )
        for player in experiment.agents
        for condition in experiment.conditions
        for label, exposure in _exposures(experiment, condition)
        for steps, checkpoints in _limits(experiment, forks)
        for name in [".".join(filter(None, (player.label, condition, label, str(steps))))]
    ]


def _exposures(experiment: Experiment, condition: Condition) -> Iterator[tuple[str, Exposure]]:
    if condition == "gui" or not experiment.exposures:
        yield "", Exposure()
        return
    for shown in experiment.exposures:
        said: dict[str, Any] = shown.model_dump(exclude={"label"})
        yield shown.label, Exposure(**said)


def _limits(experiment: Experiment, forks: bool) -> Iterator[tuple[int, tuple[int, ...]]]:
    every = sorted(experiment.steps)
    if experiment.checkpoints == "always" or (experiment.checkpoints == "auto" and forks):
        yield every[-1], tuple(every[:-1])
        return
    for steps in every:
        yield steps, ()
