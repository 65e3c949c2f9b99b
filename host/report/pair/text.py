"""The comparison of two runs for a terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ambidex.host.records.causes import brief_cause, outcome_of_row
from ambidex.host.report.number_format import chance
from ambidex.host.report.pair import ComparedRuns, Flip, SideStep
from ambidex.host.report.tables import PAIRS, pair_table
from ambidex.host.terminal import one_line

__all__ = ["as_json", "comparison_tables", "summary"]

LONGEST = 200
"""Characters of a cell."""


def summary(compared: ComparedRuns) -> str:
    """The flips in a sentence."""
    a, b = (len(compared.won_by(winner)) for winner in "AB")
    comparison = compared.pair.comparison
    return (
        f"{len(compared.flips)} of {comparison.tasks} tasks differ: {a} in favour of A, {b} in"
        f" favour of B. Accuracy: {comparison.accuracy.verdict} (p {_p(comparison.accuracy.p)})."
    )


def _p(value: float) -> str:
    text = chance(value)
    return text if text.startswith("<") else f"= {text}"


def comparison_tables(compared: ComparedRuns) -> RenderableType:
    """The flipped tasks with their first differing step, then the statistics."""
    return Group(*_parts(compared))


def _parts(compared: ComparedRuns) -> Iterator[RenderableType]:
    pair = compared.pair
    yield pair_table(pair)
    yield Text(f"{PAIRS}\n", style="italic dim")
    for flip in compared.flips:
        yield _flip_list(flip, compared)
        yield ""
    yield Text(summary(compared), style="bold")
    for name, tasks in (("A", compared.only_a), ("B", compared.only_b)):
        if tasks:
            yield Text(one_line(f"Only {name} has a score of {', '.join(tasks)}."))


def _flip_list(flip: Flip, compared: ComparedRuns) -> RenderableType:
    solved = f"A solved {flip.a[0]} of {flip.a[1]}, B {flip.b[0]} of {flip.b[1]}."
    where = f" They differ from step {flip.difference.equal + 1} on:" if flip.difference else ""
    sides = Table.grid(padding=(0, 1))
    step_a, step_b = flip.steps
    for name, line, row, step in (
        ("A", compared.pair.a, flip.trial_a, step_a),
        ("B", compared.pair.b, flip.trial_b, step_b),
    ):
        outcome = outcome_of_row(row)
        cause = "" if row.success else f": {brief_cause(row, line.config.limits)}"
        sides.add_row(f"  {name}", _short(_did(flip, step)))
        style = "green" if row.success else "red"
        sides.add_row("", Text(one_line(f"{outcome}{cause}"), style))
    return Group(Text.assemble((one_line(flip.task), "bold"), f": {solved}{where}"), sides)


def _did(flip: Flip, step: SideStep | None) -> str:
    if not flip.recorded:
        return "a trajectory is missing"
    if flip.difference is None:
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
                "first_difference": asdict(flip.difference) if flip.difference else None,
            }
            for flip in compared.flips
        ],
        "only_a": compared.only_a,
        "only_b": compared.only_b,
    }
