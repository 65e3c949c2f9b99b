"""Rows for other programs: CSV, JSON and Parquet, one line per attempt, with the same columns in
the same order whatever the rows hold."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ambidex.host.records.rows import Row
from ambidex.host.report.csv_file import write_csv_file
from ambidex.host.report.metrics import PARTS
from ambidex.host.report.report_lines import Line

__all__ = ["COLUMNS", "records", "write_csv", "write_json", "write_parquet"]

LINE = {"run": str, "cap": int}
"""The run's directory and the limit of steps: which line of the report a row belongs to."""

DERIVED = {"success": bool, "tool_calls": int, "gui_calls": int}

TEXTS = (
    "useful_tools",
    "offered",
    "calls",
    "checkpoints",
    "parent",
    "failure",
    "screen",
    "seconds",
)
"""Fields with parts of their own: as JSON text."""

TYPES = {
    "score": float,
    "strict": float,
    "threshold": float,
    "cost": float,
    "trial": int,
    "attempt": int,
    "schema_number": int,
}
COUNTS = ("steps", "acted", "malformed", "unsettled", "requests", "retries")
TOKENS = ("input_tokens", "output_tokens", "cached_tokens")
FLAGS = ("tool_beneficial", "feasible", "assisted", "agent_is_root")

COLUMNS: dict[str, type] = {
    **LINE,
    **{
        name: TYPES.get(name, int if name in COUNTS + TOKENS else bool if name in FLAGS else str)
        for name in Row.model_fields
    },
    **DERIVED,
    **{f"seconds_{part}": float for part in (*PARTS, "total")},
}
"""Every column and its type, in order; any may be empty."""


def records(lines: Iterable[Line]) -> list[dict[str, Any]]:
    """One flat record per attempt and line: a run with checkpoints gives each at every limit."""
    return [_record(line, row) for line in lines for row in line.rows]


def write_csv(lines: Iterable[Line], path: Path) -> None:
    """One line for each record."""
    write_csv_file(path, list(COLUMNS), records(lines))


def write_json(lines: Iterable[Line], path: Path) -> None:
    """An array of objects."""
    said = json.dumps(records(lines), ensure_ascii=False, indent=1)
    path.write_text(said + "\n", encoding="utf-8")


def write_parquet(lines: Iterable[Line], path: Path) -> None:
    """With a type for each column, also where every value is missing."""
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
    said = row.model_dump(mode="json")
    known: dict[str, Any] = {
        "run": str(line.run),
        "cap": line.cap,
        **{key: _text(value) if key in TEXTS else value for key, value in said.items()},
        "success": row.success,
        "tool_calls": row.tool_calls,
        "gui_calls": row.gui_calls,
    }
    for part in (*PARTS, "total"):
        known[f"seconds_{part}"] = row.seconds.get(part)
    return {name: known[name] for name in COLUMNS}


def _text(value: object) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)
