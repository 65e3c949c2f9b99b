"""The conformance suite of machine providers, run on each of them.

A sandbox starts anew at each revert, which takes most of these tests' time, so they revert only
where they test that. Each leaves a machine that works.
"""

import base64
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from ambidex.host.client.guest import Guest
from ambidex.host.runs.machines import Source
from ambidex.vm import Machine, MachineError, Program
from ambidex.vm.checkpoints.collection import list_checkpoints
from ambidex.vm.machines.account import VAR_TMP
from ambidex.vm.machines.display import capture
from ambidex.vm.machines.machine import OwnedMachine, Running
from ambidex.vm.machines.reaper import processes_with
from ambidex.vm.store import cache_folder
from tests.support.killed import kill
from tests.support.viewer import screen_of

PROJECT = Path(__file__).parent.parent.parent
PORT = """
import socket, sys
with socket.socket() as s:
    s.settimeout(5)
    print(s.connect_ex((sys.argv[1], int(sys.argv[2]))))
"""


@pytest.fixture
def other(machines: Source) -> Iterator[Machine]:
    """Another machine beside the module's."""
    with closing(machines.make()) as other:
        other.revert("ready")
        yield other


def settings(guest: Guest) -> str:
    return guest.run(["gsettings", "get", "org.gnome.desktop.interface", "gtk-theme"]).stdout


def test_a_revert_undoes_files_settings_processes_and_windows(machine: Machine) -> None:
    with Guest(machine.endpoint, machine.token) as guest:
        before, theme = guest.screenshot(settle=10), settings(guest)
        guest.put("~/left-behind.txt", b"here")
        setting = ["gsettings", "set", "org.gnome.desktop.interface", "gtk-theme", "HighContrast"]
        assert guest.run(setting).returncode == 0
        assert settings(guest) != theme
        guest.run(["gedit"], background=True)
        guest.wait_window("gedit", timeout=120)
    machine.revert("ready")
    with Guest(machine.endpoint, machine.token) as guest:
        assert guest.run(["ls", "-A"], cwd="/home/user").stdout.find("left-behind") == -1
        assert settings(guest) == theme
        assert guest.run(["pgrep", "gedit"]).returncode == 1
        after = guest.screenshot(settle=10)
    # The panel's clock has changed; everything below it is unchanged.
    below = 30 * before.size[0] * 3
    assert before.rgb[below:] == after.rgb[below:]


def test_two_machines_are_isolated_from_each_other(machine: Machine, other: Machine) -> None:
    one = machine
    assert (one.endpoint, one.token, one.vnc) != (other.endpoint, other.token, other.vnc)
    with Guest(one.endpoint, one.token) as first, Guest(other.endpoint, other.token) as second:
        first.put("~/mine.txt", b"one")
        assert "mine.txt" not in second.run(["ls", "-A"], cwd="/home/user").stdout
        machine_id = ["cat", "/etc/machine-id"]
        assert first.run(machine_id).stdout != second.run(machine_id).stdout
    wrong = httpx.get(
        f"{one.endpoint}/harness/health", headers={"Authorization": f"Bearer {other.token}"}
    )
    assert wrong.status_code == 401


def test_a_fork_has_its_own_token_clock_and_randomness(machine: Machine) -> None:
    drawn = []
    for _ in range(2):
        old = machine.token
        machine.revert("ready")
        assert machine.token != old
        stale = {"Authorization": f"Bearer {old}"}
        assert httpx.get(f"{machine.endpoint}/harness/health", headers=stale).status_code == 401
        with Guest(machine.endpoint, machine.token) as guest:
            now = float(guest.run(["date", "+%s.%N"]).stdout)
            assert abs(now - time.time()) < 5
            drawn.append(guest.run(["sh", "-c", "head -c 32 /dev/urandom | base64"]).stdout)
    assert len(base64.b64decode(drawn[0])) == 32
    assert drawn[0] != drawn[1]


def test_a_machine_can_revert_to_a_snapshot_of_itself(machine: Machine) -> None:
    with Guest(machine.endpoint, machine.token) as guest:
        guest.put("~/step-one.txt", b"kept")
        guest.run(["gedit"], background=True)
        guest.wait_window("gedit", timeout=120)
        machine.snapshot("step-one", [Program(("gedit",), "gedit")])
        guest.put("~/step-two.txt", b"lost")
        assert guest.get("~/step-one.txt") == b"kept"  # the machine keeps running
    machine.revert("step-one")
    with Guest(machine.endpoint, machine.token) as guest:
        assert guest.get("~/step-one.txt") == b"kept"
        assert "step-two" not in guest.run(["ls"], cwd="/home/user").stdout
        guest.wait_window("gedit", timeout=10)
    machine.revert("ready")
    with Guest(machine.endpoint, machine.token) as guest:
        assert "step-one" not in guest.run(["ls"], cwd="/home/user").stdout


def test_a_machine_can_revert_to_a_checkpoint_if_the_provider_has_them(
    machine: Machine, provider: str, tmp_path: Path
) -> None:
    with Guest(machine.endpoint, machine.token) as guest:
        guest.put("~/kept.txt", b"kept")
        if provider == "sandbox":
            for operation in (machine.snapshot, machine.revert):
                with pytest.raises(MachineError, match="has no checkpoints"):
                    operation(tmp_path / "1")
            return
        machine.snapshot(tmp_path / "1")
        guest.put("~/later.txt", b"later")  # the machine keeps running
    machine.revert(tmp_path / "1")
    with Guest(machine.endpoint, machine.token) as guest:
        assert guest.get("~/kept.txt") == b"kept"
        assert "later" not in guest.run(["ls"], cwd="/home/user").stdout
    assert [step.name for step in list_checkpoints(tmp_path)] == ["1"]


def test_a_fork_of_a_running_machine_has_its_state_and_does_not_disturb_it(
    machine: Machine, provider: str
) -> None:
    if provider == "sandbox":
        with pytest.raises(MachineError, match="no forks"), machine.fork():
            pass
        return
    machine.revert("ready")
    with Guest(machine.endpoint, machine.token) as guest:
        guest.put("~/both.txt", b"both")
        guest.run(["gedit"], background=True)
        guest.wait_window("gedit", timeout=120)
        with machine.fork() as copy:
            assert (copy.endpoint, copy.token) != (machine.endpoint, machine.token)
            with Guest(copy.endpoint, copy.token) as second:
                assert second.get("~/both.txt") == b"both"
                second.wait_window("gedit", timeout=10)
                second.put("~/copy.txt", b"copy")
                assert second.run(["pkill", "gedit"]).returncode == 0
            address = copy.endpoint
        assert "copy.txt" not in guest.run(["ls"], cwd="/home/user").stdout
        assert guest.run(["pgrep", "gedit"]).returncode == 0
    end = time.monotonic() + 30
    while answers(address) and time.monotonic() < end:
        time.sleep(0.1)  # machines are ended in the background
    assert not answers(address)


def answers(address: str) -> bool:
    try:
        httpx.get(f"{address}/harness/health", timeout=2)
    except httpx.TransportError:
        return False
    return True


def test_the_error_for_a_missing_snapshot_lists_the_existing_ones(machine: Machine) -> None:
    with pytest.raises(MachineError, match=r"no such snapshot.*: 'nowhere'") as caught:
        machine.revert("nowhere")
    assert "ready" in caught.value.hint
    machine.revert("ready")


def test_the_screen_can_be_captured_only_with_the_password(machine: Machine) -> None:
    address, password = screen_of(machine)
    assert address.startswith("127.0.0.1:")
    assert capture(address, password).startswith(b"\x89PNG")
    with pytest.raises(MachineError):
        capture(address, "wrong" + password[:3])


def test_the_guest_can_reach_neither_a_network_nor_the_host(machine: Machine) -> None:
    vnc_port = screen_of(machine)[0].rsplit(":", 1)[1]
    with Guest(machine.endpoint, machine.token) as guest:
        for host, port in (("10.0.2.2", vnc_port), ("192.0.2.1", "80")):
            result = guest.run(["python3", "-c", PORT, host, port], timeout=90)
            assert result.stdout.strip() not in ("", "0"), f"{host}:{port} answered"


def test_a_machine_that_was_killed_works_again_after_a_revert(
    machine: OwnedMachine[Running],
) -> None:
    kill(machine.instance)
    with Guest(machine.endpoint, machine.token) as guest, pytest.raises(Exception, match="answer"):
        guest.run(["true"])
    machine.revert("ready")
    with Guest(machine.endpoint, machine.token) as guest:
        assert guest.run(["true"]).returncode == 0


OWNER = """
import os, sys
from ambidex.host.runs.machines import MachineOptions, open_machines
options = MachineOptions(image=sys.argv[1], provider=sys.argv[2])
with open_machines(options, lambda line: None) as source:
    machine = source.make()
    machine.revert("ready")
    print(machine.instance.name, flush=True)
    sys.stdin.read()
"""


def traces(tag: str) -> list[str]:
    """Processes, folders and control groups on this host of machines with that tag."""
    parents = (cache_folder() / "machines", VAR_TMP)
    folders = [folder for parent in parents for folder in parent.glob(f"{tag}*")]
    groups = [*Path("/sys/fs/cgroup").glob(f"{tag}*"), *Path("/sys/fs/cgroup").glob(f"*/{tag}*")]
    return [*map(str, processes_with(tag)), *map(str, folders), *map(str, groups)]


def test_nothing_outlives_an_owner_that_was_killed(machines: Source) -> None:
    image = machines.image.split(":")[0]
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, image, machines.provider],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as owner:
        assert owner.stdout is not None
        tag = owner.stdout.readline().strip().rpartition("-")[0]
        alive = processes_with(tag)
        owner.kill()
    assert tag.startswith("ambidex-")
    assert alive
    deadline = time.monotonic() + 30
    while traces(tag) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not traces(tag)
