"""The state of all trials, and which of them need a person's attention."""

from __future__ import annotations

import glob
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ambidex.host.errors import UsageError
from ambidex.host.records import config
from ambidex.host.records.announcement import NAME as ANNOUNCED
from ambidex.host.records.announcement import ScreenAddress, running_trials
from ambidex.host.records.config import read_config
from ambidex.host.records.rows import NAME as RESULTS
from ambidex.host.room.lineage import parent_of
from ambidex.host.room.live_trajectory import LiveTrajectory
from ambidex.host.room.runs.trials import RunTrials
from ambidex.host.room.runs.updates import RunSummary
from ambidex.host.runs.inventory import runner_of

__all__ = ["Alarm", "Live", "Wall"]

UNCHANGED = 4
"""Consecutive steps without a change of the screen that raise an alarm."""
SAME = 3
"""Consecutive steps with the same calls that raise an alarm."""
ERRORS = 3
"""Consecutive steps with an error that raise an alarm."""
DEEPEST = 3
"""How many directories deep runs are looked for: RUN.pivot/TRIAL/STEP."""
SAME_TICK = 1_000_000_000
"""Nanoseconds within which two changes of a directory may have the same time."""
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
    """The runs in these directories, listed again at every look, since runs may be added."""

    folders: Sequence[Path]
    known: dict[str, Path] = field(default_factory=dict)
    """The runs at the last look."""
    _trajectories: dict[Path, LiveTrajectory] = field(default_factory=dict)
    _trials: dict[Path, RunTrials] = field(default_factory=dict)
    _listed: dict[Path, tuple[int, list[str]]] = field(default_factory=dict)
    """The directories in each run, and when the run's own directory had changed last."""
    _running: Counter[str] = field(default_factory=Counter)

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
        self.known = by_name
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
                known = self._of(run)
            except UsageError:
                continue  # `summaries` reports it
            cap = known.config.limits.steps
            for trial, seen in running_trials(run, self._unfinished(known)):
                trajectory = self.trajectory(run / trial)
                parent = parent_of(trajectory.start.get("from"), runs)
                trials.append(Live(name, trial, seen, trajectory, cap, _since(run / trial), parent))
        self._running = Counter(trial.run for trial in trials)
        return trials

    def summaries(self) -> list[RunSummary]:
        """The runs with their trials. Only rows written since the last call are read."""
        runs = self.runs()
        return [self._summary(name, runs) for name in runs]

    def _summary(self, name: str, runs: Mapping[str, Path]) -> RunSummary:
        run = runs[name]
        try:
            trials = self._of(run)
        except UsageError as error:
            return RunSummary(name, {"error": str(error), "planned": 0, "done": 0})
        trials.read(runs)
        head = trials.head(self._running[name], runner_of(run) is not None)
        head["changed"] = _changed(run)
        return RunSummary(name, head, trials.entries, trials.changes, trials.restarts)

    def _of(self, run: Path) -> RunTrials:
        if run not in self._trials:
            self._trials[run] = RunTrials(run, read_config(run))
        return self._trials[run]

    def _unfinished(self, trials: RunTrials) -> list[str]:
        """The directories of a run that may be those of running trials. A run's directory changes
        when the directory of an attempt is made in it."""
        run = trials.run
        try:
            changed = run.stat().st_mtime_ns
            if changed != self._listed.get(run, (0, []))[0]:
                names = [entry.name for entry in os.scandir(run) if entry.is_dir()]
                # A change in the same tick of the clock would go unnoticed.
                recent = time.time_ns() - changed < SAME_TICK
                self._listed[run] = (0 if recent else changed, names)
        except OSError:
            return []  # it was removed meanwhile
        return sorted(name for name in self._listed[run][1] if name not in trials.ended)

    def run(self, name: str) -> Path:
        """The directory of a run; `UsageError` if there is none of that name."""
        if name not in self.known and name not in self.runs():
            raise UsageError(f"no run {name!r} in this room")
        return self.known[name]

    def trial(self, run: str, trial: str) -> Path:
        """The directory of a trial; `UsageError` if there is none."""
        if run not in self.known:
            self.runs()
        folder = self.known.get(run, Path()) / trial
        if run not in self.known or trial.startswith(".") or not folder.is_dir():
            raise UsageError(f"no trial {trial!r} in a run {run!r} of this room")
        return folder

    def earlier_attempts(self, folder: Path) -> list[str]:
        """The directories of the void attempts before a trial's latest one, oldest first."""
        names = [path.name for path in folder.parent.glob(f"{glob.escape(folder.name)}.earlier-*")]
        return sorted(names, key=lambda name: (len(name), name))

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


def _changed(run: Path) -> int:
    """When the run's results changed last, or its directory if it has none: seconds since 1970."""
    for path in (run / RESULTS, run):
        with suppress(OSError):
            return round(path.stat().st_mtime)
    return 0
