"""Services in a virtual machine, where they are systemd units."""

from __future__ import annotations

from pathlib import Path

from ambidex.host.errors import MachineError
from ambidex.host.records.rows import read_rows
from ambidex.vm.building.image import find_base
from tests.conftest import without
from tests.support.commands import ambidex
from tests.support.proofs import IMAGE


def test_the_oracle_solves_a_task_on_a_service(provider: str, tmp_path: Path) -> None:
    try:
        find_base(IMAGE)
    except MachineError as error:
        without(str(error))
    words = ["run", "tasks/services", "--tasks", "database-overdue", "--agent", "oracle"]
    machine = ["--provider", provider, "--image", IMAGE]
    assert ambidex(*words, *machine, "--out", tmp_path / "run") == 0
    assert [row.score for row in read_rows(tmp_path / "run")] == [1.0]
