"""Which checkpoints are kept, and what deleting the others frees."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from ambidex.vm import MachineError
from ambidex.vm.checkpoints.collection import (
    RetentionRule,
    apply_retention,
    delete_checkpoint,
    list_checkpoints,
    load_checkpoint,
    save_checkpoint,
)
from ambidex.vm.checkpoints.memory import PAGE
from tests.vm.checkpoints.captured import captured, make_root, same, size


def names(folder: Path) -> list[str]:
    return [step.name for step in list_checkpoints(folder)]


BLOCKS_OF_ONE = 25
"""The number of blocks that a checkpoint does not share is at most this."""


@pytest.mark.parametrize(
    ("retention", "remaining"),
    [
        (RetentionRule(), ["1", "2", "3", "4", "5", "6", "before"]),
        (RetentionRule(every=3), ["3", "6"]),
        (RetentionRule(every=0, last=2), ["6", "before"]),
        (RetentionRule(every=0, named=frozenset({"before", "2"})), ["2", "before"]),
        (RetentionRule(every=4, last=1, named=frozenset({"1"})), ["1", "4", "before"]),
        (RetentionRule(every=0), []),
    ],
)
def test_a_retention_rule_decides_which_checkpoints_are_kept(
    root: Path, tmp_path: Path, retention: RetentionRule, remaining: list[str]
) -> None:
    saved = ["1", "2", "3", "4", "5", "6", "before"]
    for seed, name in enumerate(saved):
        save_checkpoint(captured(root, seed), tmp_path / "steps" / name)
    deleted = apply_retention(tmp_path / "steps", retention)
    assert names(tmp_path / "steps") == remaining
    assert sorted(deleted) == sorted({*saved} - {*remaining})
    for seed, name in enumerate(saved):
        if name in remaining:
            assert same(load_checkpoint(tmp_path / "steps" / name, "id"), captured(root, seed))


def test_a_budget_deletes_the_earliest_checkpoints_but_never_named_ones(
    root: Path, tmp_path: Path
) -> None:
    steps = tmp_path / "steps"
    for number in range(6):
        save_checkpoint(captured(root, number), steps / str(number))
    budget = size(steps) * 2 // 3
    deleted = apply_retention(steps, RetentionRule(named=frozenset({"0"})), budget)
    assert deleted == ("1", "2", "3")[: len(deleted)]
    assert names(steps) == ["0", *map(str, range(1 + len(deleted), 6))]
    assert size(steps) <= budget < size(steps) + BLOCKS_OF_ONE * PAGE
    apply_retention(steps, RetentionRule(named=frozenset({"0"})), 0)
    assert names(steps) == ["0"]
    assert same(load_checkpoint(steps / "0", "id"), captured(root, 0))


def test_a_damaged_checkpoint_is_named_and_does_not_prevent_saving_others(
    root: Path, tmp_path: Path
) -> None:
    for number in range(3):
        save_checkpoint(captured(root, number), tmp_path / "steps" / str(number))
    (tmp_path / "steps" / "0" / "step.json").write_text("{}")
    with pytest.raises(MachineError, match="steps/0 is damaged"):
        list_checkpoints(tmp_path / "steps")
    assert apply_retention(tmp_path / "steps", RetentionRule(every=0, last=1)) == ("1",)
    save_checkpoint(captured(root, 3), tmp_path / "steps" / "3")
    assert same(load_checkpoint(tmp_path / "steps" / "2", "id"), captured(root, 2))


def test_blocks_that_no_checkpoint_needs_are_deleted(root: Path, tmp_path: Path) -> None:
    steps = tmp_path / "steps"
    for number in range(4):
        save_checkpoint(captured(root, number), steps / str(number))
    for number in range(3):
        before = size(steps)
        assert delete_checkpoint(steps / str(number)) == before - size(steps) > 0
    assert same(load_checkpoint(steps / "3", "id"), captured(root, 3))
    delete_checkpoint(steps / "3")
    assert size(steps) == 0


class Checkpoints(RuleBasedStateMachine):
    """Saves, replaces, deletes and retains checkpoints in any order; a dict is the model."""

    saved = Bundle("saved")

    def __init__(self) -> None:
        super().__init__()
        self.scratch = tempfile.TemporaryDirectory()
        self.patch = pytest.MonkeyPatch()
        self.patch.setenv("AMBIDEX_CACHE", self.scratch.name)
        self.root = make_root(Path(self.scratch.name))
        self.folder = Path(self.scratch.name) / "steps"
        self.model: dict[str, int] = {}

    @rule(target=saved, number=st.integers(1, 9), seed=st.integers(0, 5))
    def save(self, number: int, seed: int) -> str:
        save_checkpoint(captured(self.root, seed), self.folder / str(number))
        self.model.pop(str(number), None)
        self.model[str(number)] = seed
        return str(number)

    @rule(name=saved)
    def delete(self, name: str) -> None:
        if name in self.model:
            delete_checkpoint(self.folder / name)
            del self.model[name]

    @rule(every=st.integers(0, 4), last=st.integers(0, 3), named=st.sets(saved))
    def retain(self, every: int, last: int, named: set[str]) -> None:
        deleted = apply_retention(self.folder, RetentionRule(every, last, frozenset(named)))
        existing = list(self.model)
        kept = {name for name in existing if every and int(name) % every == 0}
        kept |= {*existing[len(existing) - min(last, len(existing)) :], *named} & {*existing}
        assert sorted(deleted) == sorted({*existing} - kept)
        for name in deleted:
            del self.model[name]

    @invariant()
    def every_checkpoint_is_unchanged(self) -> None:
        assert names(self.folder) == list(self.model)
        for name, seed in self.model.items():
            assert same(load_checkpoint(self.folder / name, "id"), captured(self.root, seed))

    def teardown(self) -> None:
        for name in list(self.model):
            delete_checkpoint(self.folder / name)
        assert size(self.folder) == 0
        self.patch.undo()
        self.scratch.cleanup()


TestCheckpoints = Checkpoints.TestCase
TestCheckpoints.settings = settings(max_examples=15, stateful_step_count=12)
