"""Services in a virtual machine: their systemd units, forks with their memory, another clock."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.host.errors import MachineError
from ambidex.vm.building.image import find_base
from tests.conftest import without
from tests.support.proofs import IMAGE, prove


def test_a_task_that_a_program_judges_is_proved_also_a_year_on(
    provider: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        find_base(IMAGE)
    except MachineError as error:
        without(str(error))
    task = "postgres.standard.library.overdue_loans"
    prove("services-mcpmark", task, 1, provider, tmp_path, capsys)
