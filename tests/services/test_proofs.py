"""Tasks on services are proved, and each verdict is the same on forks of the machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ambidex.host.runs.machines import Source
from tests.services.conftest import IMAGE
from tests.support.commands import ambidex

TASKS = {
    "services": "database-overdue",
    "services-mcpmark": "postgres.standard.library.overdue_loans",
}


@pytest.mark.parametrize("suite", TASKS)
def test_a_task_is_proved_on_forks(
    suite: str,
    machines: Source,
    provider: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["prove", f"tasks/{suite}", "--tasks", TASKS[suite], "--repeats", "2", "--json"]
    words += ["--provider", provider, "--image", IMAGE, "--out", str(tmp_path / "proof")]
    code = ambidex(*words)
    claims = json.loads(capsys.readouterr().out)
    assert code == 0, claims
    assert sorted(claim["score"] for claim in claims) == [0, 0, 1]
