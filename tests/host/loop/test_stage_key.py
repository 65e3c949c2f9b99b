"""What distinguishes stages: each thing that a setup depends on changes the key."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from ambidex.host.loop.stage_key import StageKey, stage_key
from ambidex.host.records.config import RunConfig
from ambidex.tasks import Suite, Task
from ambidex.tasks.load import load_suite
from tests.support.peer import CATALOGUE
from tests.support.suites import config_of

DAY = date(2026, 11, 26)
Arguments = tuple[Task, RunConfig, str, str, str, date]


def arguments(suite: Suite) -> Arguments:
    config = config_of(suite, provider="libvirt", image="debian-12:4", catalogue="5")
    return suite.tasks[0], config, "base", "code", "environment", DAY


def with_config(**fields: object) -> Callable[[Arguments], Arguments]:
    def change(given: Arguments) -> Arguments:
        return given[0], given[1].model_copy(update=fields), *given[2:]

    return change


def with_argument(index: int, value: Any) -> Callable[[Arguments], Arguments]:
    def change(given: Arguments) -> Arguments:
        return (*given[:index], value, *given[index + 1 :])

    return change


def with_task(**fields: object) -> Callable[[Arguments], Arguments]:
    def change(given: Arguments) -> Arguments:
        return dataclasses.replace(given[0], **fields), *given[1:]  # type: ignore[arg-type]

    return change


INGREDIENTS = {
    "task": with_task(name="another"),
    "task_hash": with_task(hash="another"),
    "instance": with_task(instance=2),
    "code": with_argument(3, "another"),
    "environment": with_argument(4, "another"),
    "provider": with_config(provider="another"),
    "image": with_config(image="debian-12:another"),
    "base": with_argument(2, "another"),
    "catalogue": with_config(catalogue="another"),
    "literal_sleeps": with_config(literal_sleeps=True),
    "day": with_argument(5, date(2026, 11, 27)),
}


@pytest.mark.parametrize("ingredient", INGREDIENTS)
def test_each_thing_that_a_setup_depends_on_changes_the_key(suite: Suite, ingredient: str) -> None:
    given = arguments(suite)
    before, after = stage_key(*given), stage_key(*INGREDIENTS[ingredient](given))
    assert before == stage_key(*given)
    changed = [
        field.name
        for field in dataclasses.fields(StageKey)
        if getattr(before, field.name) != getattr(after, field.name)
    ]
    assert changed == [ingredient]
    assert before.name != after.name


def test_the_benchmark_s_files_change_the_key_and_nothing_is_left_untested(suite: Suite) -> None:
    key = stage_key(*arguments(suite))
    assert dataclasses.replace(key, assets="another").name != key.name
    assert {field.name for field in dataclasses.fields(StageKey)} == {*INGREDIENTS, "assets"}


def test_setup_and_files_of_a_task_change_its_hash(suite: Suite) -> None:
    before = stage_key(*arguments(suite))
    (suite.folder / "cell" / "start.json").write_text("[]")
    after = stage_key(*arguments(load_suite(suite.folder, CATALOGUE)))
    assert before.task_hash != after.task_hash


@pytest.mark.parametrize(
    "fields",
    [{"seed": 7}, {"condition": "gui"}, {"agents": ("oracle",)}, {"runs": 9}, {"settle": 1.0}],
    ids=str,
)
def test_what_comes_after_setup_does_not_change_the_key(
    suite: Suite, fields: dict[str, object]
) -> None:
    given = arguments(suite)
    assert stage_key(*given) == stage_key(*with_config(**fields)(given))
