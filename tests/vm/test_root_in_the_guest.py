"""An agent that is root in the guest cannot forge the evidence that the host reads from the disk.

The first run boots an image that lets the user use sudo, which takes a minute or two; its
snapshot is stored and used again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from ambidex.evaluators.manifest import read_manifest
from ambidex.host import Stop
from ambidex.host.client.disk_files import DiskFiles
from ambidex.host.client.evidence_files import EvidenceFiles
from ambidex.host.client.guest import Guest
from ambidex.host.loop.judge import judge
from ambidex.host.loop.stage import StageContext, collect, set_stage
from ambidex.host.osworld.collecting import Collector
from ambidex.host.osworld.waiting import Waiting
from ambidex.host.runs.machines import Source
from ambidex.tasks import Task
from ambidex.tasks.load import load_suite
from ambidex.tasks.osworld.getters import parse_getter
from ambidex.tasks.osworld.task import OSWorldBody
from ambidex.vm.building.image import open_image
from ambidex.vm.provider import LibvirtMachine, LibvirtProvider
from tests.support.booting import headless

RULE = "f+ /etc/sudoers.d/agent 0440 root root - user ALL=(ALL) NOPASSWD:ALL"
TASK = """
instruction = "Write right into result.txt."
tool_beneficial = false
setup = [{ put = "wrong.txt", to = "~/result.txt" }]
collect = [
    { get = "~/result.txt" },
    { list = "~/work", to = "work.txt" },
    { changes = "changes.json" },
    { run = ["cat", "result.txt"], to = "said.txt" },
]
check = [
    { use = "files.same_bytes", with = { file = "result.txt", expected = "right.txt" } },
    { use = "changes.only", with = { file = "changes.json", files = ["~/result.txt"] } },
]
"""
FORGES = """
set -e
mkdir work
echo unwanted >work/unwanted
echo right | sudo tee /run/forged >/dev/null
sudo mount --bind /run/forged result.txt
sudo mount -t tmpfs none work
"""
"""Shows another file, and an empty folder, to every process of the guest."""


@pytest.fixture(scope="module")
def rooted(machines: Source) -> Iterator[LibvirtMachine]:
    """A machine whose user may become root."""
    image = headless(open_image(machines.image.split(":")[0]), RULE)
    with LibvirtProvider(spares=0) as provider, closing(provider.machine(image)) as machine:
        yield machine


@pytest.fixture
def guest(rooted: LibvirtMachine) -> Iterator[Guest]:
    rooted.revert("ready")
    with Guest(rooted.endpoint, rooted.token) as guest:
        assert guest.health().agent_is_root
        yield guest


@pytest.fixture
def task(tmp_path: Path) -> Task:
    folder = tmp_path / "suite/attacked"
    folder.mkdir(parents=True)
    (folder / "wrong.txt").write_text("wrong\n")
    (folder / "right.txt").write_text("right\n")
    (folder / "task.toml").write_text(TASK)
    (task,) = load_suite(tmp_path / "suite", {}).tasks
    return task


def no_other_guest() -> AbstractContextManager[Guest]:
    raise AssertionError("nothing here is run apart")


def evidence_of(
    script: str, task: Task, guest: Guest, machine: LibvirtMachine, folder: Path
) -> Path:
    """The evidence of an episode in which the agent ran that script."""
    context = StageContext(folder / "kept", no_other_guest, agent_is_root=True, disk=machine.disk)
    set_stage(task, guest, context)
    ran = guest.run(["sh", "-c", f"cd ~; {script}"])
    assert ran.returncode == 0, ran
    evidence = folder / "evidence"
    collect(task, guest, evidence, None, context)
    return evidence


def test_an_agent_that_did_nothing_has_changed_nothing(
    rooted: LibvirtMachine, guest: Guest, task: Task, tmp_path: Path
) -> None:
    evidence = evidence_of("true", task, guest, rooted, tmp_path)
    before = json.loads((tmp_path / "kept/before.json").read_text())
    changes = json.loads((evidence / "changes.json").read_text())
    assert "/home/user/result.txt" in before["files"]
    assert (changes["changes"], changes["refused"]) == ([], "")
    assert read_manifest(evidence).sources["changes.json"].by == "disk"


def test_the_inventories_of_a_frozen_guest_and_of_its_disk_are_equal(
    rooted: LibvirtMachine, guest: Guest
) -> None:
    made = (
        "ln -s /etc/passwd link; mkfifo pipe; truncate -s 3G sparse; printf x | dd of=sparse bs=1"
        " seek=2000000000 conv=notrunc; head -c 9000000 /dev/urandom >large; fallocate -l 9M empty;"
        " mkdir \"$(printf 'a\\nb')\"; touch \"$(printf 'a\\nb/\\377')\"; chmod 4711 large;"
        " mkdir /tmp/m; cd /tmp/m; seq 2000 | xargs touch"
    )
    assert guest.run(["sh", "-c", f"cd ~; {made}"]).returncode == 0
    guest.freeze()
    collected, home = guest.inventory(), guest.list_folder("~")
    guest.sync()
    with rooted.disk() as disk:
        files = DiskFiles(disk)
        assert files.inventory() == collected
        assert files.list_folder("~") == home
        assert files.find_file("/bin/true").state == "file"  # through the image's own link
        assert files.find_file("~/link").state == "link"
    assert len(collected.files) > 2000


def test_root_cannot_forge_a_file_a_list_or_the_changes(
    rooted: LibvirtMachine, guest: Guest, task: Task, tmp_path: Path
) -> None:
    evidence = evidence_of(FORGES, task, guest, rooted, tmp_path)
    assert guest.find_file("~/result.txt").content == b"right\n"  # the collector is deceived
    assert guest.list_folder("~/work").paths == ()
    assert (evidence / "result.txt").read_text() == "wrong\n"
    assert (evidence / "work.txt").read_text() == "unwanted\n"
    assert (evidence / "said.txt").read_text() == "right\n"
    assert "/home/user/work/unwanted" in (evidence / "changes.json").read_text()
    manifest = read_manifest(evidence)
    assert manifest.agent_is_root
    by = {name: source.by for name, source in manifest.sources.items()}
    files = dict.fromkeys(("result.txt", "work.txt", "changes.json"), "disk")
    assert by == {**files, "said.txt": "session"}
    assert judge(task, evidence, Stop.DONE).score.value == 0


def test_an_honest_result_is_on_the_disk_at_once_and_scores_1(
    rooted: LibvirtMachine, guest: Guest, task: Task, tmp_path: Path
) -> None:
    evidence = evidence_of("echo right >result.txt", task, guest, rooted, tmp_path)
    assert read_manifest(evidence).sources["result.txt"].by == "disk"
    assert judge(task, evidence, Stop.DONE).score.value == 1


def test_osworlds_getters_read_files_by_path_from_the_disk(
    rooted: LibvirtMachine, guest: Guest, tmp_path: Path
) -> None:
    guest.put("~/result.txt", b"wrong\n")
    assert guest.run(["sh", "-c", f"cd ~; {FORGES}"]).returncode == 0
    getters = ({"type": "vm_file", "path": "/home/user/result.txt", "dest": "result.txt"},)
    questions = [SimpleNamespace(result=parse_getter(given), expected=None) for given in getters]
    body = cast(OSWorldBody, SimpleNamespace(questions=questions, store=None))
    waiting = Waiting(guest, literal=False)

    @contextmanager
    def open_files() -> Iterator[EvidenceFiles]:
        guest.sync()
        with rooted.disk() as disk:
            yield EvidenceFiles(DiskFiles(disk), "disk")

    collector = Collector(body, guest, tmp_path, (), waiting, "2026-01-02T03:04:05+00:00")
    collector.all(open_files)
    assert (tmp_path / "result-0/result.txt").read_text() == "wrong\n"
    assert collector.sources["result-0"].by == "disk"
