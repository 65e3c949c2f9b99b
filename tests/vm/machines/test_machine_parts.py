import dataclasses
import json
import mmap
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

from ambidex.vm import MachineError
from ambidex.vm.building.image import Base, Image
from ambidex.vm.building.recipe import Screen
from ambidex.vm.checkpoints.memory import PAGE, Mapping, Pages, may_trace, write_pages
from ambidex.vm.machines.boot import is_quiet, stage_of
from ambidex.vm.machines.domain import Memory, Shape, domain_xml
from ambidex.vm.machines.door import GuestAnswer, not_ready
from ambidex.vm.machines.provision import Address, parse_address
from ambidex.vm.machines.snapshot import read_snapshot, snapshots_folder
from ambidex.vm.process import run
from ambidex.vm.wait import NotYetError, wait_for

QEMU = {"q": "http://libvirt.org/schemas/domain/qemu/1.0"}


def image(folder: Path) -> Image:
    kernel, initrd = folder / "kernel", folder / "i"
    base = Base("x", "1", folder, "3.11", 3072, Screen(), "user", kernel=kernel, initrd=initrd)
    return Image(base, folder / "layer", "id")


def definition(folder: Path, **changes: object) -> ElementTree.Element:
    options: dict[str, object] = {
        "name": "ambidex-test-0",
        "image": image(folder),
        "shape": Shape("qemu", 2, 3072, (1280, 720)),
        "disk": folder / "disk.qcow2",
        "console": folder / "console",
        "token_file": folder / "token",
        "vnc_password": "secret12",
        "memory": Memory(folder / "memory", shared=False),
    }
    return ElementTree.fromstring(domain_xml(**(options | changes)))  # type: ignore[arg-type]


def qemu_arguments(domain: ElementTree.Element) -> str:
    return " ".join(argument.attrib["value"] for argument in domain.findall(".//q:arg", QEMU))


def test_a_guest_has_no_network_by_default(tmp_path: Path) -> None:
    assert "restrict=on" in qemu_arguments(definition(tmp_path))
    assert "restrict=off" in qemu_arguments(definition(tmp_path, network=True))


def test_a_snapshot_fits_only_the_build_whose_disk_it_was_taken_on(tmp_path: Path) -> None:
    first = image(tmp_path)
    again = dataclasses.replace(first, base=dataclasses.replace(first.base, build="2"))
    shape = Shape("qemu", 2, 3072, (1280, 720))
    folders = {snapshots_folder(each, shape, (10, 0, 0)) for each in (first, again)}
    assert len(folders) == 2


def test_ports_and_display_listen_on_loopback_only_and_the_display_has_a_password(
    tmp_path: Path,
) -> None:
    domain = definition(tmp_path, ssh_key="ssh-ed25519 AAAA")
    forwards = [part for part in qemu_arguments(domain).split(",") if part.startswith("hostfwd=")]
    assert len(forwards) == 2
    assert all(part.startswith("hostfwd=tcp:127.0.0.1:") for part in forwards)
    graphics = domain.find("./devices/graphics")
    assert graphics is not None
    assert graphics.attrib["listen"] == "127.0.0.1"
    assert graphics.attrib["passwd"] == "secret12"


def test_a_token_is_passed_as_a_file_and_never_on_the_command_line(tmp_path: Path) -> None:
    domain = definition(tmp_path)
    entry = domain.find("./sysinfo/entry")
    assert entry is not None
    assert entry.attrib["file"] == str(tmp_path / "token")


def test_a_base_snapshot_s_memory_is_shared_and_a_fork_s_is_private(tmp_path: Path) -> None:
    shared = definition(tmp_path, memory=Memory(tmp_path / "memory", shared=True))
    assert "share=on" in qemu_arguments(shared)
    fork = qemu_arguments(definition(tmp_path, incoming=True))
    assert "share=off" in fork
    assert "-incoming defer" in fork


def test_a_path_with_an_ampersand_stays_one_path(tmp_path: Path) -> None:
    source = definition(tmp_path, disk=tmp_path / "a&b.qcow2").find("./devices/disk/source")
    assert source is not None
    assert source.attrib["file"].endswith("a&b.qcow2")


MAPPER = """
import mmap, sys
with open(sys.argv[1], "r+b") as file:
    memory = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE)
memory[3 * 4096] = 7
memory[9 * 4096 : 11 * 4096] = b"x" * 8192
memory[0]
print("mapped", flush=True)
sys.stdin.read()
print(*memory[::4096])
"""


def test_pages_that_a_process_wrote_can_be_read_and_written_to_a_file(tmp_path: Path) -> None:
    mapped, target = tmp_path / "memory", tmp_path / "child"
    mapped.write_bytes(b"\0" * (16 * PAGE))
    target.write_bytes(b"p" * (16 * PAGE))
    with subprocess.Popen(
        [sys.executable, "-c", MAPPER, str(mapped)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"mapped\n"
        assert may_trace(process.pid)
        memory = Mapping.of(process.pid, mapped)
        assert memory.own_pages().tolist() == [3, 9, 10]
        [pages] = memory.read(memory.own_pages())
        write_pages(pages, target)
        process.communicate(b"")
    with target.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        assert data[3 * PAGE] == 7
        assert data[9 * PAGE : 11 * PAGE] == b"x" * 2 * PAGE
        assert data[: 3 * PAGE] == b"p" * 3 * PAGE
        assert data[4 * PAGE : 9 * PAGE] == b"p" * 5 * PAGE
    assert mapped.read_bytes() == b"\0" * (16 * PAGE)


def test_pages_are_written_into_a_process_and_not_into_the_file_that_it_maps(
    tmp_path: Path,
) -> None:
    mapped = tmp_path / "memory"
    mapped.write_bytes(b"\0" * (16 * PAGE))
    numbers = np.array([12, 13, 2, 9])
    content = np.repeat(np.array([[1], [2], [3], [4]], dtype=np.uint8), PAGE, axis=1)
    with subprocess.Popen(
        [sys.executable, "-c", MAPPER, str(mapped)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"mapped\n"
        memory = Mapping.of(process.pid, mapped)
        memory.write(Pages(numbers, content))
        assert memory.own_pages().tolist() == [2, 3, 9, 10, 12, 13]
        output, _ = process.communicate(b"")
    assert output.split() == b"0 0 3 7 0 0 0 0 0 4 120 0 1 2 0 0".split()
    assert mapped.read_bytes() == b"\0" * (16 * PAGE)


def test_a_file_that_the_process_does_not_map_is_an_error() -> None:
    with pytest.raises(MachineError, match="does not map /nowhere"):
        Mapping.of(os.getpid(), Path("/nowhere"))


def test_a_process_that_has_ended_may_not_be_traced() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
        assert not may_trace(process.pid)
        memory = Mapping(process.pid, 0, PAGE)
    with pytest.raises(MachineError, match=f"cannot access the memory of process {memory.pid}"):
        list(memory.read(np.array([0])))


def test_the_error_for_a_missing_snapshot_lists_the_existing_ones(tmp_path: Path) -> None:
    (tmp_path / "ready").mkdir()
    (tmp_path / "ready" / "snapshot.json").write_text("{}")
    with pytest.raises(MachineError, match="no such snapshot: 'other'") as caught:
        read_snapshot(tmp_path / "other")
    assert "ready" in caught.value.hint


def test_a_damaged_snapshot_is_refused(tmp_path: Path) -> None:
    (tmp_path / "snapshot.json").write_text('{"name": "rea')
    with pytest.raises(MachineError, match="damaged"):
        read_snapshot(tmp_path)


def test_the_stage_of_a_boot_is_read_from_its_console() -> None:
    console = "SeaBIOS\n[0.0] Linux version 6.1\nWelcome to Debian GNU/Linux 12\n"
    assert stage_of("", False) == "create"
    assert stage_of(console, False) == "system"
    assert stage_of(console + "Reached target Graphical Interface", False) == "desktop"
    assert stage_of(console, True) == "guest"


def test_the_error_of_a_timeout_says_what_was_seen_last() -> None:
    messages = iter(["nothing", "half of it"] + ["all but one"] * 1000)

    def probe() -> None:
        raise NotYetError(next(messages))

    with pytest.raises(MachineError, match="all but one"):
        wait_for(probe, bound=0.2, fail=MachineError)


def test_the_output_of_a_failed_program_is_quoted_and_a_missing_program_is_named() -> None:
    with pytest.raises(MachineError, match=r"trying failed: sh exited with 3\nout of cheese"):
        run(["sh", "-c", "echo out of cheese; exit 3"], what="trying")
    with pytest.raises(MachineError, match="'no-such-program' is not installed"):
        run(["no-such-program"], what="trying")


def test_an_ssh_address_is_parsed_or_refused() -> None:
    assert parse_address("root@desk") == Address("root", "desk", 22)
    assert parse_address("me@[::1]:2222") == Address("me", "::1", 2222)
    with pytest.raises(MachineError, match="not an SSH address"):
        parse_address("desk")


def unready(**checks: tuple[bool, str]) -> NotYetError | MachineError:
    report = {name: {"ok": ok, "seen": seen} for name, (ok, seen) in checks.items()}
    return not_ready(GuestAnswer(503, json.dumps({"ready": False, "checks": report}).encode()))


def test_a_guest_that_is_not_ready_is_described_by_the_checks_that_do_not_hold() -> None:
    error = unready(display=(True, ":0"), worker=(False, "starting"), desktop=(True, "whole"))
    assert isinstance(error, NotYetError)
    assert str(error) == "the guest answers 503: worker: starting"


def test_a_failed_desktop_session_is_not_waited_for() -> None:
    error = unready(display=(True, ":0"), desktop=(False, "gnome-session-failed has a window"))
    assert isinstance(error, MachineError)
    assert "gnome-session-failed has a window" in str(error)


def test_an_answer_without_checks_is_quoted() -> None:
    for body in (b"worker lost", b"[]", b'{"checks": 3}'):
        assert body.decode() in str(not_ready(GuestAnswer(503, body)))


@pytest.mark.parametrize(
    ("loads", "quiet"),
    [
        ([], False),
        ([1.8] * 60, False),
        ([1.8] * 60 + [0.05] * 5, False),
        ([1.8] * 60 + [0.05] * 6, True),
        # Servers that poll: the load stays where it is.
        ([1.1] * 60 + [0.16] * 20, False),
        ([1.1] * 60 + [0.16, 0.3] * 20, True),
        # It still falls, or something else has started.
        ([2.0 - number / 40 for number in range(80)], False),
        ([0.2] * 20 + [0.4] * 20, False),
        ([0.6] * 80, False),
    ],
)
def test_a_machine_is_quiet_when_it_is_idle_or_its_load_no_longer_changes(
    loads: list[float], quiet: bool
) -> None:
    assert is_quiet(loads) == quiet
