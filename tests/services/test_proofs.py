"""Tasks on services are proved, and each verdict is the same on forks of the machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.host.runs.machines import Source
from tests.support.proofs import prove


def test_a_task_is_proved_on_forks(
    machines: Source, provider: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prove("services", "database-overdue", 2, provider, tmp_path, capsys)


def test_a_task_that_a_program_judges_is_proved_on_forks(
    machines: Source, provider: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task = "postgres.standard.library.overdue_loans"
    prove("services-mcpmark", task, 2, provider, tmp_path, capsys)
