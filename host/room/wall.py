"""What all trials are at, and which of them wants a person."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ambidex.host.errors import UsageError
from ambidex.host.records import config
from ambidex.host.records.announcement import NAME as ANNOUNCED
from ambidex.host.records.announcement import ScreenAddress, running_trials
from ambidex.host.records.config import RunConfig, read_config
from ambidex.host.records.rows import NAME as RESULTS
from ambidex.host.records.rows import Row, read_rows
from ambidex.host.report.report_lines import runs_in
from ambidex.host.room.lineage import parent_of
from ambidex.host.room.live_trajectory import Reel

__all__ = ["Alarm", "Live", "Wall"]

UNCHANGED = 4
"""Steps in a row after which the screen is as before, until that is worth a look."""
SAME = 3
"""Times in a row that the same is done, until that is worth a look."""
ERRORS = 3
"""Errors in a row."""
NEAR_CAP = 0.8
"""Part of the limit of steps."""

Alarm = str
"""Why a trial wants a person, in a few words."""


@dataclass
class Live:
    """A trial under way."""

    run: str
    trial: str
    seen: ScreenAddress
    reel: Reel
    cap: int
    since: float
    parent: dict[str, Any] | None = None
    """Where it began, if it is a branch; see `host.room.lineage`."""

    @property
    def name(self) -> str:
        """What it is called in an address."""
        return f"{self.run}/{self.trial}"

    def said(self) -> dict[str, Any]:
        """As the wall shows it."""
        steps = [each for each in self.reel.steps if each["kind"] == "step"]
        return {
            "run": self.run,
            "trial": self.trial,
            "id": self.reel.id,
            "task": self.reel.start.get("task", self.trial.partition(".")[0]),
            "agent": self.reel.start.get("agent", ""),
            "parent": self.parent,
            "state": self.reel.state if self.reel.start else "setup",
            "step": self.reel.taken,
            "cap": self.cap,
            "lines": len(self.reel.steps),
            "last": _last(steps),
            "seconds": round(time.time() - self.since),
            "cost": self.reel.cost,
            "alarms": [
                *([f"its record is damaged: {self.reel.damaged}"] if self.reel.damaged else []),
                *alarms(steps, self.reel.taken, self.cap),
            ],
        }


@dataclass
class Wall:
    """The runs in those directories, read again at every look: runs may come."""

    folders: Sequence[Path]
    _reels: dict[Path, Reel] = field(default_factory=dict)
    _seen: dict[str, tuple[Path, int]] = field(default_factory=dict)
    _told: list[dict[str, Any]] = field(default_factory=list)
    _configs: dict[Path, RunConfig] = field(default_factory=dict)

    def runs(self) -> dict[str, Path]:
        """The directories of runs by the names they have here."""
        found: dict[str, Path] = {}
        there: set[Path] = set()
        for run in runs_in(self.folders):
            if (run / config.NAME).exists() and run.resolve() not in there:
                there.add(run.resolve())
                name = run.resolve().name
                while name in found:
                    name += "~"
                found[name] = run
        return found

    def add(self, run: Path) -> None:
        """Show that run, too, wherever it lies."""
        self.folders = [*self.folders, run]

    def live(self) -> list[Live]:
        """The trials under way. A run that cannot be read has none."""
        found = []
        runs = self.runs()
        for name, run in runs.items():
            try:
                cap = self._config(run).limits.steps
            except UsageError:
                continue  # `told` says so
            for trial, seen in running_trials(run):
                reel = self.reel(run / trial)
                parent = parent_of(reel.start.get("from"), runs)
                found.append(Live(name, trial, seen, reel, cap, _since(run / trial), parent))
        return found

    def told(self) -> list[dict[str, Any]]:
        """The runs and their rows, as the page shows them; the same list while nothing changes."""
        seen = {}
        runs = self.runs()
        for name, run in runs.items():
            path = run / RESULTS
            seen[name] = (run, path.stat().st_mtime_ns if path.exists() else 0)
        if seen != self._seen:
            self._seen, self._told = seen, [self._run(name, runs) for name in seen]
        return self._told

    def _run(self, name: str, runs: Mapping[str, Path]) -> dict[str, Any]:
        run = runs[name]
        try:
            said = self._config(run)
            rows = read_rows(run) if (run / RESULTS).exists() else []
        except UsageError as error:
            return {"run": name, "error": str(error), "planned": 0, "rows": []}
        return {
            "run": name,
            "suite": Path(said.suite).name,
            "agents": said.agents,
            "condition": said.condition,
            "model": said.model.name if said.model else "",
            "fork": said.fork.model_dump(include={"hint", "hand", "lasting"})
            if said.fork
            else None,
            # In a proof not every agent plays every task.
            "planned": len(said.tasks) * said.runs if len(said.agents) == 1 else 0,
            "rows": [_row(row, runs) for row in rows],
        }

    def trial(self, run: str, trial: str) -> Path:
        """Its directory; `UsageError` where there is none."""
        folder = self.runs().get(run, Path()) / trial
        if run not in self.runs() or trial.startswith(".") or not folder.is_dir():
            raise UsageError(f"there is no trial {trial!r} in a run {run!r} here")
        return folder

    def reel(self, folder: Path) -> Reel:
        """Its trajectory, read as far as it goes."""
        reel = self._reels.get(folder)
        if reel is None or reel.is_another():
            reel = self._reels[folder] = Reel(folder)
        reel.read()
        return reel

    def did(self, run: str, trial: str) -> list[str]:
        """What was done in its steps, see `brief`; nothing where its directory is gone."""
        try:
            reel = self.reel(self.trial(run, trial))
        except UsageError:
            return []
        return [each["did"] for each in reel.steps if each["kind"] == "step"]

    def _config(self, run: Path) -> RunConfig:
        if run not in self._configs:
            self._configs[run] = read_config(run)
        return self._configs[run]


def alarms(steps: Sequence[dict[str, Any]], taken: int, cap: int) -> list[Alarm]:
    """Why somebody should look at it."""
    found = []
    own = [each for each in steps if each["actor"] == "agent"]
    unchanged = _in_a_row(own, lambda step: bool(step["after"]) and step["after"] == step["before"])
    if unchanged >= UNCHANGED:
        found.append(f"screen unchanged for {unchanged} steps")
    last = _done(own[-1]) if own else ""
    same = _in_a_row(own, lambda step: bool(last) and _done(step) == last)
    if same >= SAME:
        found.append(f"the same {same} times in a row")
    errors = _in_a_row(
        own, lambda step: any(each["error"] for each in step["results"]) or bool(step["malformed"])
    )
    if errors >= ERRORS:
        found.append(f"{errors} errors in a row")
    if taken >= NEAR_CAP * cap:
        found.append(f"{cap - taken} steps left")
    return found


def _since(trial: Path) -> float:
    try:
        return (trial / ANNOUNCED).stat().st_mtime
    except FileNotFoundError:  # it ends as we look
        return time.time()


def _in_a_row(steps: Sequence[dict[str, Any]], holds: Callable[[dict[str, Any]], bool]) -> int:
    count = 0
    for step in reversed(steps):
        if not holds(step):
            break
        count += 1
    return count


def _done(step: dict[str, Any]) -> str:
    return json.dumps(step["calls"], sort_keys=True) if step["calls"] else ""


def _last(steps: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    return next((each["calls"][-1] for each in reversed(steps) if each["calls"]), None)


def _row(row: Row, runs: Mapping[str, Path]) -> dict[str, Any]:
    return {
        "trial": row.folder,
        "task": row.task,
        "agent": row.agent,
        "number": row.trial,
        "attempt": row.attempt,
        "fate": row.fate,
        "score": row.score,
        "solved": row.success,
        "parent": parent_of(row.parent.model_dump() if row.parent else None, runs),
        "stop": row.stop,
        "steps": row.steps,
        "cost": row.cost,
        "assisted": row.assisted,
        "seconds": row.seconds.get("total"),
        "reason": row.reason
        or (f"{row.failure.type}: {row.failure.message}" if row.failure else ""),
    }
