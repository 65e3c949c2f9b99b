"""What the coverage of every benchmark's checkout has in common: a table of counts by group."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from rich.table import Table

__all__ = ["count_table"]

T = TypeVar("T")


def count_table(
    title: str,
    group: str,
    columns: Sequence[str],
    tasks: Sequence[T],
    group_of: Callable[[T], str],
    counts: Callable[[Sequence[T]], Iterable[int]],
) -> Table:
    """One row of counts for each group of tasks, in their order, and one for all."""
    table = Table(title=title, title_justify="left")
    table.add_column(group, no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for name in dict.fromkeys(map(group_of, tasks)):
        members = [task for task in tasks if group_of(task) == name]
        table.add_row(name, *map(str, counts(members)))
    table.add_row("all", *map(str, counts(tasks)), style="bold")
    return table
