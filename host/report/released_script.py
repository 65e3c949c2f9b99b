"""The metrics as OSWorld-MCP's released script computes them, including its oddities, for
comparison with figures produced by that script. The definitions of the paper's text are in
`host.report.metrics`.

    accuracy   mean of the scores found: partial credit counts, a missing result is left out
    solved     the text of the score contains the character "1": 0.1 and 0.31 do, 0.5 and 0.98 not
    TIR        (n_t + n_g) / (N_t + N_g) with N_t and N_g the full lists, however few were run; a
               task that no tool helps with loses its point if any tool was called, a
               tool-beneficial one if none was; it is computed for GUI-only runs too
    ACS        mean steps over every result found, solved or not

A run of the script is one trial of each task; with several trials we take the mean. Some of the
script's behaviour cannot be reproduced from rows:

* The script counts a tool call only if the model's raw answer spells it in one exact way and the
  name is on the script's own list, which lacks 34 of the 158 tools. Here every call of an offered
  tool counts.
* The script's steps are the number of screenshots in the directory, minus one. Here they are
  decisions.
* The script's "every result found" is every directory, even one left by a failed machine. Here it
  is every scored trial.
* The script blanks the rates if the path contains "gui".
* If a run did not start some tasks, nothing says whether tools help with them: they count only in
  the denominator over all tasks (`unknown`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from ambidex.host.records.rows import Row
from ambidex.host.report.metrics import GROUPS
from ambidex.host.report.tool_use import share

__all__ = ["Released", "has_a_one", "released"]


@dataclass(frozen=True)
class Released:
    """The script's metrics over one set of tasks."""

    name: str
    trials: int
    """Number of trials per task; the metrics are means over them."""
    listed: int
    """Number of tasks on the list."""
    unknown: int
    """Tasks of the run that are on no group's list, because they have no row that names one."""
    accuracy: float | None
    tir: float | None
    acs: float | None


def has_a_one(score: float | None) -> bool:
    """Whether the script counts this score as solved."""
    return "1" in str(score)


def released(rows: Sequence[Row], tasks: Collection[str]) -> tuple[Released, ...]:
    """The script's metrics for the rows of one agent; `tasks` are those that its run planned."""
    known = {row.task: row.tool_beneficial for row in rows}
    unknown = len(set(tasks) - known.keys())
    listed = (
        [task for task, helped in known.items() if helped],
        [task for task, helped in known.items() if not helped],
        sorted(known.keys() | set(tasks)),
    )
    return tuple(
        _group(name, names, unknown, rows) for name, names in zip(GROUPS, listed, strict=True)
    )


def _group(name: str, listed: Sequence[str], unknown: int, rows: Iterable[Row]) -> Released:
    on_it = set(listed)
    scored = [row for row in rows if row.fate == "scored" and row.task in on_it]
    by_trial = [[r for r in scored if r.trial == n] for n in sorted({r.trial for r in scored})]
    return Released(
        name=name,
        trials=len(by_trial),
        listed=len(listed),
        unknown=unknown,
        accuracy=_mean([share(sum(r.score or 0.0 for r in one), len(one)) for one in by_trial]),
        tir=_mean([share(sum(map(_chosen_well, one)), len(listed)) for one in by_trial]),
        acs=_mean([share(sum(r.steps for r in one), len(one)) for one in by_trial]),
    )


def _chosen_well(row: Row) -> bool:
    return has_a_one(row.score) and (row.tool_calls > 0) is row.tool_beneficial


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return share(sum(known), len(known))
