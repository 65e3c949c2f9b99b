"""The store of stages: a budget, the least recently used, and locks between processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ambidex.vm import MachineError
from ambidex.vm.stages import BUDGET, StageStore, budget_in_bytes, delete_entry, entries

READS = """
import sys
from pathlib import Path
from ambidex.vm.stages import StageStore
with StageStore(Path(sys.argv[1]), "base", 0).reading("first") as entry:
    print(entry, flush=True)
    sys.stdin.read()
"""
"""Uses an entry until its input ends."""


def filled(store: StageStore, key: str, size: int, used: int = 0) -> Path:
    with store.writing(key) as entry:
        assert entry is not None
        (entry / "content").write_bytes(bytes(size))
    os.utime(entry, (used, used))
    return entry


def test_the_least_recently_used_entries_are_evicted_beyond_the_budget(tmp_path: Path) -> None:
    store = StageStore(tmp_path, "base", budget=250)
    first, second = filled(store, "first", 100, 1), filled(store, "second", 100, 2)
    assert store.evict() == []
    with store.reading("first") as entry:  # a use
        assert entry == first
    third = filled(StageStore(tmp_path, "another-base", 250), "third", 100, 3)
    assert store.evict() == [second]
    assert entries(tmp_path) == [third, first]


def test_an_entry_in_use_is_not_evicted_and_not_written(tmp_path: Path) -> None:
    store = StageStore(tmp_path, "base", budget=0)
    first, second = filled(store, "first", 100, 1), filled(store, "second", 100, 2)
    with store.reading("first"), store.reading("first") as both:
        assert both == first
        assert store.evict() == [second]
        with store.writing("first") as refused:
            assert refused is None
    with store.writing("first") as entry, store.reading("first") as refused:
        assert (entry, refused) == (first, None)
        assert not delete_entry(first)
    assert store.evict() == [first]


def test_another_process_protects_what_it_uses_until_it_is_killed(tmp_path: Path) -> None:
    store = StageStore(tmp_path, "base", budget=0)
    first = filled(store, "first", 100)
    with subprocess.Popen(
        [sys.executable, "-c", READS, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().decode().strip() == str(first)
        assert store.evict() == []
        process.kill()
        process.wait(60)
        assert store.evict() == [first]


def test_what_a_killed_eviction_left_is_no_entry_and_is_removed(tmp_path: Path) -> None:
    store = StageStore(tmp_path, "base", budget=1000)
    kept = filled(store, "kept", 10)
    half = tmp_path / "base" / ".1234.doomed"
    half.mkdir()
    assert entries(tmp_path) == [kept]
    store.evict()
    assert not half.exists()


def test_the_budget_is_a_number_of_gigabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BUDGET, "0.5")
    assert budget_in_bytes() == 500_000_000
    for wrong in ("much", "-1", "inf", "nan"):
        monkeypatch.setenv(BUDGET, wrong)
        with pytest.raises(MachineError, match="not a number of gigabytes"):
            budget_in_bytes()
