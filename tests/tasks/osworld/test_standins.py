"""The stand-ins and the oracles fit their tasks; no desktop is needed."""

from pathlib import Path

import pytest

from ambidex.tasks.assets import AssetStore, dataset_path
from ambidex.tasks.osworld.annotations import read_notes
from ambidex.tasks.osworld.suite import survey
from ambidex.tasks.osworld.task import OSWorldBody
from ambidex.tasks.survey import Selection
from tests.support.osworld import OSWORLD, needs_osworld
from tests.support.served import CATALOGUE
from tests.tasks.osworld.standins import ORACLES, OWN, STANDINS, write


@pytest.mark.parametrize("notes", [ORACLES, OWN], ids=lambda path: path.name)
@needs_osworld
def test_every_oracle_belongs_to_a_task_and_has_valid_calls(notes: Path) -> None:
    tasks = read_notes(notes).tasks
    assert all(note.oracle for note in tasks.values())
    tasks_ = survey(OSWORLD, CATALOGUE, Selection(tuple(tasks), annotations=notes))
    assert {task_.name for task_ in tasks_} == tasks.keys()
    assert [str(problem) for task_ in tasks_ for problem in task_.problems] == []


def test_every_task_with_stand_ins_has_an_oracle() -> None:
    assert read_notes(ORACLES).tasks.keys() == STANDINS.keys()


@needs_osworld
def test_exactly_the_files_of_those_tasks_are_made(tmp_path: Path) -> None:
    store = AssetStore(tmp_path / "store")
    for tasks_ in survey(OSWORLD, CATALOGUE, Selection(tuple(STANDINS)), store):
        assert tasks_.task is not None
        assert isinstance(tasks_.task.body, OSWorldBody)
        named = {Path(dataset_path(url)).name for url in tasks_.task.body.urls}
        assert named == STANDINS[tasks_.name].keys(), tasks_.name
    write(OSWORLD, tmp_path / "data")
    assert all(path.stat().st_size for path in (tmp_path / "data").rglob("*") if path.is_file())


@needs_osworld
def test_a_task_without_files_has_an_oracle_without_files() -> None:
    for tasks_ in survey(OSWORLD, CATALOGUE, Selection(tuple(read_notes(OWN).tasks))):
        assert tasks_.why_not == "", tasks_.name
