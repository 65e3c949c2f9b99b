"""Checks of the office suite that need no machine; `ambidex prove` does the rest."""

from __future__ import annotations

import runpy
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from ambidex.tasks import Suite, Task, is_gui, verbs_of
from ambidex.tasks.difficulty import derived_difficulty
from ambidex.tasks.load import load_suite
from ambidex.tasks.spec import ChangesCollect, Check, Put, TaskSpec
from tests.support.served import CATALOGUE

ROOT = Path(__file__).resolve().parents[2]
OFFICE = ROOT / "tasks" / "office"
NAMES = sorted(path.parent.name for path in OFFICE.glob("*/task.toml"))
COUNTS = {
    "calc": 13, "writer": 8, "impress": 7, "files": 6, "terminal": 2, "code": 7, "chrome": 7,
    "vlc": 4, "gnome": 4, "several": 10,
}  # fmt: skip
"""Tasks of each application; those of several applications are counted apart."""
LARGEST = 3 * 1024 * 1024
"""Bytes of the files of one task."""


@pytest.fixture(scope="module")
def office() -> Suite:
    return load_suite(OFFICE, CATALOGUE)


@pytest.fixture(params=NAMES)
def task(office: Suite, request: pytest.FixtureRequest) -> Task:
    return next(item for item in office.tasks if item.name == request.param)


def spec_of(task: Task) -> TaskSpec:
    return verbs_of(task).spec


def test_the_suite_covers_its_applications_and_kinds_of_task(office: Suite) -> None:
    tasks = office.tasks
    apps = Counter("several" if len(one.spec.apps) > 1 else one.spec.apps[0] for one in tasks)
    assert apps == COUNTS
    assert 36 <= sum(one.spec.tool_beneficial for one in tasks) <= 48
    assert sum(not one.spec.feasible for one in tasks) >= 6
    assert sum("answer.states" in _uses(one) for one in tasks) >= 8
    calls = [max(len(o.calls) for o in one.spec.oracle if o.by == "tools") for one in tasks]
    assert sum(count >= 12 for count in calls) >= 8


def test_a_task_is_proved_on_both_hands_or_says_why_not(task: Task) -> None:
    by = {oracle.by for oracle in task.spec.oracle}
    assert by == {"tools", "gui"} or (by == {"tools"} and spec_of(task).no_gui_oracle)


def test_a_gui_oracle_uses_mouse_and_keyboard_only(task: Task) -> None:
    for instance in task.instances:
        for oracle in instance.spec.oracle:
            if oracle.by == "gui":
                assert all(is_gui(CATALOGUE[call.call].app) for call in oracle.calls)


def test_a_task_has_two_near_misses_that_end_otherwise_than_its_oracles(task: Task) -> None:
    assert len(task.spec.near_miss) >= 2
    for instance in task.instances:
        misses = [(miss.calls, miss.stop, miss.answer) for miss in instance.spec.near_miss]
        rights = [(o.calls, o.stop, o.answer) for o in instance.spec.oracle]
        assert all(miss not in rights for miss in misses)
        assert all(miss not in misses[at + 1 :] for at, miss in enumerate(misses))


def test_the_difficulty_that_a_task_states_is_the_one_that_its_oracles_give(task: Task) -> None:
    derived = {derived_difficulty(instance.spec) for instance in task.instances}
    assert derived == {task.spec.difficulty}


def test_a_task_looks_at_everything_that_changed(task: Task) -> None:
    assert any(isinstance(item, ChangesCollect) for item in spec_of(task).collect)
    assert "changes.only" in _uses(task) or not task.spec.feasible


def test_the_instances_of_a_task_differ(task: Task) -> None:
    assert len(task.instances) >= 3 or not (OFFICE / task.name / "instances.toml").is_file()
    checks = [str(verbs_of(instance).spec.model_dump()) for instance in task.instances]
    assert len(set(checks)) == len(checks)


def test_an_instruction_tells_the_situation_in_several_sentences(task: Task) -> None:
    for instance in task.instances:
        text = instance.spec.instruction
        assert text.count(".") + text.count("?") >= 3
        assert len(text) > 200


def test_nothing_collected_scores_0(task: Task, tmp_path: Path) -> None:
    if task.spec.feasible:
        assert task.body.judge(tmp_path).score.value == 0


def test_every_file_of_a_task_is_used_and_small(task: Task) -> None:
    folder = verbs_of(task).folder
    used = {
        step.put
        for instance in task.instances
        for step in verbs_of(instance).spec.setup
        if isinstance(step, Put)
    }
    used |= {text for instance in task.instances for text in _texts(spec_of(instance).check)}
    known = {"task.toml", "instances.toml", "make.py"}
    files = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert files - used == known & files
    assert sum((folder / name).stat().st_size for name in files) < LARGEST


def _texts(checks: list[Check]) -> Iterator[str]:
    """All texts among the arguments of checks: some name files of the task."""
    left: list[object] = [check.with_ for check in checks]
    while left:
        match left.pop():
            case str() as text:
                yield text
            case list() as items:
                left += items
            case dict() as table:
                left += table.values()


def _uses(task: Task) -> set[str]:
    return {check.use for check in spec_of(task).check}


def test_the_page_about_the_suite_is_up_to_date() -> None:
    module = runpy.run_path(str(ROOT / "docs" / "office.py"))
    assert (ROOT / "docs" / "office.md").read_text(encoding="utf-8") == module["page"](), (
        "run `python docs/office.py > docs/office.md`"
    )
