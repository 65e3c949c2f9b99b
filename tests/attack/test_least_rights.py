"""Least privilege: what another user of the host, or an attacker who left a guest, can reach."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ambidex.host.cli.main import main
from ambidex.vm.machines.account import Account, choose_account, work_folder
from ambidex.vm.machines.owner import Owner
from tests.support.played import row, run_of

NEW, OLD = (10, 0, 2), (8, 1, 0)
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    """A common, permissive umask."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> list[str]:
    """The paths that another user may read, write or enter."""
    return [
        str(path)
        for path in (folder, *folder.rglob("*"))
        if path.lstat().st_mode & 0o077 and not path.is_symlink()
    ]


def test_what_a_verb_writes_is_its_owner_s_alone(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", [row("a", beneficial=True, score=0)])
    out = tmp_path / "out"
    out.mkdir(mode=0o700)
    files = [f"--{kind}={out / kind}" for kind in ("html", "csv", "parquet", "rows", "failures")]
    with pytest.raises(SystemExit) as ended:
        main(["report", str(run), *files])
    assert ended.value.code == 0
    assert len(list(out.iterdir())) == 5
    assert open_to_others(out) == []


def test_a_verb_gives_the_umask_back_however_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def ends(how: BaseException) -> Callable[..., None]:
        def app(*_: object, **__: object) -> None:
            seen.append(os.umask(0o077))
            raise how

        return app

    for how in (ValueError("a bug"), KeyboardInterrupt(), SystemExit(0)):
        monkeypatch.setattr("ambidex.host.cli.main.app", ends(how))
        with pytest.raises(SystemExit):
            main(["tools"])
        assert os.umask(0o022) == 0o022
    assert seen == [0o077] * 3


def test_a_machine_s_folder_is_closed_whatever_the_umask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AMBIDEX_CACHE", str(tmp_path))
    with closing(Owner()) as owner:
        assert open_to_others(owner.work) == []
        assert open_to_others(owner.folder()) == []


def test_only_root_gives_qemu_another_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert choose_account(NEW, embedded=True) == Account(None)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert choose_account(NEW, embedded=False) == Account(None), (
        "the system's libvirt has a user of its own"
    )
    first, second = (choose_account(NEW, embedded=True) for _ in range(2))
    assert first.id is not None
    assert first.id > 1 << 30
    assert first != second, "two runs cannot reach each other's machines"


def test_qemu_is_told_its_id_in_the_words_of_its_version() -> None:
    who = "1890993296:1890993296"
    assert Account(1890993296, NEW).arguments[:2] == ("-run-with", f"user={who}")
    assert Account(1890993296, OLD).arguments[:2] == ("-runas", who)
    assert "spawn=deny" in Account(1890993296, OLD).arguments[-1]
    assert Account(None).arguments == ()


@needs_root
def test_a_file_is_handed_over_alone_and_a_link_is_not_followed(tmp_path: Path) -> None:
    who = Account(1890993296, NEW)
    given = who.grant(tmp_path / "state")
    assert (given.stat().st_uid, stat.S_IMODE(given.stat().st_mode)) == (who.id, 0o600)
    (tmp_path / "ours").write_bytes(b"ours")
    (tmp_path / "link").symlink_to(tmp_path / "ours")
    who.grant(tmp_path / "link")
    assert (tmp_path / "ours").stat().st_uid == 0
    assert tmp_path.stat().st_uid == 0


@needs_root
def test_what_lies_elsewhere_is_lent_as_a_copy(tmp_path: Path) -> None:
    who, folder = Account(1890993296, NEW), tmp_path / "machine"
    folder.mkdir()
    kept = tmp_path / "state"
    kept.write_bytes(b"devices")
    lent = who.lend(kept, folder)
    assert (lent.parent, lent.read_bytes(), lent.stat().st_uid) == (folder, b"devices", who.id)
    assert kept.stat().st_uid == 0
    assert who.lend(lent, folder) == lent
    assert Account(None).lend(kept, folder) == kept


def test_machines_lie_where_qemu_finds_the_way(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    machines = tmp_path / "cache" / "machines"
    assert work_folder(machines, Account(None)) == machines
    assert work_folder(machines, Account(1890993296, NEW)) == Path("/var/tmp")


@pytest.mark.vm
@needs_root
def test_qemu_of_root_is_nobody_and_writes_to_its_own_disk_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty machine is started, frozen, forked, saved as a checkpoint in both ways and forked
    from it, in a cache that only root can reach."""
    from ambidex.vm.building.image import Base, Image
    from ambidex.vm.building.recipe import Screen
    from ambidex.vm.checkpoints.capture import MEMORY_METHODS, capture
    from ambidex.vm.checkpoints.collection import load_checkpoint, save_checkpoint
    from ambidex.vm.checkpoints.idle import IdleInstance, restore
    from ambidex.vm.machines import door
    from ambidex.vm.machines.domain import Memory, Shape
    from ambidex.vm.machines.hypervisor import hmp
    from ambidex.vm.machines.instance import Instance, launch
    from ambidex.vm.machines.owner import LibvirtOwner
    from ambidex.vm.machines.snapshot import fork, freeze_template, launch_idle, read_snapshot
    from ambidex.vm.process import run

    monkeypatch.setenv("AMBIDEX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(door.Door, "renew", lambda self: self)  # there is no guest
    tmp_path.chmod(0o700)
    base = Base("bare", "1", tmp_path / "cache" / "bases" / "bare-1", "3.11", 64, Screen(), "user")
    base.folder.mkdir(parents=True)
    run(["qemu-img", "create", "-q", "-f", "qcow2", base.disk, "16M"], what="a disk")
    image, shape = Image(base, None, "id"), Shape("qemu", 1, 64, (640, 480))
    ready = tmp_path / "cache" / "snapshots" / "bare-1" / "ready"
    ready.mkdir(parents=True)

    def is_nobody(instance: Instance) -> None:
        said = Path(f"/proc/{instance.pid()}/status").read_text()
        fields = {line.partition(":")[0]: line.split()[1:] for line in said.splitlines()}
        number = str(instance.owner.account.id)
        assert fields["Uid"] == fields["Gid"] == [number] * 4
        assert fields["Groups"] in ([], [number])
        assert {*fields["CapPrm"], *fields["CapEff"]} == {"0" * 16}
        assert fields["Seccomp"] == ["2"]
        written = [
            os.readlink(file)
            for file in Path(f"/proc/{instance.pid()}/fd").iterdir()
            if os.readlink(file).startswith(str(tmp_path)) and _writes(instance.pid(), file.name)
        ]
        assert written == []
        assert "running" in hmp(instance.domain, "info status")

    with closing(LibvirtOwner()) as owner:
        memory = Memory(ready / "memory", shared=True)
        cold = launch(owner, image, shape, token="t" * 20, backing=base.disk, memory=memory)
        with closing(cold):
            freeze_template(cold, image, ready, "ready")
        assert {path.stat().st_uid for path in ready.iterdir()} == {0}
        assert ready.stat().st_mode & 0o077 == 0
        root = read_snapshot(ready)
        with closing(fork(owner, root, image)) as forked:
            is_nobody(forked)
            for way in MEMORY_METHODS:
                step = tmp_path / "steps" / way
                save_checkpoint(capture(forked, way), step)
                waiting = IdleInstance(launch_idle(owner, root, image, network=False))
                with closing(restore(load_checkpoint(step, "id"), waiting, way)) as again:
                    is_nobody(again)
        work = owner.work
        assert (work.stat().st_uid, stat.S_IMODE(work.stat().st_mode)) == (0, 0o711)
    assert not work.exists()


def _writes(process: int, number: str) -> bool:
    said = Path(f"/proc/{process}/fdinfo/{number}").read_text()
    flags = next(line.split()[1] for line in said.splitlines() if line.startswith("flags:"))
    return int(flags, 8) & os.O_ACCMODE != os.O_RDONLY
