"""A process that saves or deletes a checkpoint is killed at every moment."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ambidex.vm.checkpoints.collection import delete_checkpoint, load_checkpoint, save_checkpoint
from tests.support.killed import killed_at_each_event
from tests.vm.checkpoints.captured import captured, make_root, same


def _kill_while_saving(scratch: str) -> None:
    os.environ["AMBIDEX_CACHE"] = scratch
    root, steps = make_root(Path(scratch)), Path(scratch) / "steps"
    first, second = captured(root, 1), captured(root, 2)
    save_checkpoint(first, steps / "1")
    deaths = 0
    for _ in killed_at_each_event(lambda: save_checkpoint(second, steps / "2", parent=steps / "1")):
        deaths += 1
        assert same(load_checkpoint(steps / "1", "id"), first)
        if (steps / "2").exists():
            assert same(load_checkpoint(steps / "2", "id"), second)
            delete_checkpoint(steps / "2")
    assert deaths > 10
    assert same(load_checkpoint(steps / "2", "id"), second)
    delete_checkpoint(steps / "1")
    delete_checkpoint(steps / "2")
    assert {path.name for path in steps.rglob("*")} == {".lock", "blocks"}


def _kill_while_deleting(scratch: str) -> None:
    os.environ["AMBIDEX_CACHE"] = scratch
    root, steps = make_root(Path(scratch)), Path(scratch) / "steps"
    machines = [captured(root, seed) for seed in range(3)]

    def delete() -> None:
        delete_checkpoint(steps / "0")

    for number, machine in enumerate(machines):
        save_checkpoint(machine, steps / str(number))
    deaths = 0
    for _ in killed_at_each_event(delete):
        deaths += 1
        for number in (1, 2):
            assert same(load_checkpoint(steps / str(number), "id"), machines[number])
        if (steps / "0").exists():
            assert same(load_checkpoint(steps / "0", "id"), machines[0])
        save_checkpoint(machines[0], steps / "0")
    assert deaths > 10


@pytest.mark.parametrize("scenario", [_kill_while_saving, _kill_while_deleting])
def test_after_a_kill_at_any_moment_a_checkpoint_is_complete_or_absent_and_others_are_unchanged(
    tmp_path: Path, scenario: Callable[[str], None]
) -> None:
    process = multiprocessing.get_context("spawn").Process(target=scenario, args=(str(tmp_path),))
    process.start()
    process.join(180)
    assert process.exitcode == 0
