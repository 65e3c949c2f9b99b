"""Limits of a sandbox: what exceeds them fails, and the rest keeps running."""

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
    """A sandbox with narrow limits."""
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


def test_a_program_that_uses_all_memory_is_killed_and_the_rest_keeps_running(
    small: OwnedMachine[Sandbox],
) -> None:
    with Guest(small.endpoint, small.token) as guest:
        if "memory" not in small.instance.groups.limited:
            without("no control group limits memory here")
        result = guest.run(["python3", "-c", EATER], timeout=120)
        assert result.returncode == -9
        assert guest.health().ready


def test_the_number_of_processes_is_limited(small: OwnedMachine[Sandbox]) -> None:
    with Guest(small.endpoint, small.token) as guest:
        result = guest.run(["python3", "-c", FORKS], timeout=120)
        count, _, error = result.stdout.partition(" ")
        assert "unavailable" in error, result.stderr
        assert 50 < int(count) < SMALL.processes
        guest.run(["pkill", "-f", "time.sleep"])
        assert guest.health().ready


def test_the_size_of_files_is_limited(small: OwnedMachine[Sandbox]) -> None:
    with Guest(small.endpoint, small.token) as guest:
        # The full file system has no room for the output of programs either.
        fill = "dd if=/dev/zero of=/home/user/fills bs=1M 2>/dev/shm/error"
        assert guest.run(["sh", "-c", fill], timeout=120).returncode == 1
        assert b"No space left" in guest.get("/dev/shm/error")
        guest.run(["sh", "-c", "stat -c %s /home/user/fills >/dev/shm/size"])
        size = int(guest.get("/dev/shm/size"))
        assert size < SMALL.disk
        guest.run(["rm", "/home/user/fills"])
        guest.put("~/again.txt", b"room")


def test_a_snapshot_with_a_window_of_an_unnamed_program_is_refused(
    machine: OwnedMachine[Sandbox],
) -> None:
    with Guest(machine.endpoint, machine.token) as guest:
        guest.run(["gedit"], background=True)
        guest.wait_window("gedit", timeout=60)
        with pytest.raises(
            MachineError, match="windows of gedit are open, programs named: none"
        ) as caught:
            machine.snapshot("unnamed")
        assert "name every program" in caught.value.hint
    with pytest.raises(MachineError, match="image's own"):
        machine.snapshot("ready")


def test_a_snapshot_of_a_snapshot_is_self_contained(machine: OwnedMachine[Sandbox]) -> None:
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
    machine.snapshot("first")  # replaces the first one
    machine.revert("second")
    with Guest(machine.endpoint, machine.token) as guest:
        names = guest.run(["ls", "/home/user", "/home/user/.config"]).stdout.split()
        assert {"one.txt", "two.txt", "new"} <= set(names)
        assert "gone.txt" not in names
        guest.wait_window("two.txt", timeout=1)
        assert guest.run(["stat", "-c", "%U", "/home/user/one.txt"]).stdout == "user\n"


def test_an_imported_disk_cannot_run_as_a_sandbox(image: Image, tmp_path: Path) -> None:
    only_disk = replace(image, base=replace(image.base, folder=tmp_path))
    with (
        SandboxProvider(spares=0) as provider,
        provider.machine(only_disk) as machine,
        pytest.raises(MachineError, match="it is only a disk"),
    ):
        machine.boot()
