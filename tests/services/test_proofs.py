"""Tasks on services are proved, and each verdict is the same on forks of the machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.host.records.rows import read_rows
from ambidex.host.runs.machines import Source
from tests.support.commands import ambidex
from tests.support.proofs import IMAGE, prove


def test_a_task_is_proved_on_forks(
    machines: Source, provider: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prove("services", "database-overdue", 1, provider, tmp_path, capsys)


def test_a_task_that_a_program_judges_is_proved_on_forks(
    machines: Source, provider: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task = "postgres.standard.library.overdue_loans"
    prove("services-mcpmark", task, 2, provider, tmp_path, capsys)


def test_a_task_on_the_forge_is_solved_in_a_browser(
    machines: Source, provider: str, tmp_path: Path
) -> None:
    words = ["run", "tasks/services", "--tasks", "forge-changelog", "--condition", "gui"]
    machine = ["--agent", "oracle", "--provider", provider, "--image", IMAGE]
    assert ambidex(*words, *machine, "--out", tmp_path / "run") == 0
    (row,) = read_rows(tmp_path / "run")
    assert row.score == 1.0
    assert row.tool_calls == 0 < row.gui_calls
