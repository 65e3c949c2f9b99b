"""Checkpoints without a machine: what was saved is loaded unchanged, whatever happens since."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ambidex.vm import MachineError
from ambidex.vm.checkpoints.collection import (
    delete_checkpoint,
    list_checkpoints,
    load_checkpoint,
    save_checkpoint,
)
from ambidex.vm.checkpoints.memory import PAGE
from ambidex.vm.sandbox.provider import SandboxProvider
from tests.vm.checkpoints.captured import captured, make_root, memory, same, size, the_image
from tests.vm.checkpoints.disks import make_base, open_disk


@settings(max_examples=15)
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
@settings(max_examples=20)
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
        with pytest.raises(MachineError, match="has a desktop, so it has no checkpoints") as caught:
            machine.revert(tmp_path / "1")
        assert "--provider libvirt" in caught.value.hint


def test_an_unknown_field_in_step_json_is_damage(root: Path, tmp_path: Path) -> None:
    save_checkpoint(captured(root, 1), tmp_path / "1")
    path = tmp_path / "1" / "step.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "new": 1}))
    with pytest.raises(MachineError, match=r"is damaged: step\.json"):
        list_checkpoints(tmp_path)
