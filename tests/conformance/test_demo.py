"""The demo suite on each provider: what its tasks claim of themselves, and the same rows however
many machines there are.
"""

import json
import subprocess
import sys
from pathlib import Path

from ambidex.host.records.rows import Row, read_rows
from ambidex.host.runs.machines import Source

PROJECT = Path(__file__).parent.parent.parent
SUITE = PROJECT / "tasks" / "demo"
EVERY = tuple(path.parent.name for path in sorted(SUITE.glob("*/task.toml")))
PROVEN = {
    "sandbox": EVERY,
    "libvirt": ("calc-freeze-header", "vlc-quiet-birdsong"),
}
"""Virtual machines may be emulated: there, two applications by both hands, and the oracles of the
next test. `make demo` runs all tasks, and sandboxes prove all of them."""


def ambidex(
    machines: Source, verb: str, out: Path, *words: str
) -> subprocess.CompletedProcess[str]:
    image = machines.image.split(":")[0]
    command = [sys.executable, "-m", "ambidex.host.cli.main", verb, str(SUITE), "--image", image]
    command += ["--provider", machines.provider]
    return subprocess.run(
        [*command, "--out", str(out), *words], cwd=PROJECT, capture_output=True, text=True
    )


def test_oracles_score_1_and_doing_nothing_and_every_near_miss_score_0(
    machines: Source, tmp_path: Path
) -> None:
    proven = PROVEN[machines.provider]
    words = ("--tasks", *proven, "--machines", "2", "--json")
    done = ambidex(machines, "prove", tmp_path / "run", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    said = json.loads(done.stdout)
    assert {each["task"] for each in said} == set(proven)
    assert all(each["holds"] for each in said)
    assert {each["expected"] for each in said} == {0.0, 1.0}


def test_two_machines_give_the_same_rows_as_one(machines: Source, tmp_path: Path) -> None:
    tasks = ("--tasks", "gnome-evening", "music-to-cd", "terminal-relay-setup")
    rows = {}
    for count in ("1", "2"):
        out = tmp_path / count
        done = ambidex(machines, "run", out, *tasks, "--machines", count)
        assert done.returncode == 0, done.stderr
        rows[count] = sorted(map(judged, read_rows(out)))
    assert rows["1"] == rows["2"]
    assert len(rows["1"]) == 3
    assert {row.provider for row in read_rows(out)} == {machines.provider}


def judged(row: Row) -> tuple[str, str, float | None, int, str]:
    """What must not depend on how many machines there were."""
    return row.task, row.fate, row.score, row.steps, row.reason
