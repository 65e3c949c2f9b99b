"""Attacks on checkpoints and snapshots, by a guest or by a file from elsewhere."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ambidex.vm import MachineError, plain_name
from ambidex.vm.checkpoints.block_names import BLOCK, NAME, Names
from ambidex.vm.checkpoints.blocks import BlockStore
from ambidex.vm.checkpoints.collection import load_checkpoint, save_checkpoint
from ambidex.vm.checkpoints.disk_blocks import ENTRY, DiskBlocks, disk_blocks
from ambidex.vm.checkpoints.manifest import CheckpointManifest, content_hash
from ambidex.vm.checkpoints.pack import checksum
from ambidex.vm.sandbox.kept import read_sandbox_snapshot
from tests.support.tables import every_case
from tests.vm.checkpoints.captured import captured, memory, root, same, the_image
from tests.vm.checkpoints.disks import make_base, open_disk, rows

__all__ = ["root"]


def test_a_guest_cannot_compute_the_name_under_which_its_block_is_kept(tmp_path: Path) -> None:
    block = rows([1])
    public = {
        checksum(block.tobytes()),
        checksum(block.tobytes())[::-1],
    }
    names = []
    for number in range(2):
        disk = open_disk(make_base(tmp_path / str(number), rows([3]).tobytes()))
        [[name]], _ = BlockStore(tmp_path / "blocks" / str(number), disk).add([block])
        names.append(name)
    assert not public & {*names}
    assert names[0] != names[1], "two images have secrets of their own"


def test_equal_blocks_share_a_name_and_a_changed_bit_changes_it() -> None:
    names = Names.fresh()
    plain = rows([1]).tobytes()
    flipped = [bytearray(plain) for _ in range(64)]
    for number, block in enumerate(flipped):
        block[number * 61] ^= 1 << number % 8
    made = names.of(plain + plain + b"".join(flipped))
    assert made[0] == made[1]
    assert len({*made}) == 65
    assert {len(name) for name in made} == {NAME}


def test_the_secret_is_its_owner_s_and_outlives_a_new_index(tmp_path: Path) -> None:
    base = make_base(tmp_path / "base", rows([1, 3]).tobytes())
    before = open_disk(base).names.of(rows([1]).tobytes())
    secret = base.folder / "block-secret"
    assert secret.stat().st_mode & 0o077 == 0
    shutil.rmtree(base.folder / "block-names")
    disk_blocks.__globals__["_load"].cache_clear()
    assert open_disk(base).names.of(rows([1]).tobytes()) == before


def test_a_damaged_secret_is_named_with_what_to_delete(tmp_path: Path) -> None:
    base = make_base(tmp_path / "base", rows([1]).tobytes())
    open_disk(base)
    (base.folder / "block-secret").write_bytes(b"short")
    disk_blocks.__globals__["_load"].cache_clear()
    with pytest.raises(MachineError, match="block-secret cannot be read: a secret has 32") as seen:
        open_disk(base)
    assert "Delete" in seen.value.hint


class PublicNames(Names):
    """Block names of an earlier version."""

    def of(self, blocks: bytes | memoryview) -> list[bytes]:
        return [checksum(blocks[at : at + BLOCK]) for at in range(0, len(blocks), BLOCK)]


def test_a_step_kept_before_there_were_secrets_is_still_read(root: Path, tmp_path: Path) -> None:
    """Its block names are public hashes, and some of its blocks are on disk under such a name."""
    content = b"".join(memory(captured(root, 1)).values())
    base = make_base(tmp_path / "base", content)
    index = _public_index(base.disk, content)
    then = DiskBlocks(base.disk, index, PublicNames.fresh())
    save_checkpoint(captured(root, 1), tmp_path / "steps" / "1", disk=then)
    (base.folder / "blocks").mkdir()
    body = index.tobytes()
    (base.folder / "blocks" / "index").write_bytes(checksum(body) + body)
    now = open_disk(base)
    save_checkpoint(captured(root, 2), tmp_path / "steps" / "2", disk=now)
    for number in (1, 2):
        loaded = load_checkpoint(tmp_path / "steps" / str(number), "id", now)
        assert same(loaded, captured(root, number))
    without = DiskBlocks(base.disk, index[:0], now.names)
    with pytest.raises(MachineError, match="in no pack"):
        memory(load_checkpoint(tmp_path / "steps" / "1", "id", without))


def _public_index(disk: Path, content: bytes) -> NDArray[np.void]:
    """The index of a disk's blocks as an earlier version wrote it."""
    raw, found = disk.read_bytes(), {}
    for at in range(0, len(content), BLOCK):
        block = content[at : at + BLOCK]
        place = next(at for at in range(0, len(raw), BLOCK) if raw[at : at + BLOCK] == block)
        name = checksum(block)
        head, tail = (int.from_bytes(half, "little") for half in (name[:8], name[8:]))
        found[head] = (head, tail, place // BLOCK)
    return np.array([found[head] for head in sorted(found)], dtype=ENTRY)


@pytest.mark.parametrize(
    "where", ["../../../etc", "/etc", "/x", "desk-1/../../elsewhere", "..", "../elsewhere", ""]
)
def test_a_step_over_a_root_elsewhere_is_refused_by_name(
    root: Path, tmp_path: Path, where: str
) -> None:
    """A checkpoint from elsewhere could make its machine map any file as memory."""
    step = tmp_path / "steps" / "1"
    save_checkpoint(captured(root, 1), step)
    said = CheckpointManifest.model_validate_json((step / "step.json").read_bytes())
    elsewhere = (tmp_path / "cache" / "snapshots" / where).resolve()
    if elsewhere.is_relative_to(tmp_path):
        elsewhere.mkdir(exist_ok=True)
        shutil.copy(root / "snapshot.json", elsewhere)
    bent = said.model_copy(update={"root": where, "root_hash": _hash_of(elsewhere)})
    (step / "step.json").write_bytes(bent.sealed().to_bytes())
    with pytest.raises(MachineError, match="which is not a snapshot") as seen:
        load_checkpoint(step, "id")
    assert repr(where) in str(seen.value)


def _hash_of(folder: Path) -> str:
    path = folder / "snapshot.json"
    return content_hash(path.read_bytes() if path.exists() else json.dumps({}).encode())


@every_case(
    "name", ["../other", "/etc", "a/b", "..", "", ".hidden", "x\nquit", "two words", "x" * 65]
)
def test_a_snapshot_whose_name_is_a_path_or_a_command_is_refused_by_name(name: str) -> None:
    with pytest.raises(MachineError, match="not a name for a snapshot") as seen:
        plain_name(name)
    assert repr(name) in str(seen.value)
    with pytest.raises(MachineError, match="not a name for a snapshot"):
        read_sandbox_snapshot(the_image(), name)


@every_case("name", ["ready", "after-12_steps.v2", "7"])
def test_plain_names_of_snapshots_are_as_they_were(name: str) -> None:
    assert plain_name(name) == name
