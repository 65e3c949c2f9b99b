"""Checkpoints without a machine: what was saved is loaded unchanged, whatever happens since."""

import json
import multiprocessing
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from ambidex.vm import MachineError
from ambidex.vm.building.image import Base, Image
from ambidex.vm.building.recipe import Screen
from ambidex.vm.checkpoints.capture import CapturedMachine, pages_to_write
from ambidex.vm.checkpoints.collection import (
    RetentionRule,
    apply_retention,
    delete_checkpoint,
    list_checkpoints,
    load_checkpoint,
    save_checkpoint,
)
from ambidex.vm.checkpoints.manifest import EMPTY_TABLE, Table
from ambidex.vm.checkpoints.memory import PAGE, Pages
from ambidex.vm.machines.domain import Shape
from ambidex.vm.machines.snapshot import write_snapshot
from ambidex.vm.sandbox.provider import SandboxProvider
from tests.vm.checkpoints.disks import make_base, open_disk

SHAPE = Shape("qemu", 2, 1, (1280, 720))
"""Hardware with one MiB of memory."""


def make_root(cache: Path, token: str = "first") -> Path:
    """Make a base snapshot in which only the memory file has content."""
    folder = cache / "snapshots" / "desk-1" / "ready"
    folder.mkdir(parents=True, exist_ok=True)
    for part in ("state", "disk.qcow2"):
        (folder / part).touch()
    (folder / "memory").write_bytes(np.random.default_rng(0).bytes(256 * PAGE))
    write_snapshot(folder, "ready", the_image(), token, SHAPE, stood_still=0.1)
    return folder


def the_image() -> Image:
    base = Base("desk", "1", Path("/nowhere"), "3.11", 1, Screen(), "user")
    return Image(base, None, "id")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AMBIDEX_CACHE", str(tmp_path / "cache"))
    return make_root(tmp_path / "cache")


def captured(root: Path, seed: int, pages: int = 20) -> CapturedMachine:
    """A machine that shares half of its pages with the machine of any other seed."""
    random = np.random.default_rng(seed)
    numbers = np.sort(random.choice(256, pages, replace=False))
    content = random.integers(0, 256, (pages, PAGE), dtype=np.uint8)
    content[: pages // 2] = np.arange(PAGE, dtype=np.uint8)
    disk = bytes(5 * PAGE) + random.bytes(3 * PAGE) + b"end"
    state = random.bytes(2 * PAGE + seed % PAGE)
    parts = [Pages(numbers[part], content[part]) for part in (slice(7), slice(7, None))]
    return CapturedMachine(
        root=root,
        shape=SHAPE,
        token=f"token-{seed}",
        way="pages",
        stood_still=lambda: 0.25,
        pages=partial(pages_to_write, lambda: parts, root / "memory"),
        state=state,
        disk=disk,
    )


def same(one: CapturedMachine, other: CapturedMachine) -> bool:
    same_pause = one.stood_still() == other.stood_still()
    same_fields = replace(one, pages=other.pages, stood_still=other.stood_still) == other
    return same_pause and same_fields and memory(one) == memory(other)


def memory(captured: CapturedMachine, loaded: Table = EMPTY_TABLE) -> dict[int, bytes]:
    """The content of each page that differs from the base snapshot with `loaded` over it."""
    return {
        int(number): content.tobytes()
        for part in captured.pages(loaded)
        for number, content in zip(part.numbers, part.content, strict=True)
    }


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@settings(max_examples=30)
@given(seeds=st.lists(st.integers(1, 9), min_size=2, max_size=2), count=st.integers(1, 60))
def test_only_differing_pages_are_written_over_the_memory_of_another_checkpoint(
    seeds: list[int], count: int
) -> None:
    with tempfile.TemporaryDirectory() as scratch, pytest.MonkeyPatch.context() as patch:
        patch.setenv("AMBIDEX_CACHE", scratch)
        root, steps = make_root(Path(scratch)), Path(scratch) / "steps"
        first, second = captured(root, seeds[0], count), captured(root, seeds[1], 20)
        save_checkpoint(first, steps / "1")
        save_checkpoint(second, steps / "2")
        loaded = load_checkpoint(steps / "1", "id")
        content = (root / "memory").read_bytes()
        base = {number: content[number * PAGE :][:PAGE] for number in range(256)}
        expected, current = base | memory(second), base | memory(loaded)
        for machine in (second, load_checkpoint(steps / "2", "id")):
            assert current | memory(machine, loaded.table) == expected
        written = memory(load_checkpoint(steps / "2", "id"), loaded.table)
        assert written.keys() == {
            number for number in range(256) if current[number] != expected[number]
        }


def test_a_checkpoint_is_loaded_as_it_was_saved_and_names_its_parent(
    root: Path, tmp_path: Path
) -> None:
    steps = tmp_path / "trial" / "snapshots"
    first, second = captured(root, 1), captured(root, 2)
    save_checkpoint(first, steps / "1")
    save_checkpoint(second, steps / "2", parent=steps / "1")
    save_checkpoint(first, tmp_path / "other" / "snapshots" / "1", parent=steps / "2")
    assert same(load_checkpoint(steps / "1", "id"), first)
    assert same(load_checkpoint(steps / "2", "id"), second)
    one, two = list_checkpoints(steps)
    assert (one.name, one.parent, one.stood_still) == ("1", None, 0.25)
    assert (two.name, two.parent) == ("2", steps / "1")
    assert one.bytes + two.bytes <= size(steps)
    [elsewhere] = list_checkpoints(tmp_path / "other" / "snapshots")
    assert elsewhere.parent == steps / "2"


def test_blocks_that_two_checkpoints_share_are_stored_once(root: Path, tmp_path: Path) -> None:
    first = save_checkpoint(captured(root, 1), tmp_path / "steps" / "1")
    again = save_checkpoint(captured(root, 1), tmp_path / "steps" / "2")
    assert again.bytes < first.bytes / 10


def test_blocks_on_the_image_s_disk_are_not_stored_and_a_missing_disk_is_damage(
    root: Path, tmp_path: Path
) -> None:
    first = captured(root, 1)
    content = b"".join(memory(first).values())
    disk = open_disk(make_base(tmp_path / "base", content))
    plain = save_checkpoint(first, tmp_path / "plain" / "1")
    over = save_checkpoint(first, tmp_path / "over" / "1", disk=disk)
    assert over.bytes < plain.bytes - 10 * PAGE
    assert same(load_checkpoint(tmp_path / "over" / "1", "id", disk), first)
    with pytest.raises(MachineError, match=r"damaged: memory: the block \w+ is in no pack"):
        memory(load_checkpoint(tmp_path / "over" / "1", "id"))


def test_a_folder_of_checkpoints_can_be_moved(root: Path, tmp_path: Path) -> None:
    save_checkpoint(captured(root, 1), tmp_path / "here" / "1")
    save_checkpoint(captured(root, 2), tmp_path / "here" / "2", parent=tmp_path / "here" / "1")
    (tmp_path / "here").rename(tmp_path / "there")
    assert same(load_checkpoint(tmp_path / "there" / "2", "id"), captured(root, 2))
    assert list_checkpoints(tmp_path / "there")[1].parent == tmp_path / "there" / "1"


def test_a_loaded_checkpoint_stays_readable_while_others_are_deleted(
    root: Path, tmp_path: Path
) -> None:
    steps = tmp_path / "steps"
    for number in (1, 2, 3):
        save_checkpoint(captured(root, number), steps / str(number))
    loaded = load_checkpoint(steps / "2", "id")
    before = set((steps / "blocks").iterdir())
    delete_checkpoint(steps / "1")
    delete_checkpoint(steps / "3")
    assert set((steps / "blocks").iterdir()) != before
    assert same(loaded, captured(root, 2))


def test_only_its_owner_may_read_a_checkpoint_s_token(root: Path, tmp_path: Path) -> None:
    save_checkpoint(captured(root, 1), tmp_path / "steps" / "1")
    manifest = tmp_path / "steps" / "1" / "step.json"
    assert "token-1" in manifest.read_text()
    assert manifest.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["blocks", ".hidden"])
def test_a_reserved_name_of_a_checkpoint_is_refused(root: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(MachineError, match="not a name for a checkpoint"):
        save_checkpoint(captured(root, 1), tmp_path / "steps" / name)


def test_the_error_for_a_missing_checkpoint_lists_the_existing_ones(
    root: Path, tmp_path: Path
) -> None:
    save_checkpoint(captured(root, 1), tmp_path / "steps" / "1")
    for operation in (lambda folder: load_checkpoint(folder, "id"), delete_checkpoint):
        with pytest.raises(MachineError, match="not a checkpoint") as caught:
            operation(tmp_path / "steps" / "2")
        assert caught.value.hint.endswith("steps: 1.")


@given(where=st.floats(0, 1), bit=st.integers(0, 7))
@settings(max_examples=60)
@pytest.mark.parametrize("part", ["memory", "state", "disk", "step.json", "blocks"])
def test_a_damaged_checkpoint_is_refused_and_the_damaged_part_named(
    part: str, where: float, bit: int
) -> None:
    with tempfile.TemporaryDirectory() as scratch, pytest.MonkeyPatch.context() as patch:
        patch.setenv("AMBIDEX_CACHE", scratch)
        step = Path(scratch) / "steps" / "1"
        save_checkpoint(captured(make_root(Path(scratch)), 1), step)
        [file] = (step.parent / "blocks").iterdir() if part == "blocks" else [step / part]
        content = bytearray(file.read_bytes())
        content[int(where * (len(content) - 1))] ^= 1 << bit
        file.write_bytes(content)
        with pytest.raises(MachineError, match=f"the checkpoint {step} is damaged: ") as caught:
            memory(load_checkpoint(step, "id"))
        parts = r"memory|state|disk" if part == "blocks" else part
        assert str(caught.value).partition("is damaged: ")[2].startswith(tuple(parts.split("|")))
        delete_checkpoint(step)
        assert not step.exists()


def test_a_checkpoint_that_lacks_a_file_is_refused(root: Path, tmp_path: Path) -> None:
    save_checkpoint(captured(root, 1), tmp_path / "1")
    (tmp_path / "1" / "disk").unlink()
    with pytest.raises(MachineError, match="is damaged: disk: No such file"):
        load_checkpoint(tmp_path / "1", "id")


def test_a_checkpoint_whose_base_snapshot_was_deleted_or_replaced_is_refused_with_a_hint(
    root: Path, tmp_path: Path
) -> None:
    save_checkpoint(captured(root, 1), tmp_path / "1")
    make_root(tmp_path / "cache", token="made again")
    with pytest.raises(MachineError, match="has been replaced since") as caught:
        load_checkpoint(tmp_path / "1", "id")
    assert "Replay the episode" in caught.value.hint
    (root / "snapshot.json").unlink()
    with pytest.raises(MachineError, match="which was deleted"):
        load_checkpoint(tmp_path / "1", "id")


def test_a_checkpoint_of_another_image_is_refused(root: Path, tmp_path: Path) -> None:
    save_checkpoint(captured(root, 1), tmp_path / "1")
    with pytest.raises(MachineError, match="needs the image id; this machine's image is other"):
        load_checkpoint(tmp_path / "1", "other")


def test_a_sandbox_refuses_checkpoints_and_names_a_provider_that_has_them(tmp_path: Path) -> None:
    with SandboxProvider(spares=0) as provider, provider.machine(the_image()) as machine:
        with pytest.raises(MachineError, match="a sandbox has no checkpoints") as caught:
            machine.revert(tmp_path / "1")
        assert "--provider libvirt" in caught.value.hint


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


EVENTS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir")


def killed_at_each_event(action: Callable[[], object]) -> Iterator[int]:
    """Run the action in a process that is killed at its first event, then in one that is killed at
    its second, and so on until one completes; yields after each death.
    """
    for last in range(1, 500):
        process = os.fork()
        if process == 0:
            remaining = last

            def count(event: str, _: object) -> None:
                nonlocal remaining
                if event in EVENTS:
                    remaining -= 1
                    if remaining == 0:
                        os.kill(os.getpid(), signal.SIGKILL)

            sys.addaudithook(count)
            action()
            os._exit(0)
        status = os.waitpid(process, 0)[1]
        if not os.WIFSIGNALED(status):
            assert status == 0
            return
        yield last
    raise AssertionError("the action did not complete")


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
    process.join()
    assert process.exitcode == 0


def test_an_unknown_field_in_step_json_is_damage(root: Path, tmp_path: Path) -> None:
    save_checkpoint(captured(root, 1), tmp_path / "1")
    path = tmp_path / "1" / "step.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "new": 1}))
    with pytest.raises(MachineError, match=r"is damaged: step\.json"):
        list_checkpoints(tmp_path)
