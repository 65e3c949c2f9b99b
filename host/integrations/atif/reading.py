"""Import ATIF: runs that we exported, and the trajectories of other programs.

A run of ours becomes a run again, with rows whose counts are taken from the steps. Other programs'
trajectories become trials without a verdict, which the control room and `ambidex export` replay.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from atif import Trajectory
from pydantic import ValidationError

from ambidex.evaluators import Score
from ambidex.evaluators.strict import explain
from ambidex.host.errors import UsageError
from ambidex.host.integrations.atif.episodes import ForeignSteps, OurSteps, ours_of
from ambidex.host.integrations.atif.writing import OURS, TRAJECTORY
from ambidex.host.integrations.attempts import recount
from ambidex.host.loop.outcomes import write_score
from ambidex.host.records import trajectory as records
from ambidex.host.records.config import NAME as CONFIG
from ambidex.host.records.rows import NAME as RESULTS
from ambidex.host.records.rows import Row, Rows
from ambidex.host.records.trajectory import read_trajectory
from ambidex.tasks import Verdict

__all__ = ["read_atif"]


def read_atif(source: Path, target: Path) -> list[Path]:
    """Import a trajectory file, or all of a directory, into the new directory `target`, and return
    the directories of the trials. `UsageError` names a file that is not ATIF."""
    if target.exists():
        raise UsageError(f"{target} exists already", hint="Name a new directory with --out.")
    files = [source] if source.is_file() else sorted(source.rglob(TRAJECTORY))
    if not files:
        raise UsageError(
            f"{source} has no {TRAJECTORY}", hint="Name a file or a directory of ATIF."
        )
    read = [(file, _parse(file)) for file in files]
    target.mkdir(parents=True)
    trials = []
    rows: dict[int, Row] = {}
    for file, trajectory in read:
        ours = (trajectory.extra or {}).get(OURS)
        folder = _new_folder(target, file.parent.name if ours else _name(file, source))
        _write(folder, file.parent, trajectory)
        trials.append(folder)
        if ours:
            rows[ours["index"]] = _row(folder, ours)
        for subagent in () if ours else trajectory.subagent_trajectories or ():
            below = _new_folder(target, f"{folder.name}.{subagent.trajectory_id}")
            _write(below, file.parent, subagent)
            trials.append(below)
    if (source / CONFIG).is_file():
        shutil.copyfile(source / CONFIG, target / CONFIG)
        (target / RESULTS).touch()
        for _, row in sorted(rows.items()):
            Rows(target).add(row)
    return trials


def _parse(file: Path) -> Trajectory:
    try:
        return Trajectory.model_validate_json(file.read_bytes())
    except ValidationError as error:
        raise UsageError(f"{file} is not ATIF: {explain(error, whole='it', most=1)}") from None


def _name(file: Path, source: Path) -> str:
    """A trial's name: that of the directory, where Harbor's is above `agent/`."""
    folder = file.resolve().parent
    folder = folder.parent if folder.name == "agent" else folder
    return folder.name if source.is_dir() or file.name == TRAJECTORY else file.stem


def _new_folder(target: Path, name: str) -> Path:
    plain = re.sub(r"[^\w.-]", "-", name).lstrip(".") or "trajectory"
    folder, number = target / plain, 1
    while folder.exists():
        number += 1
        folder = target / f"{plain}-{number}"
    folder.mkdir()
    return folder


def _row(folder: Path, ours: Mapping[str, Any]) -> Row:
    """The row of an attempt of ours, with the counts of its steps."""
    row = ours["row"]
    if "steps" not in row:
        row = row | recount(folder, read_trajectory(folder), ours["repeats"])
    read = Row.model_validate(row)
    if read.score is not None and read.stop is not None:
        strict = None if read.strict is None else Score(read.strict, read.strict_reason)
        verdict = Verdict(Score(read.score, read.reason), strict)
        write_score(folder, verdict, read.stop, read.threshold)
    return read


def _write(folder: Path, files: Path, trajectory: Trajectory) -> None:
    """Write the trajectory as an episode. `files` is the directory that its images are in."""
    ours = (trajectory.extra or {}).get(OURS)
    if ours and not any("start" in ours_of(step) for step in trajectory.steps):
        return  # it ended before its episode
    with records.Trajectory(folder) as episode:
        if ours:
            OurSteps(files, episode, trajectory, ours["offers"]).write()
            if "end" in ours:
                episode.end(**ours["end"])
        else:
            ForeignSteps(files, episode, trajectory, folder.name).write()
            episode.end(stop=None, answer=None)
