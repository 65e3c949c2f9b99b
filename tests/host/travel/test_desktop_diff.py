"""Differences between two desktops, and a task that checks what else changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ambidex.host.client.guest import Guest
from ambidex.host.client.survey import Change, changes
from ambidex.host.errors import StageError
from ambidex.host.loop.stage import set_stage
from ambidex.host.travel.desktop_diff import desktop_diff
from ambidex.tasks import Suite
from ambidex.tasks.load import load_suite
from tests.host.loop.test_interim_verdicts import Plays
from tests.support.peer import CATALOGUE, TOKEN, Desktop, PeerMachine, peer
from tests.support.suites import config_of, run_in, write_suite
from tests.support.tables import every_case

TASK = """
instruction = "Set B2 to 42, save, and change nothing else."
tool_beneficial = true
useful_tools = ["calc_set_cell_value"]
setup = [{ call = "calc_set_cell_value", with = { cell = "A1", value = 1 } }]
collect = [{ changes = "changes.json" }]

[[check]]
use = "changes.only"
with = { file = "changes.json", files = ["~/cells.json"], settings = ["org.cells B2"] }
"""


def kept(machine: PeerMachine, folder: Path, **said: Any) -> Path:
    """A desktop with these fields, kept as a step."""
    machine.boot()
    for name, value in said.items():
        setattr(machine.desktops[-1], name, value)
    machine.snapshot(folder)
    return folder


def test_two_checkpoints_are_compared_by_files_settings_windows_and_contents(
    tmp_path: Path,
) -> None:
    machine = PeerMachine()
    then = kept(
        machine,
        tmp_path / "1",
        files={"/home/user/list.txt": b"milk\nbread\n", "~/old.txt": b"x", "/tmp/.X1-lock": b"1"},
        windows=["Desktop", "List"],
        cells={"A1": 1},
    )
    now = kept(
        machine,
        tmp_path / "2",
        files={
            "/home/user/list.txt": b"milk\neggs\nbread\n",
            "~/new.txt": b"y",
            "/tmp/.X1-lock": b"2",
        },
        windows=["Desktop", "List (changed)", "Help"],
        cells={"A1": 2},
    )
    assert [str(each) for each in desktop_diff(machine, then, now)] == [
        "file /home/user/list.txt: changed",
        "file /home/user/new.txt: made",
        "file /home/user/old.txt: gone",
        "setting org.cells A1: 1 -> 2",
        "window window 1: List -> List (changed)",
        "window window 2: made: Help",
        "document /home/user/list.txt: [1] nothing before, 'eggs' after",
    ]
    assert machine.reverts[-3:] == [then, now, then]
    machine.close()


@every_case("name", ["a.json", "a.xlsx", "a.docx", "a.odt", "a.txt"])
def test_a_document_that_cannot_be_read_is_a_changed_file_and_no_error(
    tmp_path: Path, name: str
) -> None:
    machine, path = PeerMachine(), f"/home/user/{name}"
    then = kept(machine, tmp_path / "1", files={path: b"[" * 9000})
    now = kept(machine, tmp_path / "2", files={path: b"PK\3\4\xff"})
    assert str(desktop_diff(machine, then, now)[0]) == f"file {path}: changed"
    machine.close()


def test_the_same_desktop_has_no_differences(tmp_path: Path) -> None:
    machine = PeerMachine()
    place = kept(machine, tmp_path / "1", files={"~/a.txt": b"a"})
    assert desktop_diff(machine, place, place) == []
    machine.close()


def test_what_the_session_writes_by_itself_is_no_change() -> None:
    files = {
        "/home/user/.xsession-errors": "2",
        "/home/user/.config/GNOME-xdg-terminals.list": "2",
        "/home/user/.bash_history": "2",
        "/home/user/.bashrc": "2",
    }
    settings = {
        "org.gnome.gnome-panel.run-dialog history": "['ls']",
        "org.gtk.Settings.FileChooser window-size": "(1, 2)",
        "org.gnome.gnome-panel.run-dialog show-program-list": "true",
    }
    after = {"files": files, "settings": settings}
    before = {part: dict.fromkeys(names, "1") for part, names in after.items()}
    assert changes(before, after) == [
        Change("file", "/home/user/.bashrc", "changed"),
        Change("setting", "org.gnome.gnome-panel.run-dialog show-program-list", "1 -> true"),
    ]


def test_a_part_that_was_not_surveyed_has_no_changes() -> None:
    before: Mapping[str, Mapping[str, str]] = {"settings": {"a b": "1"}}
    after = {"settings": {"a b": "2"}, "windows": {"w 1": "new"}}
    assert changes(before, after) == [Change("setting", "a b", "1 -> 2")]


@pytest.fixture
def careful(tmp_path: Path) -> Suite:
    return load_suite(write_suite(tmp_path / "suite", cell=TASK), CATALOGUE)


@pytest.mark.parametrize(("cell", "score"), [("B2", 1.0), ("C3", 0.0)])
def test_a_task_can_ask_that_nothing_else_was_changed(
    tmp_path: Path, careful: Suite, cell: str, score: float
) -> None:
    class Sets(Plays):
        CALLS = (("calc_set_cell_value", {"cell": cell, "value": 42}), ("calc_save", {}))

    [row] = run_in(tmp_path / "run", careful, config_of(careful), make_agent=Sets)
    assert (row.fate, row.score) == ("scored", score), row.failure
    if not score:
        assert "setting org.cells C3: None -> 42" in row.reason
    said = json.loads((tmp_path / "run" / "cell.1" / "evidence" / "changes.json").read_text())
    assert said["home"] == "/home/user"
    assert {each["what"] for each in said["changes"]} >= {"/home/user/cells.json"}


def test_changes_cannot_be_collected_without_a_survey_at_setup(careful: Suite) -> None:
    with (
        peer(Desktop()) as (endpoint, _),
        Guest(endpoint, TOKEN) as guest,
        pytest.raises(StageError, match="no directory for the first survey"),
    ):
        set_stage(careful.tasks[0], guest)
