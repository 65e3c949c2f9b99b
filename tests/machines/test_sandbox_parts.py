"""The parts of the sandbox provider that need no desktop."""

import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ambidex.vm import READY, MachineError
from ambidex.vm.building.image import Base, Image
from ambidex.vm.building.recipe import Screen
from ambidex.vm.machines.owner import PROJECT
from ambidex.vm.machines.spares import Spares
from ambidex.vm.namespace import COMMAND, NoIdRangeError, id_range
from ambidex.vm.sandbox import limits
from ambidex.vm.sandbox.enter import Plan
from ambidex.vm.sandbox.kept import kept_folder, read_kept
from ambidex.vm.sandbox.probe import refusal


@dataclass
class Thing:
    name: str
    closed: threading.Event = field(default_factory=threading.Event)

    def close(self) -> None:
        self.closed.set()


def test_a_spare_is_taken_once_and_made_again_and_none_is_left() -> None:
    said: list[str] = []
    made: list[Thing] = []
    spares: Spares[Thing] = Spares(2, said.append, kinds=3)

    def make() -> Thing:
        made.append(Thing(f"thing {len(made)}"))
        return made[-1]

    assert spares.take("kind") is None
    spares.refill("kind", make)
    spares.wait()
    first, second = spares.take("kind"), spares.take("kind")
    assert first is not None
    assert second is not None
    assert first is not second
    assert spares.take("kind") is None
    assert spares.take("another kind") is None
    spares.refill("kind", make)
    spares.refill("another kind", make)
    spares.wait()
    spares.drop(lambda kind: kind == "kind")
    assert spares.take("kind") is None
    assert spares.take("another kind") is not None
    spares.close()
    assert len(made) == 6
    assert sum(each.closed.is_set() for each in made) == 3  # those that nobody took
    spares.refill("kind", make)
    assert len(made) == 6
    assert not said


def test_spares_of_what_was_not_asked_for_for_longest_go() -> None:
    made: dict[str, Thing] = {}
    spares: Spares[Thing] = Spares(1, lambda _: None, kinds=2)

    def maker(name: str) -> Callable[[], Thing]:
        return lambda: made.setdefault(name, Thing(name))

    for name in ("one", "two", "one", "three"):
        spares.refill(name, maker(name))
        spares.wait()
    assert made["two"].closed.wait(10)
    assert spares.take("two") is None
    assert spares.take("one") is made["one"]
    assert spares.take("three") is made["three"]
    spares.close()


def test_a_spare_that_fails_is_said_and_another_way_is_found() -> None:
    said: list[str] = []
    spares: Spares[Thing] = Spares(1, said.append, kinds=3)

    def fails() -> Thing:
        raise MachineError("no room")

    spares.refill("kind", fails)
    assert spares.take("kind") is None
    assert said == ["a spare machine failed: no room"]
    spares.close()


def test_root_of_a_namespace_is_nobody_here(tmp_path: Path) -> None:
    ran = subprocess.run([*COMMAND, "id", "-u"], capture_output=True, text=True)
    assert ran.stdout == "0\n", ran.stderr
    assert subprocess.run([*COMMAND, "touch", str(tmp_path / "made")]).returncode == 0
    assert (tmp_path / "made").stat().st_uid == id_range()


def test_a_user_without_a_range_is_told_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 65534)
    with pytest.raises(NoIdRangeError, match="usermod --add-subuids"):
        id_range()


def test_what_a_sandbox_stands_on_can_be_had_here_or_the_reason_is_said() -> None:
    assert refusal() == ""
    plan = Plan(["/no/such/tree"], "/", disk=1 << 20, owner=0, groups=[], bubblewrap=["true"])
    words = [sys.executable, "-S", "-m", "ambidex.vm.sandbox.enter", "ambidex-test"]
    ran = subprocess.run(
        words, input=plan.written(), cwd=PROJECT.parent, capture_output=True, text=True
    )
    assert ran.returncode == 1
    assert "was not set up" in ran.stderr
    assert "/no/such/tree" in ran.stderr


def test_without_control_groups_nothing_is_bounded_and_nothing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MOUNT", tmp_path)
    groups = limits.Groups("ambidex-test")
    assert groups.bounded == set()
    assert groups.make("one", limits.Limits(memory=1 << 30)) == []
    groups.close()


def test_a_missing_snapshot_is_named_with_those_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AMBIDEX_CACHE", str(tmp_path))
    base = Base("desk", "id", tmp_path, "3.11", 1024, Screen(), "user")
    image = Image(base, tmp_path / "layer.squashfs", "id")
    assert read_kept(image, READY).layers == ()
    (kept_folder(image) / "mine").mkdir(parents=True)
    (kept_folder(image) / "mine" / "snapshot.json").write_text("{}")
    with pytest.raises(MachineError, match="no snapshot 'nowhere'") as caught:
        read_kept(image, "nowhere")
    assert "ready, mine" in caught.value.hint
    with pytest.raises(MachineError, match="damaged"):
        read_kept(image, "mine")
