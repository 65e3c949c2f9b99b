"""`ambidex init`: the suite that it makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from tests.support.commands import ambidex


def test_the_new_suite_is_well_formed_and_the_next_command_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "my suite"
    assert ambidex("init", folder) == 0
    assert f"ambidex check '{folder}'" in capsys.readouterr().out
    (task,) = load_suite(folder, read_catalogue()).tasks
    assert {oracle.by for oracle in task.spec.oracle} == {"tools", "gui"}
    assert len(task.spec.near_miss) == 1


def test_a_directory_that_holds_something_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").write_text("x")
    assert ambidex("init", tmp_path) == 2
    assert ambidex("init", tmp_path / "mine") == 2
    assert ambidex("init", "/proc/none") == 2
    assert "Traceback" not in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
