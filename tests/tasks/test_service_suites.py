"""Checks of the tasks on services that need no machine; `ambidex prove` does the rest."""

from collections import Counter
from pathlib import Path

import pytest

from ambidex.tasks.load import load_suite
from ambidex.tasks.mcpmark.meta import read_meta
from tests.support.served import ALL

TASKS = Path(__file__).resolve().parents[2] / "tasks"


@pytest.mark.parametrize(
    ("suite", "kinds"),
    [
        ("services", {("database",): 6, ("files",): 4, ("forge",): 5, ("browser",): 6}),
        (
            "services-mcpmark",
            {
                ("postgres", "standard"): 7,
                ("postgres", "easy"): 4,
                ("filesystem", "standard"): 8,
                ("filesystem", "easy"): 4,
                ("forge", "standard"): 3,
                ("forge", "easy"): 2,
                ("playwright", "standard"): 2,
            },
        ),
    ],
)
def test_each_service_has_its_tasks_and_each_task_can_be_proved(
    suite: str, kinds: dict[tuple[str, ...], int]
) -> None:
    loaded = load_suite(TASKS / suite, ALL)
    assert not loaded.left_out
    assert all(task.spec.oracle and task.spec.near_miss for task in loaded.tasks)
    length = len(next(iter(kinds)))
    names = [tuple(task.name.replace("-", ".", 1).split(".")) for task in loaded.tasks]
    counts = Counter(name[:length] for name in names)
    assert {kind: counts[kind] for kind in kinds} == kinds


def test_twelve_tasks_can_be_done_by_browser_or_by_tools() -> None:
    suites = [load_suite(TASKS / name, ALL) for name in ("services", "services-mcpmark")]
    tasks = [task for suite in suites for task in suite.tasks if ".easy." not in task.name]
    assert sum({one.by for one in task.spec.oracle} == {"gui", "tools"} for task in tasks) == 12


@pytest.mark.parametrize("service", ["filesystem", "postgres", "forge"])
def test_each_easy_task_has_a_standard_one_on_the_same_data(service: str) -> None:
    root = TASKS / "services-mcpmark" / "tasks" / service
    for easy in root.glob("easy/*/*"):
        (twin,) = root.glob(f"standard/{easy.parent.name}/*")
        first, second = (read_meta(one / "meta.json").ambidex for one in (easy, twin))
        assert first
        assert second
        assert first.setup == second.setup
        own = {"description.md", "meta.json", "verify.py"}
        for path in (one for one in easy.rglob("*") if one.is_file() and one.name not in own):
            assert path.read_bytes() == (twin / path.relative_to(easy)).read_bytes()
