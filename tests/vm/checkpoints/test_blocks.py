"""The block store and QEMU's stream: content is preserved, stored once, and damage is detected."""

import struct
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ambidex.vm import MachineError
from ambidex.vm.checkpoints.blocks import BlockStore
from ambidex.vm.checkpoints.memory import PAGE, Pages, write_pages
from ambidex.vm.checkpoints.pack import BlockError
from ambidex.vm.checkpoints.stream import HEADER, add_configuration, differing_pages, write_stream
from tests.support.tables import every_case
from tests.vm.checkpoints.disks import rows

DEVICES = HEADER + b"\x04devices\0"


SEEDS = st.lists(st.integers(0, 40), max_size=150)


@given(first=SEEDS, second=SEEDS)
@settings(max_examples=30)
def test_blocks_are_read_as_they_were_added_and_stored_once(
    first: list[int], second: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        names, added = BlockStore(folder).add([rows(first)], [rows(second)])
        assert (BlockStore(folder).read(names[0]) == rows(first)).all()
        assert (BlockStore(folder).read(names[1]) == rows(second)).all()
        assert added == sum(path.stat().st_size for path in folder.iterdir())
        assert len({*names[0], *names[1]}) == len({*first, *second})
        assert BlockStore(folder).add([rows(second)], [rows(first)]) == (names[::-1], 0)


@given(additions=st.lists(SEEDS, min_size=1, max_size=5), used=st.sets(st.integers(0, 40)))
@settings(max_examples=30)
def test_unused_blocks_are_deleted_and_the_others_are_kept(
    additions: list[list[int]], used: set[int]
) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        name_of: dict[int, bytes] = {}
        for seeds in additions:
            [names], _ = BlockStore(folder).add([rows(seeds)])
            name_of.update(zip(seeds, names, strict=True))
        alive = sorted(used & name_of.keys())
        BlockStore(folder).keep_only({name_of[seed] for seed in alive})
        for path in folder.iterdir():
            only_this = tempfile.mkdtemp(dir=scratch)
            path.rename(Path(only_this) / path.name)
            in_pack = [seed for seed in name_of if can_read(Path(only_this), name_of[seed])]
            assert sum(seed not in used for seed in in_pack) <= len(in_pack) / 4
            (Path(only_this) / path.name).rename(path)
            Path(only_this).rmdir()
        blocks = BlockStore(folder).read([name_of[seed] for seed in alive])
        assert (blocks == rows(alive)).all()
        BlockStore(folder).keep_only({name_of[seed] for seed in alive}, slack=0)
        deleted = [seed for seed in name_of if not can_read(folder, name_of[seed])]
        assert sorted(deleted) == sorted(name_of.keys() - used)


def can_read(folder: Path, name: bytes) -> bool:
    try:
        BlockStore(folder).read([name])
    except BlockError:
        return False
    return True


@given(seeds=SEEDS.filter(bool), where=st.floats(0, 1), bit=st.integers(0, 7))
@settings(max_examples=60)
def test_a_flipped_bit_is_never_read_as_content(seeds: list[int], where: float, bit: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        [names], _ = BlockStore(Path(scratch)).add([rows(seeds)])
        [pack] = Path(scratch).iterdir()
        content = bytearray(pack.read_bytes())
        content[int(where * (len(content) - 1))] ^= 1 << bit
        pack.write_bytes(content)
        with pytest.raises(BlockError, match=r"has changed since|in no pack"):
            BlockStore(Path(scratch)).read(names)
        new, _ = BlockStore(Path(scratch)).add([rows([41])])  # adding still works
        assert (BlockStore(Path(scratch)).read(new[0]) == rows([41])).all()


@every_case("length", [0, 10, 100, 5000])
def test_a_truncated_pack_is_an_error(tmp_path: Path, length: int) -> None:
    [names], _ = BlockStore(tmp_path).add([rows([1, 3, 5])])
    [pack] = tmp_path.iterdir()
    pack.write_bytes(pack.read_bytes()[:length])
    with pytest.raises(BlockError):
        BlockStore(tmp_path).read(names)


@given(
    root=st.lists(st.integers(0, 3), min_size=12, max_size=12),
    changed=st.dictionaries(st.integers(0, 11), st.integers(0, 3)),
)
@settings(max_examples=40)
def test_pages_written_to_a_stream_are_extracted_if_they_differ_from_the_root(
    root: list[int], changed: dict[int, int]
) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        memory, stream = Path(scratch) / "memory", Path(scratch) / "stream"
        memory.write_bytes(rows(root).tobytes())
        numbers = sorted(changed)
        pages = Pages(np.array(numbers, dtype=np.int64), rows([changed[n] for n in numbers]))
        with stream.open("wb") as out:
            write_stream(add_configuration(DEVICES, "pc-q35-10.0"), [pages], out)
        assert stream.read_bytes().endswith(DEVICES[len(HEADER) :])
        differing = differing_pages(stream, memory)
        expected_numbers = [n for n in numbers if changed[n] != root[n]]
        assert differing.numbers.tolist() == expected_numbers
        assert (differing.content == rows([changed[n] for n in expected_numbers])).all()
        write_pages(differing, memory)
        expected = rows([changed.get(n, seed) for n, seed in enumerate(root)])
        assert memory.read_bytes() == expected.tobytes()


def make_stream(*sections: bytes) -> bytes:
    """The stream of `migrate` for a machine of 4 pages, with these sections of memory."""
    opening = b"\x01" + b"\0\0\0\2" + b"\x03ram" + struct.pack(">II", 0, 4)
    sizes = struct.pack(">Q", 5 * PAGE | 4) + b"\x06am.ram" + struct.pack(">Q", 4 * PAGE)
    sizes += b"\x04vram" + struct.pack(">Q", PAGE)
    end, footer = struct.pack(">Q", 0x10), b"\x7e\0\0\0\2"
    parts = [b"\x02\0\0\0\2"] * (len(sections) - 1) + [b"\x03\0\0\0\2"]
    command = b"\x08" + struct.pack(">HH", 11, 3) + b"abc"  # QEMU 10 sends one before the last
    stream = HEADER + b"\x07\0\0\0\4name" + opening + sizes + end + footer
    for part, section in zip(parts, sections, strict=True):
        stream += (command if part == parts[-1] else b"") + part + section + end + footer
    return stream + DEVICES[len(HEADER) :]


def record(number: int, kind: int, block: str, content: bytes) -> bytes:
    """The record of one page; with an empty `block`, in the previous record's RAM block."""
    name = bytes([len(block)]) + block.encode() if block else b""
    return struct.pack(">Q", number * PAGE | kind | (0 if block else 0x20)) + name + content


def test_pages_are_extracted_from_every_section_of_memory(tmp_path: Path) -> None:
    stream = make_stream(
        record(0, 8, "am.ram", rows([1]).tobytes()) + record(2, 2, "", b"\0"),
        record(0, 8, "vram", rows([5]).tobytes()),
        record(3, 8, "am.ram", rows([3]).tobytes()) + record(1, 8, "", rows([7]).tobytes()),
    )
    (tmp_path / "stream").write_bytes(stream)
    (tmp_path / "memory").write_bytes(rows([0, 7, 9, 9]).tobytes())
    pages = differing_pages(tmp_path / "stream", tmp_path / "memory")
    assert pages.numbers.tolist() == [0, 2, 3]
    assert (pages.content == rows([1, 0, 3])).all()
    (tmp_path / "stream").write_bytes(stream.replace(b"\x08\0\x0b", b"\x04\0\x0b"))
    with pytest.raises(MachineError, match="before the end of memory"):
        differing_pages(tmp_path / "stream", tmp_path / "memory")


def test_a_stream_in_another_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match="does not begin with QEMU's header"):
        add_configuration(b"something else", "pc-q35-10.0")
    (tmp_path / "memory").write_bytes(bytes(PAGE))
    (tmp_path / "stream").write_bytes(DEVICES)
    with pytest.raises(MachineError, match="has no section `ram`"):
        differing_pages(tmp_path / "stream", tmp_path / "memory")
