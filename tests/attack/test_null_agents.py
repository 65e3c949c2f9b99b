"""Null agents on a real desktop: they can act, and score 0."""

from __future__ import annotations

from pathlib import Path

from ambidex.host.records.rows import read_rows
from ambidex.host.runs.machines import Source
from tests.support.commands import SUITE, on_suite

AGENTS = ("save_everything", "file_seeker", "tamperer")


def test_agents_that_act_without_doing_the_task_score_nothing(
    machines: Source, tmp_path: Path
) -> None:
    arguments = ("--tasks", "calc-freeze-header", "--agents", *AGENTS)
    process = on_suite(SUITE, machines, "null", tmp_path / "null", *arguments)
    assert process.returncode == 0, process.stdout + process.stderr
    rows = {row.agent: row for row in read_rows(tmp_path / "null") if row.fate == "scored"}
    assert {agent: row.score for agent, row in rows.items()} == dict.fromkeys(AGENTS, 0.0)
    for agent in ("save_everything", "file_seeker"):
        failed = [call.tool for call in rows[agent].calls if call.errors]
        assert failed == [], f"{agent} could not act"
    # The last script of the tamperer kills the workers that serve its calls.
    called = {call.tool for call in rows["tamperer"].calls}
    assert {"files_write_text", "os_open_shell", "computer_type"} <= called
