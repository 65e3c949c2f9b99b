"""Services in a virtual machine, where they are systemd units."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.host.errors import MachineError
from ambidex.vm.building.image import find_base
from tests.conftest import without
from tests.support.proofs import IMAGE, prove


def test_a_task_on_a_service_is_proved(
    provider: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        find_base(IMAGE)
    except MachineError as error:
        without(str(error))
    prove("services", "database-overdue", 0, provider, tmp_path, capsys)
