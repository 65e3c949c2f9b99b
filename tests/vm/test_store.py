import multiprocessing
import os
import signal
import time
from pathlib import Path

import pytest

from ambidex.vm.store import digest, forget, once, tree_digest


def test_a_folder_is_built_once_and_then_reused(tmp_path: Path) -> None:
    builds = []

    def build(staging: Path) -> None:
        builds.append(staging)
        (staging / "part").write_text("complete")

    for _ in range(2):
        assert (once(tmp_path / "result", build, print) / "part").read_text() == "complete"
    assert len(builds) == 1


def test_a_failed_build_leaves_nothing_under_the_final_name(tmp_path: Path) -> None:
    def fail(staging: Path) -> None:
        (staging / "half").touch()
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        once(tmp_path / "result", fail, print)
    assert not (tmp_path / "result").exists()


def _crash(staging: Path) -> None:
    (staging / "first-stage").write_text("done before the crash")
    os.kill(os.getpid(), signal.SIGKILL)


def _once(final: Path) -> None:
    once(final, _crash, print)


def test_a_build_that_was_killed_is_resumed_from_its_staging_folder(tmp_path: Path) -> None:
    process = multiprocessing.get_context("spawn").Process(target=_once, args=(tmp_path / "x",))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    assert not (tmp_path / "x").exists()

    def resume(staging: Path) -> None:
        assert (staging / "first-stage").read_text() == "done before the crash"
        (staging / "second-stage").touch()

    assert (once(tmp_path / "x", resume, print) / "second-stage").exists()


def _slow(staging: Path) -> None:
    time.sleep(0.5)
    (staging / f"by-{os.getpid()}").touch()


def _build_slowly(final: Path) -> None:
    once(final, _slow, lambda _: None)


def test_two_processes_that_need_one_folder_build_it_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    pair = [context.Process(target=_build_slowly, args=(tmp_path / "x",)) for _ in range(2)]
    for process in pair:
        process.start()
    for process in pair:
        process.join(60)
        assert process.exitcode == 0
    assert len(list((tmp_path / "x").iterdir())) == 1


def test_a_digest_depends_on_part_boundaries_and_a_tree_digest_on_every_byte(
    tmp_path: Path,
) -> None:
    assert digest("ab", "c") != digest("a", "bc")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_text("one")
    before = tree_digest([tmp_path / "a"])
    (tmp_path / "a" / "__pycache__").mkdir()
    (tmp_path / "a" / "__pycache__" / "x.pyc").write_text("byte code")
    assert tree_digest([tmp_path / "a"]) == before
    (tmp_path / "a" / "file").write_text("two")
    assert tree_digest([tmp_path / "a"]) != before


def test_forget_removes_a_folder_and_accepts_a_missing_one(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    forget(tmp_path / "x")
    forget(tmp_path / "x")
    assert not list(tmp_path.iterdir())
