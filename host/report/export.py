"""Export of result rows as CSV, JSON and Parquet: one record per attempt, always with the same
columns in the same order."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ambidex.host.records.rows import Outcome, Row
from ambidex.host.report.csv_file import write_csv_file
from ambidex.host.report.failure_kinds import failures, kind_of
from ambidex.host.report.metrics import PARTS
from ambidex.host.report.report_lines import Line

__all__ = ["COLUMNS", "records", "write_csv", "write_json", "write_parquet"]

LINE = {"run": str, "cap": int}
"""The run's directory and the limit on steps: the line of the report that a row belongs to."""

DERIVED = {"success": bool, "tool_calls": int, "gui_calls": int, "failure_kind": str}

TEXTS = (
    "useful_tools",
    "offered",
    "calls",
    "checkpoints",
    "repeats",
    "jury",
    "colleagues",
    "parent",
    "failure",
    "screen",
    "seconds",
)
"""Nested fields, exported as JSON text."""

TYPES = {
    "score": float,
    "strict": float,
    "threshold": float,
    "cost": float,
    "instance": int,
    "trial": int,
    "attempt": int,
    "schema_number": int,
}
COUNTS = ("steps", "acted", "malformed", "unsettled", "requests", "retries")
TOKENS = ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens")
FLAGS = ("tool_beneficial", "feasible", "assisted", "agent_is_root")

COLUMNS: dict[str, type] = {
    **LINE,
    **{
        name: TYPES.get(name, int if name in COUNTS + TOKENS else bool if name in FLAGS else str)
        for name in (*Row.__annotations__, *Outcome.model_fields)
    },
    **DERIVED,
    **{f"seconds_{part}": float for part in (*PARTS, "total")},
}
"""Every column and its type, in order; any cell may be empty."""


def records(lines: Iterable[Line]) -> list[dict[str, Any]]:
    """One flat record per attempt and line: a run with interim verdicts has a line per limit."""
    return [_record(line, row) for line in lines for row in line.rows]


def write_csv(lines: Iterable[Line], path: Path) -> None:
    """Write the records as CSV."""
    write_csv_file(path, list(COLUMNS), records(lines))


def write_json(lines: Iterable[Line], path: Path) -> None:
    """Write the records as a JSON array of objects."""
    text = json.dumps(records(lines), ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def write_parquet(lines: Iterable[Line], path: Path) -> None:
    """Write the records as Parquet; every column is typed, even one without values."""
    import pyarrow  # heavy: only this needs it
    from pyarrow import parquet

    kinds = {
        str: pyarrow.string(),
        int: pyarrow.int64(),
        float: pyarrow.float64(),
        bool: pyarrow.bool_(),
    }
    schema = pyarrow.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])
    parquet.write_table(pyarrow.Table.from_pylist(records(lines), schema=schema), path)


def _record(line: Line, row: Row) -> dict[str, Any]:
    fields = row.model_dump(mode="json")
    record: dict[str, Any] = {
        "run": str(line.run),
        "cap": line.cap,
        **{key: _text(value) if key in TEXTS else value for key, value in fields.items()},
        "success": row.success,
        "tool_calls": row.tool_calls,
        "gui_calls": row.gui_calls,
        "failure_kind": str(kind_of(row, line.run)) if failures([row]) else None,
    }
    for part in (*PARTS, "total"):
        record[f"seconds_{part}"] = row.seconds.get(part)
    return {name: record[name] for name in COLUMNS}


def _text(value: object) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)
