"""Rows do not depend on the number of machines."""

from pathlib import Path

from ambidex.host.records.rows import Row, read_rows
from ambidex.host.runs.machines import Source
from tests.support.commands import demo


def test_two_machines_give_the_same_rows_as_one(machines: Source, tmp_path: Path) -> None:
    tasks = ("--tasks", "gnome-evening", "music-to-cd", "terminal-relay-setup")
    rows = {}
    for count in ("1", "2"):
        out = tmp_path / count
        process = demo(machines, "run", out, *tasks, "--machines", count)
        assert process.returncode == 0, process.stderr
        rows[count] = sorted(map(invariant_part, read_rows(out)))
    assert rows["1"] == rows["2"]
    assert len(rows["1"]) == 3
    assert {row.provider for row in read_rows(out)} == {machines.provider}


def invariant_part(row: Row) -> tuple[str, str, float | None, int, str]:
    """The fields of a row that must not depend on the number of machines."""
    return row.task, row.fate, row.score, row.steps, row.reason
