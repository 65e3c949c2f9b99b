"""Instances of a task: placeholders, values, and what is refused at load."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.tasks import TaskError, instances_by_name, verbs_of
from ambidex.tasks.instances import NAME
from ambidex.tasks.load import load_suite
from ambidex.tasks.spec import Put
from tests.support.peer import CATALOGUE
from tests.support.suites import CELLS, CELLS_VALUES, write_instances, write_suite
from tests.support.tables import every_case


def problems(folder: Path) -> list[str]:
    with pytest.raises(TaskError) as caught:
        load_suite(folder, CATALOGUE)
    return [str(problem).removeprefix(f"{folder}/") for problem in caught.value.problems]


def test_each_instance_has_its_own_values_with_their_types(tmp_path: Path) -> None:
    suite = load_suite(write_instances(tmp_path / "suite", cell=(CELLS, CELLS_VALUES)), CATALOGUE)
    [task] = suite.tasks
    assert [one.instance for one in task.instances] == [1, 2, 3]
    assert [one.spec.instruction for one in task.instances] == [
        "Set B2 to 42 and save, Ada.",
        "Set B2 to 43 and save, Grace.",
        "Set B2 to 44 and save, Mary.",
    ]
    third = task.at_instance(3)
    assert third.spec.oracle[0].calls[0].with_ == {"cell": "B2", "value": 44}
    first_step = verbs_of(third).spec.setup[0]
    assert isinstance(first_step, Put)
    assert first_step.put == "3/start.json"
    assert {one.hash for one in task.instances} == {task.hash}


def test_the_instances_of_a_task_take_turns(tmp_path: Path) -> None:
    suite = load_suite(write_instances(tmp_path / "suite", cell=(CELLS, CELLS_VALUES)), CATALOGUE)
    [task] = suite.tasks
    assert [task.of_trial(trial).instance for trial in (1, 2, 3, 4, 7)] == [1, 2, 3, 1, 1]
    assert list(instances_by_name([task])) == ["cell", "cell@2", "cell@3"]
    with pytest.raises(TaskError, match="no instance 4: the task has 3"):
        task.at_instance(4)


def test_the_check_of_an_instance_expects_its_value(tmp_path: Path) -> None:
    suite = load_suite(write_instances(tmp_path / "suite", cell=(CELLS, CELLS_VALUES)), CATALOGUE)
    (tmp_path / "cells.json").write_text('{"B2": 43}')
    scores = [one.body.judge(tmp_path).score.value for one in suite.tasks[0].instances]
    assert scores == [0, 1, 0]


def test_a_value_may_hold_a_table_and_braces_of_its_own(tmp_path: Path) -> None:
    text = CELLS.replace("fields = { B2 = '{{value}}' }", "fields = '{{fields}}'").replace(
        "Set B2", "Set {{braces}}"
    )
    values = """
[[instance]]
value = 42
person = "Ada"
fields = { B2 = 42, C2 = 2.5 }
braces = "{{value}}"
"""
    suite = load_suite(write_instances(tmp_path / "suite", cell=(text, values)), CATALOGUE)
    [task] = suite.tasks
    assert verbs_of(task).spec.check[0].with_["fields"] == {"B2": 42, "C2": 2.5}
    assert task.spec.instruction == "Set {{value}} to 42 and save, Ada."


def test_a_text_between_two_placeholders_is_not_a_name(tmp_path: Path) -> None:
    text = CELLS.replace("Set B2 to {{value}} and save, {{person}}.", "{{value}} for {{person}}")
    suite = load_suite(write_instances(tmp_path / "suite", cell=(text, CELLS_VALUES)), CATALOGUE)
    assert suite.tasks[0].spec.instruction == "42 for Ada"


def test_without_instances_braces_stand_for_themselves(tmp_path: Path) -> None:
    [task] = load_suite(write_suite(tmp_path / "suite", cell=CELLS_LITERAL), CATALOGUE).tasks
    assert task.spec.instruction == "Set B2 to {{value}}."
    assert task.instances == (task,)


CELLS_LITERAL = """
instruction = "Set B2 to {{value}}."
tool_beneficial = false
feasible = false
"""


@every_case(
    ("old", "new", "expected"),
    [
        (
            "{{person}}",
            "{{persn}}",
            "cell/task.toml: instruction: unknown placeholder 'persn'; did you mean person?",
        ),
        (
            'apps = ["calc"]',
            'apps = ["{{person}}"]',
            "cell/task.toml: apps[0]: holds for all instances, so it cannot have placeholders",
        ),
        (
            "fields = { B2 = '{{value}}' }",
            "fields = { '{{person}}' = 1 }",
            "cell/task.toml: check[0].with.fields.{{person}}: a key cannot be a placeholder",
        ),
        (
            "put = '{{instance}}/start.json'",
            "put = '{{value}}/start.json'",
            "cell/task.toml: setup[0].put: no file '42/start.json' in the task's directory "
            "(instance 1)",
        ),
        (
            "value = '{{value}}' }",
            "value = '{{value}}', at = 1 }",
            "cell/task.toml: oracle[0].calls[0].with: calc_set_cell_value: Additional",
        ),
    ],
)
def test_a_wrong_placeholder_is_named(tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert old in CELLS
    folder = write_instances(tmp_path / "suite", cell=(CELLS.replace(old, new, 1), CELLS_VALUES))
    messages = problems(folder)
    assert any(message.startswith(expected) for message in messages), messages


@every_case(
    ("old", "new", "expected"),
    [
        (
            'person = "Grace"',
            "",
            "cell/task.toml: instruction: no value for 'person' in instances.toml (instance 2)",
        ),
        (
            'person = "Grace"',
            "person = [1]",
            "cell/task.toml: instruction: 'person' is neither text nor a number, so it must be the "
            "whole text (instance 2)",
        ),
        (
            'person = "Grace"',
            'person = "Grace"\nplace = "Turin"',
            "cell/instances.toml: place: no placeholder in task.toml uses this value",
        ),
        (
            'person = "Grace"',
            'Person = "Grace"',
            "cell/instances.toml: instance[1].Person: a name consists of small letters",
        ),
        (
            'person = "Grace"',
            "instance = 7",
            "cell/instances.toml: instance[1].instance: this name stands for the number",
        ),
        ("[[instance]]", "[[instances]]", "cell/instances.toml: must hold a table [[instance]]"),
        ("value = 43", "value = ", "cell/instances.toml: not TOML"),
        (
            "value = 43",
            "value = { B2 = 43 }",
            "cell/task.toml: instruction: 'value' is neither text nor a number",
        ),
    ],
)
def test_a_wrong_value_is_named(tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert old in CELLS_VALUES
    values = CELLS_VALUES.replace(old, new, 1)
    messages = problems(write_instances(tmp_path / "suite", cell=(CELLS, values)))
    assert any(message.startswith(expected) for message in messages), messages


def test_a_problem_of_all_instances_is_reported_once(tmp_path: Path) -> None:
    text = CELLS.replace("calc_save", "calc_sav")
    messages = problems(write_instances(tmp_path / "suite", cell=(text, CELLS_VALUES)))
    assert messages == [
        "cell/task.toml: useful_tools[1]: no tool 'calc_sav'; did you mean calc_save?",
        "cell/task.toml: oracle[0].calls[1].call: no tool 'calc_sav'; did you mean calc_save?",
    ]


def test_all_instances_are_proved_by_equally_many_solutions(tmp_path: Path) -> None:
    text = CELLS.replace("[[near_miss]]", "near_miss = '{{misses}}'\n[[ignored]]")
    values = '[[instance]]\nvalue = 1\nperson = "A"\nmisses = []\n'
    values += '[[instance]]\nvalue = 2\nperson = "B"\nmisses = [{ reason = "x", calls = [] }]\n'
    top, _, rest = text.partition("\n[[oracle]]")
    oracle, _, _ = rest.partition("near_miss =")
    text = f"near_miss = '{{{{misses}}}}'\n{top}\n[[oracle]]{oracle}"
    messages = problems(write_instances(tmp_path / "suite", cell=(text, values)))
    assert messages == [
        "cell/task.toml: every instance must have equally many oracles and near misses"
    ]


def test_the_hash_of_a_task_covers_its_instances(tmp_path: Path) -> None:
    folder = write_instances(tmp_path / "suite", cell=(CELLS, CELLS_VALUES))
    [before] = load_suite(folder, CATALOGUE).tasks
    (folder / "cell" / NAME).write_text(CELLS_VALUES.replace("Mary", "Marie"), encoding="utf-8")
    assert load_suite(folder, CATALOGUE).tasks[0].hash != before.hash
