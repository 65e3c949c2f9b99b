"""Our metrics against OSWorld's own functions, case by case.

    python -m bench.differential --upstream DIR                  every metric
    python -m bench.differential --upstream DIR --metric NAME --show 9    one, and how it differs
    python -m bench.differential --upstream DIR --cases 1000 --store      keep the counts
    python -m bench.differential --table docs/osworld-differential.md     the page of stored counts

`DIR` holds OSWorld's `desktop_env`; its own Python (`--upstream-python`, `DIR/venv/bin/python`)
has what the evaluators import. Nothing of it is part of this project, and without it nothing runs.

A case is a metric with what it is given. Both sides get the same files: ours through the task
loader and the `compat` verdict, upstream's in a child process under a time limit. The two agree
where the scores are equal to 1e-9, for sounds to 1e-3 (decoders differ). An exception upstream
means that a run there has no result, which counts as 0; a task that we refuse to load and upstream
judges is a disagreement, whatever the score.
Families of cases are modules `cases_<family>.py`, each with
`CASES: dict[str, Callable[[random.Random, Path], Iterator[Case]]]` by the name of the metric: a
generator, endless or finite, of cases whose files it writes below the folder. The folder is emptied
before the next case is asked for. A family may explain differences that are meant in
`REASONS: dict[str, str]`, by `metric: note` or by the note alone.
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
    """What can stand in the place of a value that a metric is compared with."""

    NOTHING = "nothing"
    """The task names nothing to compare with: upstream's function gets one argument."""
    NO_FILE = "no file"
    """The task names a file, and there was none: upstream's function gets None."""


NOTHING, NO_FILE = Given.NOTHING, Given.NO_FILE


@dataclass(frozen=True)
class Case:
    """One metric with what it is given. A `Path` is a file, which upstream is given by its name."""

    metric: str
    result: Value
    expected: Value | Given = NOTHING
    options: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    """What kind of case it is: the group under which a disagreement is listed."""
    near: float = 1e-9
    """By how much two scores that agree may differ; more where two decoders are at work."""


Cases: TypeAlias = Callable[[Random, Path], Iterator[Case]]
"""Makes the cases of one metric; the folder is empty whenever the next case is asked for."""


@dataclass(frozen=True)
class Outcome:
    """What one side gives for a case."""

    kind: str
    """`score`; `raised` where upstream ends in an exception; `refused` where the task does not
    load; `crashed` where we end in an exception; `timeout`; `unavailable` where upstream needs
    something that is not installed."""
    score: float = 0.0
    said: str = ""
