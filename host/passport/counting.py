"""The counts of a row, compared with the trajectory that they were counted in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ambidex.host.records.rows import Row, read_rows
from ambidex.host.records.trajectory import AGENT, read_trajectory
from ambidex.host.records.trajectory import NAME as TRAJECTORY

__all__ = ["miscounts"]

USAGE = ("input_tokens", "output_tokens", "cached_tokens", "requests", "retries")


def miscounts(run: Path) -> Iterator[tuple[str, str, str]]:
    """Counts of scored rows that are not those of their trajectories: what, the row's, the
    trajectory's. Branches are left out, since their rows include steps of another run."""
    for row in read_rows(run):
        folder = run / row.folder
        if row.fate == "scored" and row.parent is None and (folder / TRAJECTORY).is_file():
            yield from _of_row(row, [line for line in read_trajectory(folder) if _is_step(line)])


def _of_row(row: Row, steps: list[dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    counts: list[tuple[str, object, object]] = [("steps", row.steps, len(steps))]
    for what in USAGE:
        spent = sum(
            exchange["usage"][what] for step in steps for exchange in step["decision"]["exchanges"]
        )
        counts.append((what, getattr(row, what), spent))
    if not row.retriever:  # a gateway's executions are counted under the tools behind it
        pairs = [
            (call["name"], bool(result["error"]))
            for step in steps
            for call, result in zip(step["decision"]["calls"], step["results"], strict=False)
        ]
        called, failed = Counter(name for name, _ in pairs), Counter(n for n, bad in pairs if bad)
        for what, of_row, of_trajectory in (
            ("calls", Counter({c.tool: c.calls for c in row.calls}), called),
            ("failed calls", Counter({c.tool: c.errors for c in row.calls}), failed),
        ):
            for tool in sorted(of_row | of_trajectory):
                counts.append((f"{what} of {tool}", of_row[tool], of_trajectory[tool]))
    for what, stated, found in counts:
        if stated != found:
            yield f"{row.folder}: {what}", f"{stated} in its row", f"{found} in its trajectory"


def _is_step(line: dict[str, Any]) -> bool:
    return bool(line["kind"] == "step" and line.get("actor", AGENT) == AGENT)
