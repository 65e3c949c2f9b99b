"""The trials of one run, kept up to date from its rows. A row is one attempt; attempts of the same
trial are counted in its entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ambidex.host.errors import UsageError
from ambidex.host.records.config import RunConfig
from ambidex.host.records.row_reader import RowReader
from ambidex.host.records.rows import Key, Row
from ambidex.host.report.metrics import wilson_interval
from ambidex.host.room.lineage import parent_of

__all__ = ["RunTrials"]

ENDED = ("scored", "unjudged")
"""Fates after which a trial is not run again."""


@dataclass
class RunTrials:
    """The entries of a run's trials for the wall, in the order of their first rows."""

    run: Path
    config: RunConfig
    entries: list[dict[str, Any]] = field(default_factory=list)
    changes: list[int] = field(default_factory=list)
    """The index of the entry that each row added or replaced, oldest first."""
    error: str = ""
    """Why the results cannot be read further."""
    ended: set[str] = field(default_factory=set)
    """Directories of the trials that will not run again."""
    cost: float = 0.0
    """US dollars of all attempts whose cost is known."""
    unpriced: int = 0
    """Attempts whose cost is unknown."""
    _places: dict[Key, int] = field(default_factory=dict)
    _seconds: float = 0.0
    _attempts: int = 0
    _counted: tuple[tuple[int, int], dict[str, Any]] = ((-1, -1), {})
    _reader: RowReader = field(init=False)

    def __post_init__(self) -> None:
        self._reader = RowReader(self.run)

    @property
    def restarts(self) -> int:
        """How often the entries were read again from the start; see `RowReader`."""
        return self._reader.restarts

    def read(self, runs: Mapping[str, Path]) -> None:
        """Take in the rows written since the last call. `runs` are those of the room, by name."""
        before = self.restarts
        try:
            rows = self._reader.read(self.config)
        except UsageError as error:
            self.error = str(error)
            return
        self.error = ""
        if self.restarts != before:
            self.entries, self.changes, self.ended, self._places = [], [], set(), {}
            self.cost, self.unpriced, self._seconds, self._attempts = 0.0, 0, 0.0, 0
        for row in rows:
            self._add(row, runs)

    def head(self, running: int, active: bool) -> dict[str, Any]:
        """The run's progress and results as JSON, without its trials. `running` is the number of
        its trials that are running, `active` whether its runner is."""
        config, planned = self.config, self._planned()
        left = max(0, planned - len(self.ended))
        each = self._seconds / self._attempts if self._attempts else None
        return {
            "suite": Path(config.suite).name,
            "agents": config.agents,
            "condition": config.condition,
            "model": config.model.name if config.model else "",
            "fork": config.fork.model_dump(include={"hint", "hand", "lasting"})
            if config.fork
            else None,
            "planned": planned,
            "done": len(self.ended),
            **self._counts(),
            "cost": self.cost,
            "unpriced": self.unpriced,
            "active": active,
            "eta": round(each * left / max(1, running)) if active and each and left else None,
            "error": self.error,
        }

    def _counts(self) -> dict[str, Any]:
        """How the trials ended. Those in which a person helped are left out of the share that was
        solved, as in reports."""
        state = (self.restarts, len(self.changes))
        if state != self._counted[0]:
            fates = [entry for entry in self.entries if entry["fate"] == "scored"]
            counted = [entry for entry in fates if not entry["assisted"]]
            solved = sum(entry["solved"] for entry in counted)
            counts = {
                "scored": len(counted),
                "solved": solved,
                "interval": wilson_interval(solved, len(counted)) if counted else None,
                "assisted": len(fates) - len(counted),
                "void": sum(entry["fate"] == "void" for entry in self.entries),
            }
            self._counted = (state, counts)
        return self._counted[1]

    def _planned(self) -> int:
        """The number of planned trials, as far as the configuration says it: in a run of `ambidex
        prove`, not every agent plays every task."""
        config = self.config
        if len(config.agents) > 1:
            return len(self.entries)
        return config.runs * len(config.fork.branches if config.fork else config.tasks)

    def _add(self, row: Row, runs: Mapping[str, Path]) -> None:
        at = self._places.setdefault(row.key, len(self.entries))
        before = self.entries[at] if at < len(self.entries) else None
        if before and before["fate"] == "scored":
            self.error = f"trial {row.key} was scored twice; this run cannot be trusted"
            return
        entry = _entry(row, before, runs)
        self.entries[at : at + 1] = [entry]
        self.changes.append(at)
        if row.fate in ENDED:
            self.ended.add(row.folder)
        if before and before["attempts"] == row.attempt:
            return  # the same attempt, judged later
        self._attempts += 1
        self._seconds += row.seconds.get("total", 0.0)
        self.cost += row.cost or 0.0
        self.unpriced += row.cost is None


def _entry(row: Row, before: Mapping[str, Any] | None, runs: Mapping[str, Path]) -> dict[str, Any]:
    """A trial after its latest attempt. Its cost is that of all attempts."""
    cost = row.cost
    if before and before["attempts"] == row.attempt:
        cost = before["cost"]
    elif before:
        earlier = before["cost"]
        cost = None if cost is None or earlier is None else cost + earlier
    return {
        "trial": row.folder,
        "task": row.task,
        "agent": row.agent,
        "number": row.trial,
        "attempts": row.attempt,
        "fate": row.fate,
        "score": row.score,
        "solved": row.success,
        "parent": parent_of(row.parent.model_dump() if row.parent else None, runs),
        "stop": row.stop,
        "steps": row.steps,
        "cost": cost,
        "assisted": row.assisted,
        "stage": row.stage,
        "seconds": row.seconds.get("total"),
        "reason": row.reason
        or (f"{row.failure.type}: {row.failure.message}" if row.failure else ""),
    }
