"""Every use of the metrics on tables, texts and documents in OSWorld's own tasks.

The task files are data beside the repository; without them these tests skip and say so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from ambidex.evaluators.osworld.registry import bind_metric
from tests.evaluators.osworld.test_metric_cases import METRICS

SHARED = Path(__file__).parents[3].parent / "shared" / "osworld"
RULES = {"rule", "rule_relativeTime"}
"""Getters whose value is written in the task itself."""


@dataclass(frozen=True)
class Use:
    task: str
    metric: str
    options: dict[str, Any]
    expected: dict[str, Any]


@pytest.fixture(scope="module")
def uses() -> list[Use]:
    if not SHARED.is_dir():
        pytest.skip(f"OSWorld's task files are not at {SHARED}")
    result = [use for path in sorted((SHARED / "examples").rglob("*.json")) for use in _uses(path)]
    index = json.loads((SHARED / "task_index.json").read_text())
    listed = sum(name in METRICS for task in index for name in task["metrics"])
    assert len(result) == listed
    return result


def _uses(path: Path) -> Iterator[Use]:
    asked = json.loads(path.read_text())["evaluator"]
    several = isinstance(asked["func"], list)
    names = asked["func"] if several else [asked["func"]]
    for number, name in enumerate(names):
        if name not in METRICS:
            continue
        parts = [asked.get(key) for key in ("options", "expected")]
        options, expected = ((part[number] if several and part else part) for part in parts)
        yield Use(f"{path.parent.name}/{path.stem[:8]}", name, options or {}, expected or {})


def test_every_use_binds_and_its_rules_are_well_formed(uses: list[Use]) -> None:
    failed = []
    for use in uses:
        try:
            bound = bind_metric(use.metric, use.options)
            if use.expected.get("type") in RULES:
                bound.check_expected(use.expected["rules"])
        except ValueError as error:
            failed.append(f"{use.task}: {error}")
    assert len(uses) > 100
    assert not failed


def test_unread_options_are_the_known_ones(uses: list[Use]) -> None:
    unread = {
        (use.task, use.metric, name)
        for use in uses
        for name in bind_metric(use.metric, use.options).unread
    }
    assert unread == set()


def test_all_keys_of_compare_table_rules_are_read(uses: list[Use]) -> None:
    unread = {
        (use.task, name)
        for use in uses
        if use.metric == "compare_table"
        for rule in bind_metric(use.metric, use.options).options["rules"]
        for name in _beyond(rule)
    }
    assert unread == set()


def _beyond(rule: BaseModel) -> Iterator[str]:
    yield from rule.model_extra or {}
    for name in type(rule).model_fields:
        value = getattr(rule, name)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, BaseModel):
                yield from _beyond(item)
