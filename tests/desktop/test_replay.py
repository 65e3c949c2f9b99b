"""Replaying a recorded episode on a fresh desktop, up to the step where the screens diverge."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ambidex.host.records.trajectory import NAME
from ambidex.host.runs.machines import Source
from ambidex.host.travel.divergence import compare_episodes, first_difference

PROJECT = Path(__file__).parents[2]
TASK = "calc-freeze-header"


def ambidex(machines: Source, *words: str | Path) -> str:
    image = machines.image.split(":")[0]
    command = [sys.executable, "-m", "ambidex.host.cli.main", *map(str, words), "--image", image]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_replay_reports_whether_and_where_the_screens_diverge(
    machines: Source, tmp_path: Path
) -> None:
    run, again = tmp_path / "run", tmp_path / "again"
    ambidex(
        machines, "run", PROJECT / "tasks" / "demo", "--tasks", TASK, "--agent", "oracle:gui",
        "--provider", machines.provider, "--out", run,
    )  # fmt: skip
    said = ambidex(machines, "replay", run, TASK, "--on", machines.provider, "--out", again)
    assert f"{TASK}: scored 1.0" in said
    assert "The screens are equal" in said
    [played] = again.glob(f"{TASK}.*/{NAME}")

    # The same record, but that it opens another menu in its fourth step.
    record = run / f"{TASK}.1" / NAME
    record.write_text(record.read_text().replace('"alt", "v"', '"alt", "f"'))
    other = tmp_path / "other"
    said = ambidex(machines, "replay", run, TASK, "--on", machines.provider, "--out", other)
    found = first_difference(compare_episodes(played.parent, next(other.glob(f"{TASK}.*"))))
    assert found is not None
    assert found.step == 4
    assert "The screens differ from step 4 on" in said
