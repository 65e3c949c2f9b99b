"""Isolation of a sandbox from the host, against the desktop user and against root inside."""

import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ambidex.host.client.guest import Guest
from ambidex.host.runs.machines import Source
from ambidex.vm import MachineError
from ambidex.vm.machines.display import capture
from ambidex.vm.machines.machine import OwnedMachine
from ambidex.vm.sandbox.instance import Sandbox
from tests.support.viewer import screen_of

NAMESPACES = ("--user", "--mount", "--pid", "--net", "--ipc", "--uts")


def shell(guest: Guest, script: str) -> str:
    result = guest.run(["bash", "-c", script])
    return f"{result.stdout}{result.stderr}"


def as_root_inside(machine: OwnedMachine[Sandbox], script: str) -> str:
    """The output of a script that runs as root inside, confined only by the namespaces."""
    enter = ["nsenter", "--target", str(machine.instance.pid()), *NAMESPACES, "--root", "--wd=/"]
    process = subprocess.run([*enter, "sh", "-c", script], capture_output=True, text=True)
    return f"{process.stdout}{process.stderr}"


@pytest.fixture
def marked() -> Iterator[str]:
    """A process on the host with this mark in its command line."""
    mark = f"mark-{secrets.token_hex(8)}"
    with subprocess.Popen(
        [sys.executable, "-c", "input()", mark], stdin=subprocess.PIPE
    ) as process:
        yield mark
        process.communicate()


def test_no_process_of_the_host_is_visible(
    machine: OwnedMachine[Sandbox], guest: Guest, marked: str
) -> None:
    command_lines = "cat /proc/[0-9]*/cmdline | tr '\\0' '\\n'"
    for output in (shell(guest, command_lines), as_root_inside(machine, command_lines)):
        assert "ambidex.guest.forkserver" in output
        assert marked not in output
    assert shell(guest, "tr '\\0' ' ' </proc/1/cmdline").startswith("/usr/bin/python3 -I -S /run/")


def test_no_file_of_the_host_is_visible(
    machine: OwnedMachine[Sandbox], guest: Guest, tmp_path: Path
) -> None:
    secret = secrets.token_hex(16)
    (tmp_path / "secret").write_text(secret)
    tmp_path.chmod(0o755)
    for run in (
        lambda script: shell(guest, script),
        lambda script: as_root_inside(machine, script),
    ):
        assert "No such file" in run(f"cat {tmp_path}/secret")
        assert secret not in run(f"cat /proc/1/root{tmp_path}/secret /proc/*/root{tmp_path}/secret")
        assert "overlay / overlay" in run("grep ' / ' /proc/mounts").replace("ambidex", "overlay")
    mounts = as_root_inside(machine, "cat /proc/mounts")
    assert str(Path.home()) not in mounts
    assert "upperdir" not in mounts or "/tmp/upper" in mounts  # a path that does not exist inside
    assert "No such file" in shell(guest, "ls /tmp/upper")


def test_the_image_and_the_guest_s_code_cannot_be_written(
    machine: OwnedMachine[Sandbox], guest: Guest
) -> None:
    tree = machine.instance.lower[-1]
    assert "Read-only" in as_root_inside(machine, "touch /opt/ambidex/guest/new")
    assert "changed" in as_root_inside(machine, "echo changed >/etc/hostname; cat /etc/hostname")
    assert (tree / "etc" / "hostname").read_text() == "ambidex-desk\n"


def test_root_inside_has_no_rights_on_the_host(
    machine: OwnedMachine[Sandbox], guest: Guest
) -> None:
    for line in Path(f"/proc/{machine.instance.pid()}/status").read_text().splitlines():
        if line.startswith(("Uid:", "Gid:")):
            assert 0 not in map(int, line.split()[1:])
    for attempt in (
        "echo 1 >/proc/sys/kernel/sysrq",
        "echo x >/proc/sysrq-trigger",
        "mknod /tmp/disk b 8 0 && head -c 1 /tmp/disk",
        "mount -t sysfs none /mnt && echo 0 >/sys/power/state",
        "date -s 2000-01-01",
        "dmesg --clear",
        "mount --bind /proc/1/root /mnt && ls /mnt/tmp/upper",
    ):
        output = as_root_inside(machine, f"({attempt}) >/dev/null 2>&1 && echo done")
        assert "done" not in output, attempt


REACH = """
import socket, sys
kind, where = sys.argv[1:]
with socket.socket(socket.AF_INET if kind == "inet" else socket.AF_UNIX) as s:
    s.settimeout(3)
    host, _, port = where.rpartition(":")
    s.connect((host, int(port)) if kind == "inet" else where.replace("@", chr(0)))
    print("reached")
"""


def test_no_socket_of_the_host_can_be_reached(machine: OwnedMachine[Sandbox], guest: Guest) -> None:
    name = f"@ambidex-test-{secrets.token_hex(8)}"
    with socket.create_server(("127.0.0.1", 0)) as inet, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(name.replace("@", "\0"))
        unix.listen()
        port = inet.getsockname()[1]
        address = machine.endpoint.rpartition("/")[2]
        for kind, where in (
            ("inet", f"127.0.0.1:{port}"),
            ("inet", f"{socket.gethostbyname(socket.gethostname())}:{port}"),
            ("inet", address),
            ("inet", screen_of(machine)[0]),
            ("inet", "192.0.2.1:80"),
            ("unix", name),
        ):
            result = guest.run(["python3", "-c", REACH, kind, where], timeout=90)
            assert "reached" not in result.stdout, where
            assert "Error" in result.stderr
    links = shell(guest, "ip -brief link").splitlines()
    assert [line.split()[0] for line in links] == ["lo"]


STEAL = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
got = 0
for pid in filter(str.isdigit, os.listdir("/proc")):
    handle = libc.syscall(434, int(pid), 0)  # pidfd_open
    for number in range(64):
        taken = libc.syscall(438, handle, number, 0)  # pidfd_getfd
        if taken >= 0:
            try:
                if os.readlink(f"/proc/self/fd/{taken}").startswith("socket:"):
                    import socket
                    name = socket.socket(fileno=os.dup(taken)).getsockname()
                    got += name[1:2] == (int(sys.argv[1]),)
            except (OSError, ValueError, TypeError):
                pass
            os.close(taken)
print("stolen", got)
"""


def test_the_desktop_user_cannot_steal_the_sockets_that_connect_to_the_host(
    machine: OwnedMachine[Sandbox], guest: Guest
) -> None:
    for address in (machine.endpoint, screen_of(machine)[0]):
        port = address.rpartition(":")[2]
        result = guest.run(["python3", "-c", STEAL, port], timeout=60)
        assert result.stdout == "stolen 0\n", result.stderr


def test_the_display_requires_its_password_and_listens_on_loopback_only(
    machine: OwnedMachine[Sandbox], guest: Guest
) -> None:
    address, password = screen_of(machine)
    assert capture(address, password).startswith(b"\x89PNG")
    with pytest.raises(MachineError):
        capture(address, "wrong" + password[:3])
    local = {line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:]}
    for port in (address.rpartition(":")[2], machine.endpoint.rpartition(":")[2]):
        ours = {address for address in local if address.endswith(f":{int(port):04X}")}
        assert f"0100007F:{int(port):04X}" in ours
        assert f"00000000:{int(port):04X}" not in ours


def test_no_program_on_the_desktop_can_reconfigure_the_display(guest: Guest) -> None:
    """It could otherwise drop a viewer's keys and pointer events, or rename the desktop."""
    for change in ("AcceptPointerEvents=0", "AcceptKeyEvents=0", "SendCutText=0", "Desktop=other"):
        name, _, value = change.partition("=")
        before = shell(guest, f"tigervncconfig -get {name}").strip()
        assert "failed" in shell(guest, f"tigervncconfig -set {change}")
        assert shell(guest, f"tigervncconfig -get {name}").strip() == before != value


def test_a_sandbox_that_has_ended_leaves_nothing_on_the_host(machines: Source) -> None:
    def mounts() -> int:
        return len(Path("/proc/self/mounts").read_text().splitlines())

    before, files = mounts(), len(os.listdir("/proc/self/fd"))
    with closing(machines.make()) as other:
        other.boot()
        assert isinstance(other, OwnedMachine)
        instance = other.instance
        group = instance.groups.folders()
        folder, pid = instance.folder, instance.pid()
        assert mounts() == before  # a sandbox's mounts are in a namespace of their own
        instance.close()
        instance.close()  # the machine closes it once more
    assert not folder.exists()
    assert not Path(f"/proc/{pid}").exists()
    assert not any((root / folder.name).exists() for root in group)
    assert len(os.listdir("/proc/self/fd")) <= files + 12  # of spares that are being made
