"""The failure sheet: every scored trial that was not solved, with automatic labels and columns in
which two reviewers tick causes. The causes are those of the paper's case studies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ambidex.host.records.rows import Row
from ambidex.host.report.csv_file import write_csv_file
from ambidex.host.report.failure_kinds import failures, kind_of, steps_of
from ambidex.host.report.report_lines import Line
from ambidex.host.report.tool_use import distractor_calls

__all__ = ["CAUSES", "COLUMNS", "labels", "sheet", "write_sheet"]

CAUSES = ("reasoning", "grounding", "mismatch", "wrong tool", "wrong arguments")
"""Causes a reviewer can tick: the reasoning was wrong; it pointed at the wrong place; the action
did not match the reasoning; the tool cannot do it; the right tool with the wrong arguments."""

LABELS = (
    "wrong_tool",
    "wrong_arguments",
    "no_tool_used",
    "malformed",
)

COLUMNS = (
    *("run", "agent", "cap", "task", "trial", "score", "reason", "end", "kind", "steps"),
    "last_thought",
    *LABELS,
    *(f"reviewer {number}: {cause}" for number in (1, 2) for cause in CAUSES),
)


def write_sheet(lines: Iterable[Line], path: Path) -> int:
    """Write the sheet as CSV; returns the number of failures in it."""
    failures = list(sheet(lines))
    write_csv_file(path, COLUMNS, failures)
    return len(failures)


def sheet(lines: Iterable[Line]) -> Iterator[dict[str, object]]:
    """One record per failure."""
    for line in lines:
        for row in failures(line.rows):
            yield _record(line, row)


def labels(row: Row, steps: Sequence[Mapping[str, Any]] | None) -> dict[str, bool | None]:
    """The automatic labels of a failure. `steps` are the step lines of its trajectory; None if that
    file is gone, and a label that needs it is then None."""
    useful_on_offer = bool(set(row.useful_tools) & set(row.offered))
    refused = None
    if steps is not None:
        refused = any(
            result["error"] == "bad_arguments" for step in steps for result in step["results"]
        )
    return {
        # Calls of other tools where a useful one was on offer.
        "wrong_tool": useful_on_offer and distractor_calls(row) > 0,
        # A call that ended with the error `bad_arguments`.
        "wrong_arguments": refused,
        # A useful tool was on offer and no tool was called.
        "no_tool_used": useful_on_offer and not row.tool_calls,
        "malformed": row.malformed > 0,
    }


def _record(line: Line, row: Row) -> dict[str, object]:
    steps = steps_of(row, line.run)
    thought = steps[-1]["decision"]["thought"] if steps else ""
    return {
        "run": str(line.run),
        "agent": row.agent,
        "cap": line.cap,
        "task": row.task,
        "trial": row.trial,
        "score": row.score,
        "reason": row.reason,
        "end": str(row.stop),
        "kind": str(kind_of(row, line.run)),
        "steps": row.steps,
        "last_thought": thought,
        **{name: _tick(value) for name, value in labels(row, steps).items()},
    }


def _tick(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"
