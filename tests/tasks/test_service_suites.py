"""Checks of the tasks on services that need no machine; `ambidex prove` does the rest."""

from collections import Counter
from pathlib import Path

import pytest

from ambidex.tasks.load import load_suite
from tests.support.served import ALL

TASKS = Path(__file__).resolve().parents[2] / "tasks"


@pytest.mark.parametrize(
    ("suite", "kinds"),
    [
        ("services", {("database",): 6, ("files",): 4}),
        (
            "services-mcpmark",
            {
                ("postgres", "standard"): 6,
                ("postgres", "easy"): 4,
                ("filesystem", "standard"): 8,
                ("filesystem", "easy"): 4,
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


@pytest.mark.parametrize("service", ["filesystem", "postgres"])
def test_each_easy_task_has_a_standard_one_on_the_same_data(service: str) -> None:
    root = TASKS / "services-mcpmark" / "tasks" / service
    for easy in root.glob("easy/*/*"):
        (twin,) = root.glob(f"standard/{easy.parent.name}/*")
        own = {"description.md", "meta.json", "verify.py"}
        for path in (one for one in easy.rglob("*") if one.is_file() and one.name not in own):
            assert path.read_bytes() == (twin / path.relative_to(easy)).read_bytes()
