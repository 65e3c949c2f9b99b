"""Uses of the metrics on pictures, media, slides and applications in OSWorld's tasks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ambidex.evaluators.osworld.registry import bind_metric, metrics
from tests.evaluators.osworld import (
    test_apps,
    test_browser,
    test_decks,
    test_desktop,
    test_mail,
    test_media,
    test_pictures,
    test_slides,
)

SHARED = Path(__file__).parents[3].parent / "shared" / "osworld"
TRIED = (
    test_apps, test_browser, test_decks, test_desktop, test_mail, test_media, test_pictures,
    test_slides,
)  # fmt: skip
MODULES = {module for each in TRIED for module in each.MODULES}
RULES = ("rule", "rule_relativeTime")
UNREAD: dict[tuple[str, str], tuple[str, ...]] = {}
"""Options that a task sets and the metric never reads, by task and metric."""

needs_tasks = pytest.mark.skipif(
    not SHARED.is_dir(), reason="OSWorld's task files (../shared/osworld) are not here"
)


def names() -> set[str]:
    return {
        name
        for name, item in metrics().items()
        if item.function.__module__.rpartition(".")[2] in MODULES
    }


def uses() -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    """Task, metric, options and expected getter of every use of these metrics."""
    for path in sorted((SHARED / "examples").glob("*/*.json")):
        asked = json.loads(path.read_text())["evaluator"]
        several = isinstance(asked["func"], list)
        functions = asked["func"] if several else [asked["func"]]
        for place, name in enumerate(functions):
            options, expected = (
                (asked.get(key) or [None] * len(functions))[place] if several else asked.get(key)
                for key in ("options", "expected")
            )
            if name in names():
                yield f"{path.parent.name}/{path.stem[:8]}", name, options or {}, expected or {}


@needs_tasks
def test_every_use_binds_and_unread_options_are_listed() -> None:
    failures, unread = [], {}
    for task, name, options, expected in uses():
        try:
            bound = bind_metric(name, options)
            if expected.get("type") in RULES:
                bound.check_expected(expected["rules"])
        except ValueError as error:
            failures.append(f"{task}: {error}")
        else:
            if bound.unread:
                unread[task, name] = bound.unread
            assert (bound.metric.expected is None) <= (not expected), (
                f"{task} compares with nothing"
            )
    assert failures == []
    assert unread == UNREAD


@needs_tasks
def test_the_uses_agree_with_the_index() -> None:
    index = json.loads((SHARED / "task_index.json").read_text())
    indexed = Counter(name for task in index for name in task["metrics"] if name in names())
    assert Counter(name for _, name, _, _ in uses()) == indexed
    assert indexed.total() > 150


def test_the_metrics_of_these_modules_are_sixty_six() -> None:
    assert len(names()) == 66
