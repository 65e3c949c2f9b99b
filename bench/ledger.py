"""Measurements of several providers, side by side."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from rich.table import Table

__all__ = ["Column", "Ledger", "timed"]


def timed(action: Callable[[], object]) -> float:
    """Seconds that `action` takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


@dataclass
class Ledger:
    """A table with a row per measurement and a column per provider."""

    providers: list[str]
    rows: dict[str, dict[str, str]] = field(default_factory=dict)

    def put(self, name: str, provider: str, text: str, target: str) -> None:
        """Set a cell, and print it to stderr."""
        cell = f"{text}  [{target}]" if target else text
        self.rows.setdefault(name, {})[provider] = cell
        print(f"{provider}: {name}: {cell}", file=sys.stderr)

    def table(self, title: str) -> Table:
        """The complete table."""
        table = Table("measured", *self.providers, title=title)
        for name, cells in self.rows.items():
            table.add_row(name, *(cells.get(provider, "") for provider in self.providers))
        return table


@dataclass(frozen=True)
class Column:
    """The cells of one provider."""

    ledger: Ledger
    provider: str

    def add(self, name: str, values: list[float], target: str = "") -> None:
        """Add values in seconds, shown in milliseconds: median, 95th percentile and number."""
        ordered = sorted(values)
        late = ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))]
        text = f"{statistics.median(ordered) * 1e3:.1f} ms"
        if len(ordered) > 1:
            text += f" (p95 {late * 1e3:.1f}, n {len(ordered)})"
        self.ledger.put(name, self.provider, text, target)

    def note(self, name: str, text: str, target: str = "") -> None:
        """Add a value that is not a time."""
        self.ledger.put(name, self.provider, text, target)
