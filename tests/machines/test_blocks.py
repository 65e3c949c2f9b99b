"""Blocks and QEMU's stream: what goes in comes out, once kept, and damage is told."""

import struct
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ambidex.vm import MachineError
from ambidex.vm.checkpoints.blocks import Blocks
from ambidex.vm.checkpoints.memory import PAGE, Pages, lay_pages
from ambidex.vm.checkpoints.pack import BlockError
from ambidex.vm.checkpoints.stream import HEADER, configured, differing_pages, with_pages
from tests.machines.disks import rows

DEVICES = HEADER + b"\x04devices\0"


SEEDS = st.lists(st.integers(0, 40), max_size=150)


@given(first=SEEDS, second=SEEDS)
@settings(max_examples=30)
def test_blocks_come_out_as_they_went_in_and_each_is_kept_once(
    first: list[int], second: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        names, added = Blocks(folder).add([rows(first)], [rows(second)])
        assert (Blocks(folder).read(names[0]) == rows(first)).all()
        assert (Blocks(folder).read(names[1]) == rows(second)).all()
        assert added == sum(path.stat().st_size for path in folder.iterdir())
        assert len({*names[0], *names[1]}) == len({*first, *second})
        assert Blocks(folder).add([rows(second)], [rows(first)]) == (names[::-1], 0)


@given(steps=st.lists(SEEDS, min_size=1, max_size=5), wanted=st.sets(st.integers(0, 40)))
@settings(max_examples=30)
def test_blocks_that_nobody_wants_are_given_back_and_the_others_stay(
    steps: list[list[int]], wanted: set[int]
) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        name_of = {}
        for seeds in steps:
            [names], _ = Blocks(folder).add([rows(seeds)])
            name_of.update(zip(seeds, names, strict=True))
        alive = sorted(wanted & name_of.keys())
        Blocks(folder).keep_only({name_of[seed] for seed in alive})
        for path in folder.iterdir():
            some = tempfile.mkdtemp(dir=scratch)
            path.rename(Path(some) / path.name)
            held = [seed for seed in name_of if known(Path(some), name_of[seed])]
            assert sum(seed not in wanted for seed in held) <= len(held) / 4
            (Path(some) / path.name).rename(path)
            Path(some).rmdir()
        read = Blocks(folder).read([name_of[seed] for seed in alive])
        assert (read == rows(alive)).all()
        Blocks(folder).keep_only({name_of[seed] for seed in alive}, slack=0)
        gone = [seed for seed in name_of if not known(folder, name_of[seed])]
        assert sorted(gone) == sorted(name_of.keys() - wanted)


def known(folder: Path, name: bytes) -> bool:
    try:
        Blocks(folder).read([name])
    except BlockError:
        return False
    return True


@given(seeds=SEEDS.filter(bool), where=st.floats(0, 1), bit=st.integers(0, 7))
@settings(max_examples=60)
def test_no_flipped_bit_comes_out_as_content(seeds: list[int], where: float, bit: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        [names], _ = Blocks(Path(scratch)).add([rows(seeds)])
        [pack] = Path(scratch).iterdir()
        content = bytearray(pack.read_bytes())
        content[int(where * (len(content) - 1))] ^= 1 << bit
        pack.write_bytes(content)
        with pytest.raises(BlockError, match=r"not what was written|in no pack"):
            Blocks(Path(scratch)).read(names)
        again, _ = Blocks(Path(scratch)).add([rows([41])])  # a new one is kept all the same
        assert (Blocks(Path(scratch)).read(again[0]) == rows([41])).all()


@pytest.mark.parametrize("length", [0, 10, 100, 5000])
def test_a_pack_that_was_cut_off_has_nothing_to_give(tmp_path: Path, length: int) -> None:
    [names], _ = Blocks(tmp_path).add([rows([1, 3, 5])])
    [pack] = tmp_path.iterdir()
    pack.write_bytes(pack.read_bytes()[:length])
    with pytest.raises(BlockError):
        Blocks(tmp_path).read(names)


@given(
    root=st.lists(st.integers(0, 3), min_size=12, max_size=12),
    changed=st.dictionaries(st.integers(0, 11), st.integers(0, 3)),
)
@settings(max_examples=40)
def test_pages_put_into_a_stream_are_found_in_it_where_they_are_not_the_root_s(
    root: list[int], changed: dict[int, int]
) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        memory, stream = Path(scratch) / "memory", Path(scratch) / "stream"
        memory.write_bytes(rows(root).tobytes())
        numbers = sorted(changed)
        pages = Pages(np.array(numbers, dtype=np.int64), rows([changed[n] for n in numbers]))
        with stream.open("wb") as out:
            with_pages(configured(DEVICES, "pc-q35-10.0"), [pages], out)
        assert stream.read_bytes().endswith(DEVICES[len(HEADER) :])
        found = differing_pages(stream, memory)
        other = [n for n in numbers if changed[n] != root[n]]
        assert found.numbers.tolist() == other
        assert (found.content == rows([changed[n] for n in other])).all()
        lay_pages(found, memory)
        expected = rows([changed.get(n, was) for n, was in enumerate(root)])
        assert memory.read_bytes() == expected.tobytes()


def saved(*sections: bytes) -> bytes:
    """What `migrate` writes of a machine of 4 pages: each section of memory under its footer."""
    opened = b"\x01" + b"\0\0\0\2" + b"\x03ram" + struct.pack(">II", 0, 4)
    sizes = struct.pack(">Q", 5 * PAGE | 4) + b"\x06am.ram" + struct.pack(">Q", 4 * PAGE)
    sizes += b"\x04vram" + struct.pack(">Q", PAGE)
    end, footer = struct.pack(">Q", 0x10), b"\x7e\0\0\0\2"
    parts = [b"\x02\0\0\0\2"] * (len(sections) - 1) + [b"\x03\0\0\0\2"]
    command = b"\x08" + struct.pack(">HH", 11, 3) + b"abc"  # QEMU 10 sends one before the last
    said = HEADER + b"\x07\0\0\0\4name" + opened + sizes + end + footer
    for part, section in zip(parts, sections, strict=True):
        said += (command if part == parts[-1] else b"") + part + section + end + footer
    return said + DEVICES[len(HEADER) :]


def record(number: int, kind: int, block: str, content: bytes) -> bytes:
    """One page; of the block of the page before where none is named."""
    named = bytes([len(block)]) + block.encode() if block else b""
    return struct.pack(">Q", number * PAGE | kind | (0 if block else 0x20)) + named + content


def test_pages_are_found_in_every_section_of_memory_that_qemu_saves(tmp_path: Path) -> None:
    stream = saved(
        record(0, 8, "am.ram", rows([1]).tobytes()) + record(2, 2, "", b"\0"),
        record(0, 8, "vram", rows([5]).tobytes()),
        record(3, 8, "am.ram", rows([3]).tobytes()) + record(1, 8, "", rows([7]).tobytes()),
    )
    (tmp_path / "stream").write_bytes(stream)
    (tmp_path / "memory").write_bytes(rows([0, 7, 9, 9]).tobytes())
    found = differing_pages(tmp_path / "stream", tmp_path / "memory")
    assert found.numbers.tolist() == [0, 2, 3]
    assert (found.content == rows([1, 0, 3])).all()
    (tmp_path / "stream").write_bytes(stream.replace(b"\x08\0\x0b", b"\x04\0\x0b"))
    with pytest.raises(MachineError, match="before memory's end"):
        differing_pages(tmp_path / "stream", tmp_path / "memory")


def test_a_stream_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match="does not begin as QEMU writes it"):
        configured(b"something else", "pc-q35-10.0")
    (tmp_path / "memory").write_bytes(bytes(PAGE))
    (tmp_path / "stream").write_bytes(DEVICES)
    with pytest.raises(MachineError, match="has no memory in it"):
        differing_pages(tmp_path / "stream", tmp_path / "memory")
