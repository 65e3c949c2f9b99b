"""Replaying a recorded episode on a fresh desktop, up to the step where the screens diverge."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ambidex.host.records.trajectory import NAME
from ambidex.host.runs.machines import Source
from ambidex.host.travel.divergence import compare_episodes

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
    # Its last step is changed: it opens a menu instead of saving the file.
    record = run / f"{TASK}.1" / NAME
    recorded = record.read_text()
    assert recorded.count('"ctrl", "s"') == 1
    record.write_text(recorded.replace('"ctrl", "s"', '"alt", "f"'))
    said = ambidex(machines, "replay", run, TASK, "--on", machines.provider, "--out", again)
    assert f"{TASK}: scored 0.0" in said
    steps = compare_episodes(record.parent, next(again.glob(f"{TASK}.*")))
    assert [step.same for step in steps] == [True] * 5 + [False]
    assert "The screens differ from step 6 on" in said
