"""The figures printed in the OSWorld-MCP paper (tables 1, 2 and 3), for comparison with ours.
Percentages and steps, means of three runs over 361 tasks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from ambidex.evaluators.strict import Strict
from ambidex.host.errors import UsageError

__all__ = [
    "Figures",
    "Inconsistency",
    "Misprint",
    "Paper",
    "PaperRow",
    "inconsistencies",
    "model_of",
    "paper",
    "rows_of",
]

FILE = Path(__file__).with_name("paper.json")

Metric = Literal["accuracy", "tir", "acs"]
METRICS: tuple[Metric, ...] = ("accuracy", "tir", "acs")
GroupName = Literal["tool-beneficial", "other", "all"]

DIGIT = 0.05
"""Largest rounding error of a number with one decimal."""

DATE = re.compile(r"[-@](\d{8}|\d{4}-\d\d-\d\d|latest)$")


class Figures(Strict):
    """The three metrics over one group of tasks; TIR is None where only the GUI was on offer."""

    accuracy: float
    tir: float | None
    acs: float


class Printed(Strict):
    """Standard deviation over the three runs, and the interval printed with it."""

    sd: float
    interval: tuple[float, float]


class Spreads(Strict):
    """Spread of each metric over the three runs, for all tasks."""

    accuracy: Printed
    tir: Printed | None
    acs: Printed


class PaperRow(Strict):
    """One line of a table."""

    table: int
    model: str
    condition: Literal["gui", "hybrid"]
    steps: int
    setting: str
    """Setting of the ablation in table 2; empty in table 1."""
    groups: dict[GroupName, Figures]
    spread: Spreads | None


class PaperModel(Strict):
    """A model of the tables."""

    name: str
    full: str
    kind: Literal["open", "proprietary", "multi-agent"]
    known_as: tuple[str, ...]
    """Names by which vendors sell it, in lower case, without vendor and date."""


class Misprint(Strict):
    """A printed figure that cannot be right, and the value that the other figures imply."""

    table: int
    model: str
    condition: Literal["gui", "hybrid"]
    steps: int
    group: GroupName
    metric: Metric
    printed: float
    implied: float
    note: str


class Conventions(Strict):
    """The paper's measurement setup."""

    runs: int
    temperature: float
    tasks: int
    tool_beneficial: int
    other: int
    tasks_by_useful_tools: dict[int, int]


class Paper(Strict):
    """The contents of `paper.json`."""

    source: str
    conventions: Conventions
    models: tuple[PaperModel, ...]
    misprints: tuple[Misprint, ...]
    notes: tuple[str, ...]
    rows: tuple[PaperRow, ...]


@dataclass(frozen=True)
class Inconsistency:
    """A printed figure that contradicts others by more than rounding allows."""

    table: int
    model: str
    condition: str
    steps: int
    setting: str
    what: str
    """`accuracy`, `tir` or `acs`, followed by ` interval` if it is an end of an interval."""
    printed: float
    computed: float


@cache
def paper() -> Paper:
    """The paper's figures."""
    return Paper.model_validate_json(FILE.read_bytes())


def model_of(name: str) -> str | None:
    """The paper's name for a model, ignoring vendor prefix and date suffix; None if the paper does
    not have it."""
    bare = DATE.sub("", name.rpartition("/")[2].lower())
    for model in paper().models:
        if bare in (model.name.lower(), *model.known_as):
            return model.name
    return None


def rows_of(
    model: str, *, condition: str | None = None, steps: int | None = None, table: int = 1
) -> tuple[PaperRow, ...]:
    """The rows of a table about a model; `UsageError` if the paper has no such model."""
    name = model_of(model)
    if name is None:
        known = ", ".join(known.name for known in paper().models)
        raise UsageError(f"the paper has no model {model!r}", hint=f"It has {known}.")
    return tuple(
        row
        for row in paper().rows
        if (row.table, row.model) == (table, name)
        and condition in (None, row.condition)
        and steps in (None, row.steps)
    )


def inconsistencies() -> Iterator[Inconsistency]:
    """Figures that do not add up. The metric over all tasks must be the mean of the two groups,
    weighted by their number of tasks, and an interval must be mean ± 1.96·sd/√3."""
    conventions = paper().conventions
    for row in paper().rows:
        where = (row.table, row.model, row.condition, row.steps, row.setting)
        for metric in METRICS:
            helped, other, both = (
                getattr(row.groups[name], metric) for name in ("tool-beneficial", "other", "all")
            )
            if both is None:
                continue
            computed = (
                conventions.tool_beneficial * helped + conventions.other * other
            ) / conventions.tasks
            # Both sides are rounded.
            if abs(both - computed) > 2 * DIGIT + 1e-9:
                yield Inconsistency(*where, metric, both, computed)
            spread: Printed | None = getattr(row.spread, metric) if row.spread else None
            if spread is None:
                continue
            scale = 1.96 / conventions.runs**0.5
            for sign, printed in zip((-1, 1), spread.interval, strict=True):
                end = both + sign * scale * spread.sd
                if abs(printed - end) > (2 + scale) * DIGIT + 1e-9:
                    yield Inconsistency(*where, f"{metric} interval", printed, end)
