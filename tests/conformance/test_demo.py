"""The demo suite is proved on each provider."""

import json
from pathlib import Path

from ambidex.host.runs.machines import Source
from tests.support.commands import SUITE, demo

ALL_TASKS = tuple(path.parent.name for path in sorted(SUITE.glob("*/task.toml")))
PROVEN = {
    "sandbox": ALL_TASKS,
    "libvirt": ("gnome-evening",),
}
"""The tasks proved on each provider.

Virtual machines may be emulated, so they prove one task in both modalities, on two machines: one
that loads no office document. `make demo` runs all tasks, and sandboxes prove all of them.
"""


def test_oracles_score_1_and_doing_nothing_and_every_near_miss_score_0(
    machines: Source, tmp_path: Path
) -> None:
    proven = PROVEN[machines.provider]
    arguments = ("--tasks", *proven, "--machines", "2", "--json")
    process = demo(machines, "prove", tmp_path / "run", *arguments)
    assert process.returncode == 0, process.stdout + process.stderr
    claims = json.loads(process.stdout)
    assert {claim["task"] for claim in claims} == set(proven)
    assert all(claim["holds"] for claim in claims)
    assert {claim["expected"] for claim in claims} == {0.0, 1.0}
