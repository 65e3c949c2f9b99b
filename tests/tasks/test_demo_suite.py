"""Checks of the demo suite that need no machine; `ambidex prove` does the rest."""

import hashlib
import re
from pathlib import Path

import pytest

from ambidex.tasks import Suite, Task, verbs_of
from ambidex.tasks.load import load_suite
from ambidex.tasks.spec import Put
from tests.support.served import CATALOGUE

DEMO = Path(__file__).resolve().parents[2] / "tasks" / "demo"
NAMES = sorted(path.parent.name for path in DEMO.glob("*/task.toml"))
MOST_STEPS = 15


@pytest.fixture(scope="module")
def demo() -> Suite:
    return load_suite(DEMO, CATALOGUE)


@pytest.fixture(params=NAMES)
def task(demo: Suite, request: pytest.FixtureRequest) -> Task:
    return next(item for item in demo.tasks if item.name == request.param)


def test_the_suite_covers_the_apps_and_both_kinds_of_task(demo: Suite) -> None:
    specs = [item.spec for item in demo.tasks]
    assert len(specs) >= 8
    apps = {app for spec in specs for app in spec.apps}
    assert apps >= {"calc", "writer", "vlc", "gnome", "files", "terminal"}
    assert any(len(set(spec.apps)) > 1 and spec.feasible for spec in specs)
    assert sum(not spec.tool_beneficial and spec.feasible for spec in specs) >= 2
    assert sum(not spec.feasible for spec in specs) == 1


def test_each_task_can_be_proved_in_either_modality_within_the_short_limit(task: Task) -> None:
    assert {oracle.by for oracle in task.spec.oracle} == {"tools", "gui"}
    assert task.spec.near_miss
    # The last step is the one that stops.
    assert all(len(oracle.calls) < MOST_STEPS for oracle in task.spec.oracle)


def test_nothing_collected_scores_0(task: Task, tmp_path: Path) -> None:
    if task.spec.feasible:
        scores = [check(tmp_path) for check in verbs_of(task).checks]
        assert min(score.value for score in scores) == 0
        assert all(score.reason for score in scores)


def test_every_file_of_a_task_is_used_and_small(task: Task) -> None:
    body = verbs_of(task)
    used = {verb.put for verb in body.spec.setup if isinstance(verb, Put)}
    result = {path.relative_to(body.folder).as_posix(): path for path in body.folder.rglob("*")}
    files = {name for name, path in result.items() if path.is_file()}
    assert files - used == {"task.toml"}
    assert sum(result[name].stat().st_size for name in files) < 512 * 1024


def test_the_seal_of_the_relay_is_derived_from_the_answers() -> None:
    text = (DEMO / "terminal-relay-setup" / "task.toml").read_text(encoding="utf-8")
    answers = "/".join(("Ålesund harbour", "8087", "metric", "y"))
    content = hashlib.sha256(answers.encode()).hexdigest()[:12]
    assert re.findall(r"seal = (\w+)", text) == [content]
