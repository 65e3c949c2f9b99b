"""Rows as a run writes them, built in memory. Fields that a test does not name have defaults."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ambidex.host import Limits, Stop
from ambidex.host.records.call_counts import CallCount
from ambidex.host.records.config import RunConfig, adopt
from ambidex.host.records.rows import Row, Rows


def row(
    task: str = "t",
    *,
    beneficial: bool,
    score: float | None,
    tool: int = 0,
    gui: int = 0,
    steps: int = 1,
    fate: str = "scored",
    trial: int = 1,
    attempt: int = 1,
    condition: str = "hybrid",
    feasible: bool = True,
    stop: Stop = Stop.DONE,
    errors: int = 0,
    unknown: int = 0,
    repeats: int = 0,
    **other: object,
) -> Row:
    counts = [
        CallCount(tool="calc_save", app="calc", calls=tool, errors=errors, repeats=repeats),
        CallCount(tool="computer_click", app="computer", calls=gui, errors=0),
        CallCount(tool="calc_invented", app="", calls=unknown, errors=unknown),
    ]
    return Row.model_validate(
        {
            "suite": "s",
            "task": task,
            "task_hash": "h",
            "agent": "a",
            "trial": trial,
            "attempt": attempt,
            "condition": condition,
            "tool_beneficial": beneficial,
            "feasible": feasible,
            "fate": fate,
            "score": score,
            "stop": stop if fate == "scored" else None,
            "steps": steps,
            "calls": [count.model_dump() for count in counts if count.calls],
            "folder": "f",
            "config": "c",
            "code": "c",
            "started": "2026-01-01T00:00:00+00:00",
        }
        | other
    )


def run_of(folder: Path, rows: Iterable[Row], **config: object) -> Path:
    """A run's directory with these rows."""
    rows = list(rows)
    said: dict[str, object] = {
        "version": "test",
        "suite": "tasks/s",
        "tasks": {each.task: "h" for each in rows},
        "agents": sorted({each.agent for each in rows}) or ["a"],
        "condition": "hybrid",
        "runs": max((each.trial for each in rows), default=1),
        "limits": Limits(steps=15),
    }
    adopt(folder, RunConfig.model_validate(said | config))
    written = Rows(folder)
    (folder / "results.jsonl").touch()
    for each in rows:
        written.add(each)
    return folder
