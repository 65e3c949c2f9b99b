"""The stand-ins and the oracles fit the tasks they are for: no desktop."""

from pathlib import Path

import pytest

from ambidex.tasks.osworld.annotations import read_notes
from ambidex.tasks.osworld.assets import AssetStore, dataset_path
from ambidex.tasks.osworld.suite import Selection, survey
from ambidex.tasks.osworld.task import OSWorldBody
from tests.osworld.standins import ORACLES, OWN, STANDINS, write
from tests.served import CATALOGUE
from tests.tasks.osworld import OSWORLD, needs_osworld


@pytest.mark.parametrize("notes", [ORACLES, OWN], ids=lambda path: path.name)
@needs_osworld
def test_every_oracle_is_of_a_task_and_made_of_calls_that_the_tools_take(notes: Path) -> None:
    tasks = read_notes(notes).tasks
    assert all(note.oracle for note in tasks.values())
    found = survey(OSWORLD, CATALOGUE, Selection(tuple(tasks), annotations=notes))
    assert {each.name for each in found} == tasks.keys()
    assert [str(problem) for each in found for problem in each.problems] == []


def test_every_task_with_stand_ins_has_an_oracle() -> None:
    assert read_notes(ORACLES).tasks.keys() == STANDINS.keys()


@needs_osworld
def test_the_files_of_those_tasks_are_all_made_and_no_others(tmp_path: Path) -> None:
    store = AssetStore(tmp_path / "store")
    for found in survey(OSWORLD, CATALOGUE, Selection(tuple(STANDINS)), store):
        assert found.task is not None
        assert isinstance(found.task.body, OSWorldBody)
        named = {Path(dataset_path(url)).name for url in found.task.body.urls}
        assert named == STANDINS[found.name].keys(), found.name
    write(OSWORLD, tmp_path / "data")
    assert all(path.stat().st_size for path in (tmp_path / "data").rglob("*") if path.is_file())


@needs_osworld
def test_a_task_without_files_has_an_oracle_without_them() -> None:
    for found in survey(OSWORLD, CATALOGUE, Selection(tuple(read_notes(OWN).tasks))):
        assert found.why_not == "", found.name
