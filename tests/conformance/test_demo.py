"""The demo suite on each provider: its tasks are proved, and rows do not depend on the number of
machines.
"""

import json
import subprocess
import sys
from pathlib import Path

from ambidex.host.records.rows import Row, read_rows
from ambidex.host.runs.machines import Source

PROJECT = Path(__file__).parent.parent.parent
SUITE = PROJECT / "tasks" / "demo"
ALL_TASKS = tuple(path.parent.name for path in sorted(SUITE.glob("*/task.toml")))
PROVEN = {
    "sandbox": ALL_TASKS,
    "libvirt": ("calc-freeze-header", "vlc-quiet-birdsong"),
}
"""The tasks proved on each provider.

Virtual machines may be emulated, so they prove two applications in both modalities, and run the
oracles of the next test. `make demo` runs all tasks, and sandboxes prove all of them.
"""


def ambidex(
    machines: Source, command: str, out: Path, *arguments: str
) -> subprocess.CompletedProcess[str]:
    image = machines.image.split(":")[0]
    argv = [sys.executable, "-m", "ambidex.host.cli.main", command, str(SUITE), "--image", image]
    argv += ["--provider", machines.provider]
    return subprocess.run(
        [*argv, "--out", str(out), *arguments], cwd=PROJECT, capture_output=True, text=True
    )


def test_oracles_score_1_and_doing_nothing_and_every_near_miss_score_0(
    machines: Source, tmp_path: Path
) -> None:
    proven = PROVEN[machines.provider]
    arguments = ("--tasks", *proven, "--machines", "2", "--json")
    process = ambidex(machines, "prove", tmp_path / "run", *arguments)
    assert process.returncode == 0, process.stdout + process.stderr
    claims = json.loads(process.stdout)
    assert {claim["task"] for claim in claims} == set(proven)
    assert all(claim["holds"] for claim in claims)
    assert {claim["expected"] for claim in claims} == {0.0, 1.0}


def test_two_machines_give_the_same_rows_as_one(machines: Source, tmp_path: Path) -> None:
    tasks = ("--tasks", "gnome-evening", "music-to-cd", "terminal-relay-setup")
    rows = {}
    for count in ("1", "2"):
        out = tmp_path / count
        process = ambidex(machines, "run", out, *tasks, "--machines", count)
        assert process.returncode == 0, process.stderr
        rows[count] = sorted(map(invariant_part, read_rows(out)))
    assert rows["1"] == rows["2"]
    assert len(rows["1"]) == 3
    assert {row.provider for row in read_rows(out)} == {machines.provider}


def invariant_part(row: Row) -> tuple[str, str, float | None, int, str]:
    """The fields of a row that must not depend on the number of machines."""
    return row.task, row.fate, row.score, row.steps, row.reason
