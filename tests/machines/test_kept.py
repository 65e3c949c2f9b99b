"""Steps without a machine: what is kept is loaded as it was, whatever happens in between."""

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
from ambidex.vm.checkpoints.capture import Captured, differing
from ambidex.vm.checkpoints.collection import Rule, drop, keep, kept_steps, load, retain
from ambidex.vm.checkpoints.manifest import NOTHING, Table
from ambidex.vm.checkpoints.memory import PAGE, Pages
from ambidex.vm.machines.domain import Shape
from ambidex.vm.machines.snapshot import write_snapshot
from ambidex.vm.sandbox.provider import SandboxProvider
from tests.machines.disks import base_of, opened

SHAPE = Shape("qemu", 2, 1, (1280, 720))
"""With a memory of one MiB."""


def root_at(cache: Path, token: str = "first") -> Path:
    """A snapshot `ready` of an image; of its files only the memory holds anything."""
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
    return root_at(tmp_path / "cache")


def captured(root: Path, seed: int, pages: int = 20) -> Captured:
    """A machine unlike that of any other seed, and like it in half of its pages."""
    drawn = np.random.default_rng(seed)
    numbers = np.sort(drawn.choice(256, pages, replace=False))
    content = drawn.integers(0, 256, (pages, PAGE), dtype=np.uint8)
    content[: pages // 2] = np.arange(PAGE, dtype=np.uint8)
    disk = bytes(5 * PAGE) + drawn.bytes(3 * PAGE) + b"end"
    state = drawn.bytes(2 * PAGE + seed % PAGE)
    parts = [Pages(numbers[some], content[some]) for some in (slice(7), slice(7, None))]
    return Captured(
        root=root,
        shape=SHAPE,
        token=f"token-{seed}",
        way="pages",
        stood_still=lambda: 0.25,
        pages=partial(differing, lambda: parts, root / "memory"),
        state=state,
        disk=disk,
    )


def same(one: Captured, other: Captured) -> bool:
    still = one.stood_still() == other.stood_still()
    plain = replace(one, pages=other.pages, stood_still=other.stood_still) == other
    return still and plain and memory(one) == memory(other)


def memory(captured: Captured, laid: Table = NOTHING) -> dict[int, bytes]:
    """What is in each page that is not the root's with those blocks laid over it."""
    return {
        int(number): content.tobytes()
        for part in captured.pages(laid)
        for number, content in zip(part.numbers, part.content, strict=True)
    }


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@settings(max_examples=30)
@given(seeds=st.lists(st.integers(1, 9), min_size=2, max_size=2), count=st.integers(1, 60))
def test_over_the_memory_of_any_step_lies_what_differs_and_no_more(
    seeds: list[int], count: int
) -> None:
    with tempfile.TemporaryDirectory() as scratch, pytest.MonkeyPatch.context() as patch:
        patch.setenv("AMBIDEX_CACHE", scratch)
        root, steps = root_at(Path(scratch)), Path(scratch) / "steps"
        first, second = captured(root, seeds[0], count), captured(root, seeds[1], 20)
        keep(first, steps / "1")
        keep(second, steps / "2")
        laid = load(steps / "1", "id")
        plain = (root / "memory").read_bytes()
        whole = {number: plain[number * PAGE :][:PAGE] for number in range(256)}
        wanted, there = whole | memory(second), whole | memory(laid)
        for machine in (second, load(steps / "2", "id")):
            assert there | memory(machine, laid.table) == wanted
        kept = memory(load(steps / "2", "id"), laid.table)
        assert kept.keys() == {number for number in range(256) if there[number] != wanted[number]}


def test_a_step_is_loaded_as_it_was_kept_and_says_what_it_came_after(
    root: Path, tmp_path: Path
) -> None:
    steps = tmp_path / "trial" / "snapshots"
    first, second = captured(root, 1), captured(root, 2)
    keep(first, steps / "1")
    keep(second, steps / "2", parent=steps / "1")
    keep(first, tmp_path / "other" / "snapshots" / "1", parent=steps / "2")
    assert same(load(steps / "1", "id"), first)
    assert same(load(steps / "2", "id"), second)
    one, two = kept_steps(steps)
    assert (one.name, one.parent, one.stood_still) == ("1", None, 0.25)
    assert (two.name, two.parent) == ("2", steps / "1")
    assert one.bytes + two.bytes <= size(steps)
    [elsewhere] = kept_steps(tmp_path / "other" / "snapshots")
    assert elsewhere.parent == steps / "2"


def test_what_two_steps_share_is_kept_once(root: Path, tmp_path: Path) -> None:
    first = keep(captured(root, 1), tmp_path / "steps" / "1")
    again = keep(captured(root, 1), tmp_path / "steps" / "2")
    assert again.bytes < first.bytes / 10


def test_what_the_image_s_disk_has_is_not_kept_and_is_damage_where_it_is_gone(
    root: Path, tmp_path: Path
) -> None:
    first = captured(root, 1)
    content = b"".join(memory(first).values())
    disk = opened(base_of(tmp_path / "base", content))
    plain = keep(first, tmp_path / "plain" / "1")
    over = keep(first, tmp_path / "over" / "1", disk=disk)
    assert over.bytes < plain.bytes - 10 * PAGE
    assert same(load(tmp_path / "over" / "1", "id", disk), first)
    with pytest.raises(MachineError, match=r"damaged: memory: the block \w+ is in no pack"):
        memory(load(tmp_path / "over" / "1", "id"))


def test_a_folder_of_steps_can_be_moved(root: Path, tmp_path: Path) -> None:
    keep(captured(root, 1), tmp_path / "here" / "1")
    keep(captured(root, 2), tmp_path / "here" / "2", parent=tmp_path / "here" / "1")
    (tmp_path / "here").rename(tmp_path / "there")
    assert same(load(tmp_path / "there" / "2", "id"), captured(root, 2))
    assert kept_steps(tmp_path / "there")[1].parent == tmp_path / "there" / "1"


def test_a_step_that_is_loaded_stays_whole_while_others_are_given_back(
    root: Path, tmp_path: Path
) -> None:
    steps = tmp_path / "steps"
    for number in (1, 2, 3):
        keep(captured(root, number), steps / str(number))
    loaded = load(steps / "2", "id")
    before = set((steps / "blocks").iterdir())
    drop(steps / "1")
    drop(steps / "3")
    assert set((steps / "blocks").iterdir()) != before
    assert same(loaded, captured(root, 2))


def test_only_its_owner_may_read_a_step_s_token(root: Path, tmp_path: Path) -> None:
    keep(captured(root, 1), tmp_path / "steps" / "1")
    said = tmp_path / "steps" / "1" / "step.json"
    assert "token-1" in said.read_text()
    assert said.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["blocks", ".hidden"])
def test_a_step_is_not_called_what_means_something_else(
    root: Path, tmp_path: Path, name: str
) -> None:
    with pytest.raises(MachineError, match="cannot be called"):
        keep(captured(root, 1), tmp_path / "steps" / name)


def test_a_missing_step_is_named_with_those_there_are(root: Path, tmp_path: Path) -> None:
    keep(captured(root, 1), tmp_path / "steps" / "1")
    for ask in (lambda step: load(step, "id"), drop):
        with pytest.raises(MachineError, match="there is no step") as caught:
            ask(tmp_path / "steps" / "2")
        assert "there are: 1" in caught.value.hint


@given(where=st.floats(0, 1), bit=st.integers(0, 7))
@settings(max_examples=60)
@pytest.mark.parametrize("part", ["memory", "state", "disk", "step.json", "blocks"])
def test_a_damaged_step_is_refused_by_the_part_that_is_damaged(
    part: str, where: float, bit: int
) -> None:
    with tempfile.TemporaryDirectory() as scratch, pytest.MonkeyPatch.context() as patch:
        patch.setenv("AMBIDEX_CACHE", scratch)
        step = Path(scratch) / "steps" / "1"
        keep(captured(root_at(Path(scratch)), 1), step)
        [file] = (step.parent / "blocks").iterdir() if part == "blocks" else [step / part]
        content = bytearray(file.read_bytes())
        content[int(where * (len(content) - 1))] ^= 1 << bit
        file.write_bytes(content)
        with pytest.raises(MachineError, match=f"the step {step} is damaged: ") as caught:
            memory(load(step, "id"))
        parts = r"memory|state|disk" if part == "blocks" else part
        assert str(caught.value).partition("is damaged: ")[2].startswith(tuple(parts.split("|")))
        drop(step)
        assert not step.exists()


def test_a_step_that_lost_a_file_is_refused(root: Path, tmp_path: Path) -> None:
    keep(captured(root, 1), tmp_path / "1")
    (tmp_path / "1" / "disk").unlink()
    with pytest.raises(MachineError, match="is damaged: disk: No such file"):
        load(tmp_path / "1", "id")


def test_a_step_whose_root_is_gone_or_another_one_says_what_would_help(
    root: Path, tmp_path: Path
) -> None:
    keep(captured(root, 1), tmp_path / "1")
    root_at(tmp_path / "cache", token="made again")
    with pytest.raises(MachineError, match="made again since") as caught:
        load(tmp_path / "1", "id")
    assert "Play the episode again" in caught.value.hint
    (root / "snapshot.json").unlink()
    with pytest.raises(MachineError, match="which is gone"):
        load(tmp_path / "1", "id")


def test_a_step_of_another_image_is_refused(root: Path, tmp_path: Path) -> None:
    keep(captured(root, 1), tmp_path / "1")
    with pytest.raises(MachineError, match="kept on the image id; this machine's is other"):
        load(tmp_path / "1", "other")


def test_a_sandbox_keeps_no_steps_and_says_who_does(tmp_path: Path) -> None:
    with SandboxProvider(spares=0) as provider, provider.machine(the_image()) as machine:
        with pytest.raises(MachineError, match="keeps no steps") as caught:
            machine.revert(tmp_path / "1")
        assert "--provider libvirt" in caught.value.hint


def names(folder: Path) -> list[str]:
    return [step.name for step in kept_steps(folder)]


BLOCKS_OF_ONE = 25
"""No step has more than so many that are no other's."""


@pytest.mark.parametrize(
    ("which", "left"),
    [
        (Rule(), ["1", "2", "3", "4", "5", "6", "before"]),
        (Rule(every=3), ["3", "6"]),
        (Rule(every=0, last=2), ["6", "before"]),
        (Rule(every=0, named=frozenset({"before", "2"})), ["2", "before"]),
        (Rule(every=4, last=1, named=frozenset({"1"})), ["1", "4", "before"]),
        (Rule(every=0), []),
    ],
)
def test_a_rule_says_which_steps_stay(
    root: Path, tmp_path: Path, which: Rule, left: list[str]
) -> None:
    every = ["1", "2", "3", "4", "5", "6", "before"]
    for seed, name in enumerate(every):
        keep(captured(root, seed), tmp_path / "steps" / name)
    gone = retain(tmp_path / "steps", which)
    assert (names(tmp_path / "steps"), sorted(gone)) == (left, sorted({*every} - {*left}))
    for seed, name in enumerate(every):
        if name in left:
            assert same(load(tmp_path / "steps" / name, "id"), captured(root, seed))


def test_a_budget_drops_the_earliest_steps_but_no_named_ones(root: Path, tmp_path: Path) -> None:
    steps = tmp_path / "steps"
    for number in range(6):
        keep(captured(root, number), steps / str(number))
    budget = size(steps) * 2 // 3
    gone = retain(steps, Rule(named=frozenset({"0"})), budget)
    assert gone == ("1", "2", "3")[: len(gone)]
    assert names(steps) == ["0", *map(str, range(1 + len(gone), 6))]
    assert size(steps) <= budget < size(steps) + BLOCKS_OF_ONE * PAGE
    retain(steps, Rule(named=frozenset({"0"})), 0)
    assert names(steps) == ["0"]
    assert same(load(steps / "0", "id"), captured(root, 0))


def test_a_damaged_step_is_named_and_ends_no_episode_that_keeps_others(
    root: Path, tmp_path: Path
) -> None:
    for number in range(3):
        keep(captured(root, number), tmp_path / "steps" / str(number))
    (tmp_path / "steps" / "0" / "step.json").write_text("{}")
    with pytest.raises(MachineError, match="steps/0 is damaged"):
        kept_steps(tmp_path / "steps")
    assert retain(tmp_path / "steps", Rule(every=0, last=1)) == ("1",)
    keep(captured(root, 3), tmp_path / "steps" / "3")
    assert same(load(tmp_path / "steps" / "2", "id"), captured(root, 2))


def test_what_no_step_needs_is_given_back(root: Path, tmp_path: Path) -> None:
    steps = tmp_path / "steps"
    for number in range(4):
        keep(captured(root, number), steps / str(number))
    for number in range(3):
        before = size(steps)
        assert drop(steps / str(number)) == before - size(steps) > 0
    assert same(load(steps / "3", "id"), captured(root, 3))
    drop(steps / "3")
    assert size(steps) == 0


class Steps(RuleBasedStateMachine):
    """Steps that are kept, replaced, dropped and retained in any order; a dict says which there
    are.
    """

    known = Bundle("known")

    def __init__(self) -> None:
        super().__init__()
        self.scratch = tempfile.TemporaryDirectory()
        self.patch = pytest.MonkeyPatch()
        self.patch.setenv("AMBIDEX_CACHE", self.scratch.name)
        self.root = root_at(Path(self.scratch.name))
        self.folder = Path(self.scratch.name) / "steps"
        self.model: dict[str, int] = {}

    @rule(target=known, number=st.integers(1, 9), seed=st.integers(0, 5))
    def kept(self, number: int, seed: int) -> str:
        keep(captured(self.root, seed), self.folder / str(number))
        self.model.pop(str(number), None)
        self.model[str(number)] = seed
        return str(number)

    @rule(name=known)
    def dropped(self, name: str) -> None:
        if name in self.model:
            drop(self.folder / name)
            del self.model[name]

    @rule(every=st.integers(0, 4), last=st.integers(0, 3), named=st.sets(known))
    def retained(self, every: int, last: int, named: set[str]) -> None:
        gone = retain(self.folder, Rule(every, last, frozenset(named)))
        there = list(self.model)
        held = {name for name in there if every and int(name) % every == 0}
        held |= {*there[len(there) - min(last, len(there)) :], *named} & {*there}
        assert sorted(gone) == sorted({*there} - held)
        for name in gone:
            del self.model[name]

    @invariant()
    def every_step_is_what_it_was(self) -> None:
        assert names(self.folder) == list(self.model)
        for name, seed in self.model.items():
            assert same(load(self.folder / name, "id"), captured(self.root, seed))

    def teardown(self) -> None:
        for name in list(self.model):
            drop(self.folder / name)
        assert size(self.folder) == 0
        self.patch.undo()
        self.scratch.cleanup()


TestSteps = Steps.TestCase
TestSteps.settings = settings(max_examples=15, stateful_step_count=12)


EVENTS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir")


def killed_at_each_event(action: Callable[[], object]) -> Iterator[int]:
    """Do it in a process of its own that is killed at its first event, then in one killed at its
    second, until it is done; yields after each death.
    """
    for last in range(1, 500):
        process = os.fork()
        if process == 0:
            left = last

            def count(event: str, _: object) -> None:
                nonlocal left
                if event in EVENTS:
                    left -= 1
                    if left == 0:
                        os.kill(os.getpid(), signal.SIGKILL)

            sys.addaudithook(count)
            action()
            os._exit(0)
        status = os.waitpid(process, 0)[1]
        if not os.WIFSIGNALED(status):
            assert status == 0
            return
        yield last
    raise AssertionError("it never ended")


def _killed_while_keeping(scratch: str) -> None:
    os.environ["AMBIDEX_CACHE"] = scratch
    root, steps = root_at(Path(scratch)), Path(scratch) / "steps"
    first, second = captured(root, 1), captured(root, 2)
    keep(first, steps / "1")
    deaths = 0
    for _ in killed_at_each_event(lambda: keep(second, steps / "2", parent=steps / "1")):
        deaths += 1
        assert same(load(steps / "1", "id"), first)
        if (steps / "2").exists():
            assert same(load(steps / "2", "id"), second)
            drop(steps / "2")
    assert deaths > 10
    assert same(load(steps / "2", "id"), second)
    drop(steps / "1")
    drop(steps / "2")
    assert {path.name for path in steps.rglob("*")} == {".lock", "blocks"}


def _killed_while_dropping(scratch: str) -> None:
    os.environ["AMBIDEX_CACHE"] = scratch
    root, steps = root_at(Path(scratch)), Path(scratch) / "steps"
    every = [captured(root, seed) for seed in range(3)]

    def play() -> None:
        drop(steps / "0")

    for number, each in enumerate(every):
        keep(each, steps / str(number))
    deaths = 0
    for _ in killed_at_each_event(play):
        deaths += 1
        for number in (1, 2):
            assert same(load(steps / str(number), "id"), every[number])
        if (steps / "0").exists():
            assert same(load(steps / "0", "id"), every[0])
        keep(every[0], steps / "0")
    assert deaths > 10


@pytest.mark.parametrize("play", [_killed_while_keeping, _killed_while_dropping])
def test_killed_at_any_moment_a_step_is_whole_or_absent_and_the_others_stay(
    tmp_path: Path, play: Callable[[str], None]
) -> None:
    process = multiprocessing.get_context("spawn").Process(target=play, args=(str(tmp_path),))
    process.start()
    process.join()
    assert process.exitcode == 0


def test_a_step_s_description_takes_no_unknown_word(root: Path, tmp_path: Path) -> None:
    keep(captured(root, 1), tmp_path / "1")
    path = tmp_path / "1" / "step.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "new": 1}))
    with pytest.raises(MachineError, match=r"is damaged: step\.json"):
        kept_steps(tmp_path)
