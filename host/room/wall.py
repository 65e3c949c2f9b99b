"""The state of all trials, and which of them need a person's attention."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
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
from ambidex.host.room.lineage import parent_of
from ambidex.host.room.live_trajectory import LiveTrajectory

__all__ = ["Alarm", "Live", "Wall"]

UNCHANGED = 4
"""Consecutive steps without a change of the screen that raise an alarm."""
SAME = 3
"""Consecutive steps with the same calls that raise an alarm."""
ERRORS = 3
"""Consecutive steps with an error that raise an alarm."""
DEEPEST = 3
"""How many directories deep runs are looked for: RUN.pivot/TRIAL/STEP."""
NEAR_CAP = 0.8
"""Share of the limit on steps from which an alarm is raised."""

Alarm = str
"""Why a trial needs attention, in a few words."""


@dataclass
class Live:
    """A running trial."""

    run: str
    trial: str
    seen: ScreenAddress
    trajectory: LiveTrajectory
    cap: int
    since: float
    parent: dict[str, Any] | None = None
    """Its branch point, if it is a branch; see `host.room.lineage`."""

    @property
    def name(self) -> str:
        """Its name in URLs: RUN/TRIAL."""
        return f"{self.run}/{self.trial}"

    def summary(self) -> dict[str, Any]:
        """The trial's state as JSON for the wall."""
        steps = [line for line in self.trajectory.steps if line["kind"] == "step"]
        damaged = self.trajectory.damaged
        return {
            "run": self.run,
            "trial": self.trial,
            "id": self.trajectory.id,
            "task": self.trajectory.start.get("task", self.trial.partition(".")[0]),
            "agent": self.trajectory.start.get("agent", ""),
            "parent": self.parent,
            "state": self.trajectory.state if self.trajectory.start else "setup",
            "step": self.trajectory.taken,
            "cap": self.cap,
            "lines": len(self.trajectory.steps),
            "last": _last(steps),
            "screen": bool(self.seen.vnc),
            "told": "" if self.seen.vnc else _told(steps),
            "seconds": round(time.time() - self.since),
            "cost": self.trajectory.cost,
            "alarms": [
                *([f"its trajectory is damaged: {damaged}"] if damaged else []),
                *alarms(steps, self.trajectory.taken, self.cap),
            ],
        }


@dataclass
class Wall:
    """The runs in these directories, listed again at every call, since runs may be added."""

    folders: Sequence[Path]
    _trajectories: dict[Path, LiveTrajectory] = field(default_factory=dict)
    _seen: dict[str, tuple[Path, int]] = field(default_factory=dict)
    _summaries: list[dict[str, Any]] = field(default_factory=list)
    _configs: dict[Path, RunConfig] = field(default_factory=dict)

    def runs(self) -> dict[str, Path]:
        """The run directories, by their unique names in this room. One that is stored deeper, such
        as a probe of `pivot`, has the names of the directories above it in its own."""
        by_name: dict[str, Path] = {}
        resolved: set[Path] = set()
        for folder in self.folders:
            for run in _runs_below(folder, DEEPEST):
                if run.resolve() in resolved:
                    continue
                resolved.add(run.resolve())
                name = ".".join(run.relative_to(folder).parts) or run.resolve().name
                while name in by_name:
                    name += "~"
                by_name[name] = run
        return by_name

    def add(self, run: Path) -> None:
        """Also show this run, wherever it is stored."""
        self.folders = [*self.folders, run]

    def live(self) -> list[Live]:
        """The running trials. A run that cannot be read has none."""
        trials = []
        runs = self.runs()
        for name, run in runs.items():
            try:
                cap = self._config(run).limits.steps
            except UsageError:
                continue  # `summaries` reports it
            for trial, seen in running_trials(run):
                trajectory = self.trajectory(run / trial)
                parent = parent_of(trajectory.start.get("from"), runs)
                trials.append(Live(name, trial, seen, trajectory, cap, _since(run / trial), parent))
        return trials

    def summaries(self) -> list[dict[str, Any]]:
        """The runs and their rows as JSON; the identical list object while nothing changes."""
        seen = {}
        runs = self.runs()
        for name, run in runs.items():
            path = run / RESULTS
            seen[name] = (run, path.stat().st_mtime_ns if path.exists() else 0)
        if seen != self._seen:
            self._seen, self._summaries = seen, [self._run(name, runs) for name in seen]
        return self._summaries

    def _run(self, name: str, runs: Mapping[str, Path]) -> dict[str, Any]:
        run = runs[name]
        try:
            settings = self._config(run)
            rows = read_rows(run) if (run / RESULTS).exists() else []
        except UsageError as error:
            return {"run": name, "error": str(error), "planned": 0, "rows": []}
        return {
            "run": name,
            "suite": Path(settings.suite).name,
            "agents": settings.agents,
            "condition": settings.condition,
            "model": settings.model.name if settings.model else "",
            "fork": settings.fork.model_dump(include={"hint", "hand", "lasting"})
            if settings.fork
            else None,
            # In a run of `ambidex prove`, not every agent plays every task.
            "planned": len(settings.tasks) * settings.runs if len(settings.agents) == 1 else 0,
            "rows": [_row(row, runs) for row in rows],
        }

    def trial(self, run: str, trial: str) -> Path:
        """The directory of a trial; `UsageError` if there is none."""
        folder = self.runs().get(run, Path()) / trial
        if run not in self.runs() or trial.startswith(".") or not folder.is_dir():
            raise UsageError(f"no trial {trial!r} in a run {run!r} of this room")
        return folder

    def trajectory(self, folder: Path) -> LiveTrajectory:
        """The trajectory in a trial's directory, up to date."""
        trajectory = self._trajectories.get(folder)
        if trajectory is None or trajectory.is_another():
            trajectory = self._trajectories[folder] = LiveTrajectory(folder)
        trajectory.read()
        return trajectory

    def step_kinds(self, run: str, trial: str) -> list[str]:
        """The kind of each step of a trial, see `brief`; empty if its directory is gone."""
        try:
            trajectory = self.trajectory(self.trial(run, trial))
        except UsageError:
            return []
        return [line["did"] for line in trajectory.steps if line["kind"] == "step"]

    def _config(self, run: Path) -> RunConfig:
        if run not in self._configs:
            self._configs[run] = read_config(run)
        return self._configs[run]


def _runs_below(folder: Path, depth: int) -> Iterator[Path]:
    """The runs at or below a directory; nothing is looked for inside a run."""
    if (folder / config.NAME).exists():
        yield folder
    elif depth:
        with suppress(OSError):  # it was removed meanwhile, or is not ours to read
            for below in sorted(path for path in folder.iterdir() if path.is_dir()):
                yield from _runs_below(below, depth - 1)


def alarms(steps: Sequence[dict[str, Any]], taken: int, cap: int) -> list[Alarm]:
    """The reasons why a trial needs attention."""
    reasons = []
    own = [step for step in steps if step["actor"] == "agent"]
    unchanged = _in_a_row(own, lambda step: bool(step["after"]) and step["after"] == step["before"])
    if unchanged >= UNCHANGED:
        reasons.append(f"screen unchanged for {unchanged} steps")
    last = _done(own[-1]) if own else ""
    repeated = _in_a_row(own, lambda step: bool(last) and _done(step) == last)
    if repeated >= SAME:
        reasons.append(f"the same {repeated} times in a row")
    errors = _in_a_row(
        own,
        lambda step: any(result["error"] for result in step["results"]) or bool(step["malformed"]),
    )
    if errors >= ERRORS:
        reasons.append(f"{errors} errors in a row")
    if taken >= NEAR_CAP * cap:
        reasons.append(f"{cap - taken} steps left")
    return reasons


def _since(trial: Path) -> float:
    try:
        return (trial / ANNOUNCED).stat().st_mtime
    except FileNotFoundError:  # it has just ended
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
    return next((step["calls"][-1] for step in reversed(steps) if step["calls"]), None)


def _told(steps: Sequence[dict[str, Any]]) -> str:
    """What the calls of the last step returned, for a trial whose screen cannot be watched."""
    return "\n".join(result["text"] for result in steps[-1]["results"]) if steps else ""


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
