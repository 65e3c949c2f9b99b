"""Tasks are proved on each provider: one of the demo suite on sandboxes, and one of the office
suite on virtual machines, which may be emulated.

tests/desktop/test_experiment.py solves other tasks of the demo suite, and `make demo` all of them;
`ambidex prove tasks/demo` proves them all. docs/vm-proofs.md has what else was proved on virtual
machines.
"""

import json
from pathlib import Path

from ambidex.host.runs.machines import Source
from tests.support.commands import SUITE, on_suite

OFFICE = SUITE.parent / "office"
PROVED = {
    "sandbox": (SUITE, ("calc-figures-to-report",)),
    "libvirt": (OFFICE, ("gnome-huge-text",)),
}


def test_oracles_score_1_and_doing_nothing_and_every_near_miss_score_0(
    machines: Source, tmp_path: Path
) -> None:
    suite, tasks = PROVED.get(machines.provider, PROVED["sandbox"])
    given = [word for task in tasks for word in ("--tasks", task)]
    arguments = (*given, "--machines", "2", "--json")
    process = on_suite(suite, machines, "prove", tmp_path / "run", *arguments)
    assert process.returncode == 0, process.stdout + process.stderr
    claims = json.loads(process.stdout)
    assert {claim["task"] for claim in claims} == set(tasks)
    assert all(claim["holds"] for claim in claims)
    assert {claim["expected"] for claim in claims} == {0.0, 1.0}
