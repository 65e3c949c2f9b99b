"""Differential test of our metrics against OSWorld's own functions.

    python -m bench.differential --upstream DIR                  every metric
    python -m bench.differential --upstream DIR --metric NAME --show 9    one, and how it differs
    python -m bench.differential --upstream DIR --cases 1000 --store      keep the counts
    python -m bench.differential --table docs/osworld-differential.md     the page of stored counts

`DIR` contains OSWorld's `desktop_env`; its own Python (`--upstream-python`, `DIR/venv/bin/python`)
has the packages that the evaluators import. Neither is part of this project; both are required.

A case is a metric with its arguments. Both sides get the same files: ours through the task loader
and the `compat` verdict, upstream's in a child process with a time limit. The two agree if the
scores are equal to 1e-9, for sounds to 1e-3 (decoders differ). An exception upstream means that a
run there has no result, which counts as 0; a task that we refuse to load and upstream judges is a
disagreement, whatever the score.
Families of cases are modules `cases_<family>.py`, each with
`CASES: dict[str, Callable[[random.Random, Path], Iterator[Case]]]` by metric name: a generator,
endless or finite, of cases whose files it writes below the folder. The folder is emptied before the
next case is requested. A family can explain intended differences in `REASONS: dict[str, str]`, by
`metric: note` or by the note alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from ambidex.evaluators.osworld import Value

__all__ = ["NOTHING", "NO_FILE", "Case", "Cases", "Given", "Outcome"]


class Given(Enum):
    """Special values in place of an expected value."""

    NOTHING = "nothing"
    """The task has no expected value: upstream's function gets one argument."""
    NO_FILE = "no file"
    """The task names a file that was missing: upstream's function gets None."""


NOTHING, NO_FILE = Given.NOTHING, Given.NO_FILE


@dataclass(frozen=True)
class Case:
    """One metric with its arguments. A `Path` is a file, which upstream gets as a path name."""

    metric: str
    result: Value
    expected: Value | Given = NOTHING
    options: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    """The kind of case, by which disagreements are grouped."""
    near: float = 1e-9
    """Largest difference of two scores that agree; more if different decoders are used."""


Cases: TypeAlias = Callable[[Random, Path], Iterator[Case]]
"""Generates the cases of one metric; the folder is empty when the next case is requested."""


@dataclass(frozen=True)
class Outcome:
    """The result of one side for a case."""

    kind: str
    """`score`; `raised` where upstream ends in an exception; `refused` where the task does not
    load; `crashed` where we end in an exception; `timeout`; `unavailable` where upstream needs
    something that is not installed."""
    score: float = 0.0
    said: str = ""
