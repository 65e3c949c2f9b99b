"""The comparison of two runs for a terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ambidex.host.records.causes import cause_of
from ambidex.host.report.pair import ComparedRuns, Flip, SideStep
from ambidex.host.report.tables import PAIRS, pair_table
from ambidex.host.terminal import one_line

__all__ = ["as_json", "comparison_tables", "summary"]

LONGEST = 200
"""Characters of a cell."""


def summary(compared: ComparedRuns) -> str:
    """The flips in a sentence."""
    a, b = (len(compared.won_by(winner)) for winner in "AB")
    tasks = compared.pair.comparison.tasks
    return (
        f"{len(compared.flips)} of {tasks} tasks differ: A solved {a} more often, B {b}."
        f" Accuracy: {compared.pair.comparison.accuracy.verdict}."
    )


def comparison_tables(compared: ComparedRuns) -> RenderableType:
    """The flipped tasks with their first differing step, then the statistics."""
    return Group(*_parts(compared))


def _parts(compared: ComparedRuns) -> Iterator[RenderableType]:
    pair = compared.pair
    yield pair_table(pair)
    yield Text(f"{PAIRS}\n", style="italic dim")
    if compared.flips:
        yield _flip_table(compared)
    yield Text(summary(compared), style="bold")
    for name, tasks in (("A", compared.only_a), ("B", compared.only_b)):
        if tasks:
            yield Text(one_line(f"Only {name} has a score of {', '.join(tasks)}."))


def _flip_table(compared: ComparedRuns) -> Table:
    table = Table(
        title="Tasks that differ, at the first step at which their episodes do",
        title_justify="left",
    )
    table.add_column("task", overflow="fold")
    table.add_column("", no_wrap=True)
    table.add_column("solved", justify="right", no_wrap=True)
    table.add_column("step", justify="right", no_wrap=True)
    table.add_column("did", overflow="fold", ratio=1)
    table.add_column("outcome", overflow="fold", ratio=1)
    limits = [compared.pair.a.config.limits, compared.pair.b.config.limits]
    for flip in compared.flips:
        sides = (
            ("A", flip.a, flip.trial_a, flip.parting.a if flip.parting else None),
            ("B", flip.b, flip.trial_b, flip.parting.b if flip.parting else None),
        )
        for (name, solved, row, step), limit in zip(sides, limits, strict=True):
            outcome = "solved" if row.success else "failed"
            cause = "" if row.success else f": {cause_of(row, limit)}"
            table.add_row(
                one_line(flip.task) if name == "A" else "",
                name,
                f"{solved[0]} of {solved[1]}",
                str(step.number) if step else "",
                _short(_did(flip, step)),
                Text(_short(f"{outcome}{cause}"), "green" if row.success else "red"),
                end_section=name == "B",
            )
    return table


def _did(flip: Flip, step: SideStep | None) -> str:
    if not flip.recorded:
        return "a trajectory is missing"
    if flip.parting is None:
        return "the same steps as the other"
    return step.did if step else "had ended"


def _short(text: str) -> str:
    text = one_line(text)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def as_json(compared: ComparedRuns) -> dict[str, Any]:
    """The comparison as an object."""
    return {
        "a": str(compared.pair.a.run),
        "b": str(compared.pair.b.run),
        **asdict(compared.pair.comparison),
        "identical": compared.pair.sameness.same,
        "flips": [
            {
                "task": flip.task,
                "better": flip.winner,
                "a": {"solved": flip.a[0], "scored": flip.a[1], "trial": str(flip.folder_a)},
                "b": {"solved": flip.b[0], "scored": flip.b[1], "trial": str(flip.folder_b)},
                "first_difference": asdict(flip.parting) if flip.parting else None,
            }
            for flip in compared.flips
        ],
        "only_a": compared.only_a,
        "only_b": compared.only_b,
    }
