"""Parts of the sandbox provider that work without a desktop."""

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
from ambidex.vm.sandbox.kept import read_sandbox_snapshot, sandbox_snapshots_folder
from ambidex.vm.sandbox.probe import find_problem


@dataclass
class FakeMachine:
    name: str
    closed: threading.Event = field(default_factory=threading.Event)

    def close(self) -> None:
        self.closed.set()


def test_a_taken_spare_is_replaced_and_close_ends_the_rest() -> None:
    messages: list[str] = []
    made: list[FakeMachine] = []
    spares: Spares[FakeMachine] = Spares(2, messages.append, kinds=3)

    def make() -> FakeMachine:
        made.append(FakeMachine(f"machine {len(made)}"))
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
    assert sum(machine.closed.is_set() for machine in made) == 3  # those that were not taken
    spares.refill("kind", make)
    assert len(made) == 6
    assert not messages


def test_spares_of_the_least_recently_used_kind_are_ended() -> None:
    made: dict[str, FakeMachine] = {}
    spares: Spares[FakeMachine] = Spares(1, lambda _: None, kinds=2)

    def maker(name: str) -> Callable[[], FakeMachine]:
        return lambda: made.setdefault(name, FakeMachine(name))

    for name in ("one", "two", "one", "three"):
        spares.refill(name, maker(name))
        spares.wait()
    assert made["two"].closed.wait(10)
    assert spares.take("two") is None
    assert spares.take("one") is made["one"]
    assert spares.take("three") is made["three"]
    spares.close()


def test_a_spare_that_failed_is_reported_and_skipped() -> None:
    messages: list[str] = []
    spares: Spares[FakeMachine] = Spares(1, messages.append, kinds=3)

    def fail() -> FakeMachine:
        raise MachineError("no room")

    spares.refill("kind", fail)
    assert spares.take("kind") is None
    assert messages == ["a spare machine failed: no room"]
    spares.close()


def test_root_of_a_namespace_has_an_unused_id_on_the_host(tmp_path: Path) -> None:
    process = subprocess.run([*COMMAND, "id", "-u"], capture_output=True, text=True)
    assert process.stdout == "0\n", process.stderr
    assert subprocess.run([*COMMAND, "touch", str(tmp_path / "file")]).returncode == 0
    assert (tmp_path / "file").stat().st_uid == id_range()


def test_a_user_without_a_range_of_ids_is_told_how_to_add_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 65534)
    with pytest.raises(NoIdRangeError, match="usermod --add-subuids"):
        id_range()


def test_a_sandbox_can_be_set_up_here_and_a_failure_names_its_reason() -> None:
    assert find_problem() == ""
    plan = Plan(["/no/such/tree"], "/", disk=1 << 20, owner=0, groups=[], bubblewrap=["true"])
    enter = [sys.executable, "-S", "-m", "ambidex.vm.sandbox.enter", "ambidex-test"]
    process = subprocess.run(
        enter, input=plan.to_json(), cwd=PROJECT.parent, capture_output=True, text=True
    )
    assert process.returncode == 1
    assert "could not be set up" in process.stderr
    assert "/no/such/tree" in process.stderr


def test_without_control_groups_nothing_is_limited_and_nothing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MOUNT", tmp_path)
    groups = limits.ControlGroups("ambidex-test")
    assert groups.limited == set()
    assert groups.make("one", limits.Limits(memory=1 << 30)) == []
    groups.close()


def test_the_error_for_a_missing_snapshot_lists_the_existing_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AMBIDEX_CACHE", str(tmp_path))
    base = Base("desk", "id", tmp_path, "3.11", 1024, Screen(), "user")
    image = Image(base, tmp_path / "layer.squashfs", "id")
    assert read_sandbox_snapshot(image, READY).layers == ()
    (sandbox_snapshots_folder(image) / "mine").mkdir(parents=True)
    (sandbox_snapshots_folder(image) / "mine" / "snapshot.json").write_text("{}")
    with pytest.raises(MachineError, match="no such snapshot of a sandbox: 'nowhere'") as caught:
        read_sandbox_snapshot(image, "nowhere")
    assert "ready, mine" in caught.value.hint
    with pytest.raises(MachineError, match="damaged"):
        read_sandbox_snapshot(image, "mine")
