"""What a sandbox may use, and what becomes of the others when one wants more."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ambidex.host.client.guest import Guest
from ambidex.host.runs.machines import Source
from ambidex.vm import MachineError, Program
from ambidex.vm.building.image import Image, open_image
from ambidex.vm.machines.machine import OwnedMachine
from ambidex.vm.sandbox.instance import Sandbox
from ambidex.vm.sandbox.limits import Limits
from ambidex.vm.sandbox.provider import SandboxProvider
from tests.conftest import without

SMALL = Limits(memory=1200 << 20, processes=600, disk=256 << 20)


@pytest.fixture(scope="module")
def image(machines: Source) -> Image:
    return open_image(machines.image.split(":")[0])


@pytest.fixture(scope="module")
def small(image: Image) -> Iterator[OwnedMachine[Sandbox]]:
    """A sandbox with narrow bounds."""
    with SandboxProvider(spares=0, limits=SMALL) as provider, provider.machine(image) as machine:
        machine.boot()
        yield machine


EATER = "a = []\nwhile True: a.append(bytearray(b'x' * (1 << 20)))"
FORKS = """
import os, time
made = 0
try:
    while True:
        if os.fork() == 0:
            time.sleep(600)
        made += 1
except OSError as error:
    print(made, error)
"""


def test_who_eats_all_memory_is_ended_and_the_rest_goes_on(small: OwnedMachine[Sandbox]) -> None:
    with Guest(small.endpoint, small.token) as guest:
        if "memory" not in small.instance.groups.bounded:
            without("no control group bounds memory here")
        ran = guest.run(["python3", "-c", EATER], timeout=120)
        assert ran.returncode == -9
        assert guest.health().ready


def test_processes_are_bounded(small: OwnedMachine[Sandbox]) -> None:
    with Guest(small.endpoint, small.token) as guest:
        ran = guest.run(["python3", "-c", FORKS], timeout=120)
        made, _, said = ran.stdout.partition(" ")
        assert "unavailable" in said, ran.stderr
        assert 50 < int(made) < SMALL.processes
        guest.run(["pkill", "-f", "time.sleep"])
        assert guest.health().ready


def test_files_are_bounded(small: OwnedMachine[Sandbox]) -> None:
    with Guest(small.endpoint, small.token) as guest:
        # What a program says would find no room either.
        fill = "dd if=/dev/zero of=/home/user/fills bs=1M 2>/dev/shm/said"
        assert guest.run(["sh", "-c", fill], timeout=120).returncode == 1
        assert b"No space left" in guest.get("/dev/shm/said")
        guest.run(["sh", "-c", "stat -c %s /home/user/fills >/dev/shm/size"])
        size = int(guest.get("/dev/shm/size"))
        assert size < SMALL.disk
        guest.run(["rm", "/home/user/fills"])
        guest.put("~/again.txt", b"room")


def test_a_snapshot_with_a_window_that_nobody_names_is_refused(
    machine: OwnedMachine[Sandbox],
) -> None:
    with Guest(machine.endpoint, machine.token) as guest:
        guest.run(["gedit"], background=True)
        guest.wait_window("gedit", timeout=60)
        with pytest.raises(
            MachineError, match="windows of gedit are open, and no program"
        ) as caught:
            machine.snapshot("unnamed")
        assert "name each" in caught.value.hint
    with pytest.raises(MachineError, match="image's own"):
        machine.snapshot("ready")


def test_a_snapshot_of_a_snapshot_stands_by_itself(machine: OwnedMachine[Sandbox]) -> None:
    machine.revert("ready")
    with Guest(machine.endpoint, machine.token) as guest:
        guest.put("~/one.txt", b"1")
        guest.put("~/gone.txt", b"1")
        guest.run(["rm", "-rf", "/home/user/.config"])
    machine.snapshot("first")
    machine.revert("first")
    with Guest(machine.endpoint, machine.token) as guest:
        assert guest.get("~/one.txt") == b"1"
        guest.run(["rm", "/home/user/gone.txt"])
        guest.run(["mkdir", "-p", "/home/user/.config/new"])
        guest.put("~/two.txt", b"2")
    machine.snapshot("second", [Program(("gedit", "/home/user/two.txt"), "two.txt")])
    machine.revert("ready")
    machine.snapshot("first")  # another one under the old name
    machine.revert("second")
    with Guest(machine.endpoint, machine.token) as guest:
        there = guest.run(["ls", "/home/user", "/home/user/.config"]).stdout.split()
        assert {"one.txt", "two.txt", "new"} <= set(there)
        assert "gone.txt" not in there
        guest.wait_window("two.txt", timeout=1)
        assert guest.run(["stat", "-c", "%U", "/home/user/one.txt"]).stdout == "user\n"


def test_an_imported_disk_is_no_sandbox(image: Image, tmp_path: Path) -> None:
    nothing = replace(image, base=replace(image.base, folder=tmp_path))
    with (
        SandboxProvider(spares=0) as provider,
        provider.machine(nothing) as machine,
        pytest.raises(MachineError, match="a disk alone"),
    ):
        machine.boot()
