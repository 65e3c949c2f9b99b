"""Files are read from a disk as the guest's collector would read them, whatever is on it."""

from __future__ import annotations

import os
import random
import shutil
import struct
from pathlib import Path

import pytest

from ambidex.guest.evidence.inventory import Inventory
from ambidex.host.client.answers import GuestRefusalError
from ambidex.host.client.disk_files import LARGEST, DiskFiles
from ambidex.host.errors import MachineError
from ambidex.vm.disk.ext4 import ROOT, FileSystem
from ambidex.vm.disk.guest_disk import GuestDisk
from ambidex.vm.disk.qcow2 import open_chain
from ambidex.vm.process import run
from tests.support.guest_disks import HOME, Bytes, Raw, debugfs, files_of, make_image, make_tree

NAMES = (
    b"new\nline",
    b'quo"te',
    b"back\\slash",
    b"<2>",
    b"-R",
    b" cat <8>",
    b"\xff\xfe",
    b"\xe2\x80\xaegnp.exe",
    b"\x1b[2J",
    b"a" * 255,
)


def test_files_with_hostile_names_are_read_and_listed(tmp_path: Path) -> None:
    home = make_tree(tmp_path / "tree")
    for name in NAMES:
        folder = os.fsencode(home) + b"/" + name
        os.mkdir(folder)
        Path(os.fsdecode(folder + b"/" + name)).write_bytes(name)
    files = files_of(make_image(tmp_path / "tree", tmp_path / "image"))
    for name in NAMES:
        path = f"~/{os.fsdecode(name)}/{os.fsdecode(name)}"
        assert files.find_file(path).content == name
        text = name.decode(errors="backslashreplace")
        assert f"{text}/{text}" in files.list_folder("~").paths
    assert len(files.list_folder("~").paths) == 2 * len(NAMES)


def test_only_regular_files_of_the_desktop_user_are_read(tmp_path: Path) -> None:
    home = make_tree(tmp_path / "tree")
    (home / "file").write_bytes(b"content" * 10_000)
    (home / "folder").mkdir()
    (home / "link").symlink_to("file")
    (home / "elsewhere").symlink_to("/etc")
    (home / "loop").symlink_to("loop")
    os.mkfifo(home / "pipe")
    (home / "closed").write_text("x")
    (home / "closed").chmod(0)
    with (home / "large").open("wb") as large:
        large.truncate(LARGEST + 1)
    image = make_image(tmp_path / "tree", tmp_path / "image")
    empty = tmp_path / "empty"
    make_tree(empty)
    files = files_of(image, make_image(empty, tmp_path / "original"))
    names = ("file", "folder", "link", "elsewhere/passwd", "loop", "pipe", "closed", "large", "no")
    states = [files.find_file(f"~/{name}").state for name in names]
    assert states == [
        *("file", "folder", "link", "link", "link", "special", "unreadable", "too_large"),
        "absent",
    ]
    assert files.find_file("~/file").content == b"content" * 10_000
    assert files.find_file("~/../user/./file").content == b"content" * 10_000
    assert files.find_file("~/file/below").state == "absent"
    assert not files.list_folder("~/elsewhere").there
    with pytest.raises(GuestRefusalError):
        files.find_file("file")


def test_a_link_is_followed_only_if_the_disk_had_it_before_the_agent_acted(tmp_path: Path) -> None:
    home = make_tree(tmp_path / "tree")
    (home / "real").mkdir()
    (home / "real/a").write_text("a")
    (home / "link").symlink_to("real")
    (tmp_path / "tree/h").symlink_to(f"/{HOME}/link")
    original = make_image(tmp_path / "tree", tmp_path / "original")
    assert files_of(original).find_file("/h/a").content == b"a"
    (home / "link").unlink()
    (home / "link").symlink_to("./real")
    present = make_image(tmp_path / "tree", tmp_path / "present")
    assert files_of(present, original).find_file("/h/a").state == "link"


def test_the_inventory_is_that_of_the_guests_collector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ambidex.guest.evidence.inventory.PLACES", ())  # not this machine's own
    home = make_tree(tmp_path / "tree")
    for index, size in enumerate((0, 1, 4096, 100_000, 3_000_000)):
        (home / f"file{index}").write_bytes(random.Random(index).randbytes(size))
    (home / "set").write_text("x")
    (home / "set").chmod(0o4751)
    (home / "long").symlink_to("x" * 200)
    (home / "short").symlink_to("/no/such")
    os.mkfifo(home / "pipe")
    (home / "b").mkdir()
    for number in range(300):
        (home / f"b/{number}").touch()
    with (home / "sparse").open("wb") as sparse:
        for at in (65_536, 131_072, 500_000):
            sparse.seek(at)
            sparse.write(random.Random(at).randbytes(70_000))
        sparse.truncate(5_000_001)
    image = make_image(tmp_path / "tree", tmp_path / "image")
    expected = {
        path.removeprefix(str(tmp_path / "tree")): state
        for path, state in Inventory().take(home)["files"].items()
        if path != f"{home}/"
    }
    inventory = files_of(image).inventory()
    assert (inventory.files, inventory.refused) == (expected, "")
    assert inventory.files[f"/{HOME}/sparse"].startswith("sparse ")


@pytest.mark.parametrize("block", [1024, 4096])
@pytest.mark.parametrize(
    "features", ["64bit,metadata_csum", "^64bit,metadata_csum", "^64bit,^metadata_csum"]
)
def test_the_journal_is_applied_as_e2fsck_applies_it(
    tmp_path: Path, features: str, block: int
) -> None:
    home = make_tree(tmp_path / "tree")
    (home / "a").write_bytes(b"old" * 10_000)
    options = ("-J", "size=4", "-O", features)
    image = make_image(tmp_path / "tree", tmp_path / "image", *options, block=block)
    new = tmp_path / "new"
    new.write_bytes(struct.pack(">I", 0xC03B3998).ljust(block, b"n") + b"m" * block)
    system = FileSystem(Raw(image))
    inode = system.inode(ROOT)
    for part in (*HOME.split("/"), "a"):
        found = system.find(inode, part.encode())
        assert found is not None
        inode = found
    first = next(iter(system._extents(inode))).physical
    commands = tmp_path / "commands"
    writes = (f"jw -b {at},{at + 1} {new}" for at in range(first, first + 6))
    lines = ("jo", *writes, f"jw -r {first + 3}", f"jw -b {first + 4},{first + 5} {new}", "jc")
    commands.write_text("\n".join(lines))
    run(["debugfs", "-w", "-f", commands, image], what="writing a journal")
    content = files_of(image).find_file("~/a").content
    assert content.startswith(b"\xc0\x3b\x39\x98nnn")
    assert content[3 * block :].startswith((b"old", b"ldo", b"dol"))  # revoked
    replayed = Path(shutil.copy(image, tmp_path / "replayed"))
    run(["e2fsck", "-E", "journal_only", "-p", replayed], what="replaying the journal")
    assert content == files_of(replayed).find_file("~/a").content


@pytest.mark.parametrize("scheme", ["mbr", "gpt"])
def test_the_root_file_system_is_found_in_a_partition(tmp_path: Path, scheme: str) -> None:
    (make_tree(tmp_path / "tree") / "a").write_text("a")
    image = make_image(tmp_path / "tree", tmp_path / "image")
    head = bytearray(1 << 20)
    head[510:512] = b"\x55\xaa"
    struct.pack_into("<I", head, 446 + 8, 2048 if scheme == "mbr" else 1)
    if scheme == "gpt":
        head[512:520] = b"EFI PART"
        struct.pack_into("<QII", head, 512 + 72, 2, 4, 128)
        struct.pack_into("<Q", head, 1024 + 128 + 32, 2048)
    disk = Bytes(bytes(head) + image.read_bytes())
    assert files_of(disk).find_file("~/a").content == b"a"


def test_folders_that_form_a_loop_are_refused(tmp_path: Path) -> None:
    (make_tree(tmp_path / "tree") / "a").mkdir()
    image = make_image(tmp_path / "tree", tmp_path / "image")
    original = Path(shutil.copy(image, tmp_path / "original"))
    debugfs(image, f"link /{HOME}/a /{HOME}/a/b")
    files = files_of(image, original)
    assert "form a loop" in files.inventory().refused
    assert files.list_folder("~").more


def test_a_damaged_disk_is_evidence_and_no_error(tmp_path: Path) -> None:
    home = make_tree(tmp_path / "tree")
    for number in range(40):
        (home / f"folder{number}").mkdir()
        (home / f"folder{number}/file").write_bytes(b"x" * number * 500)
    (home / "link").symlink_to("y" * 100)
    image = make_image(tmp_path / "tree", tmp_path / "image", "-O", "^has_journal")
    whole = image.read_bytes()
    dice = random.Random(7)
    used = [at for at in range(0, len(whole), 512) if whole[at : at + 512].strip(b"\0")]
    for _ in range(150):
        damaged = bytearray(whole)
        for _ in range(dice.choice((1, 10, 200))):
            damaged[dice.choice(used) + dice.randrange(512)] = dice.choice(
                (0, 255, dice.randrange(256))
            )
        files = files_of(Bytes(bytes(damaged)), image)
        files.inventory()
        files.list_folder("~")
        files.find_file("~/folder39/file")
    wiped = files_of(Bytes(b""), image)
    assert wiped.find_file("~/folder1/file").state == "unreadable"
    assert wiped.list_folder("~").more
    assert "no ext4" in wiped.inventory().refused


def test_a_disk_without_ext4_or_without_the_account_is_not_readable(tmp_path: Path) -> None:
    make_tree(tmp_path / "tree")
    image = make_image(tmp_path / "tree", tmp_path / "image")
    assert files_of(image).readable
    assert not DiskFiles(GuestDisk(Raw(image), Raw(image), "other")).readable
    assert not files_of(image, Bytes(b"")).readable


def test_a_chain_of_qcow2_files_reads_as_qemu_reads_it(tmp_path: Path) -> None:
    base, top, raw = tmp_path / "base.qcow2", tmp_path / "top.qcow2", tmp_path / "raw"
    content = random.Random(1).randbytes(300_000)
    (tmp_path / "content").write_bytes(content)
    size = str(5 << 20)
    run(["qemu-img", "create", "-q", "-f", "qcow2", base, str(4 << 20)], what="making a disk")
    run(["qemu-io", "-c", "write -P 7 70000 900000", base], what="writing")
    run(
        ["qemu-img", "create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", base, top, size],
        what="making a disk",
    )
    writes = (
        f"write -s {tmp_path / 'content'} 65536 300000",
        "write -z 400k 64k",
        "write -P 9 4608k 1k",
    )
    for write in writes:
        run(["qemu-io", "-c", write, top], what="writing")
    run(["qemu-img", "convert", "-O", "raw", top, raw], what="converting")
    expected = raw.read_bytes()
    with open_chain(top, tmp_path) as disk:
        assert disk.read(0, 5 << 20) == expected
        dice = random.Random(2)
        for _ in range(200):
            at, length = dice.randrange(5 << 20), dice.randrange(200_000)
            assert disk.read(at, length) == expected[at : at + length].ljust(length, b"\0")


def test_a_backing_file_elsewhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "allowed").mkdir()
    secret, disk = tmp_path / "secret.qcow2", tmp_path / "allowed/disk.qcow2"
    run(["qemu-img", "create", "-q", "-f", "qcow2", secret, "1M"], what="making a disk")
    run(
        ["qemu-img", "create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", "../secret.qcow2", disk],
        what="making a disk",
    )
    with (
        pytest.raises(MachineError, match="unexpected backing file"),
        open_chain(disk, tmp_path / "allowed"),
    ):
        pass
