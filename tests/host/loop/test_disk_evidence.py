"""Where the agent is root, files of the evidence come from the machine's disk if it can be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from ambidex.evaluators.manifest import Manifest, read_manifest
from ambidex.host.client.guest import Guest
from ambidex.host.loop.stage import StageContext, collect
from ambidex.tasks.load import load_suite
from ambidex.vm.disk import Blocks
from ambidex.vm.disk.guest_disk import GuestDisk
from tests.support.guest_disks import Bytes, Raw, make_image, make_tree
from tests.support.peer import CATALOGUE, TOKEN, peer
from tests.support.suites import write_suite

TASK = """
instruction = "Nothing."
tool_beneficial = false
collect = [{ get = "~/a.txt" }, { run = ["true"], to = "ran.txt" }]
check = [{ use = "files.exists", with = { file = "a.txt" } }]
"""


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("disk")
    (make_tree(folder / "tree") / "a.txt").write_text("on the disk")
    return make_image(folder / "tree", folder / "image")


def no_other_guest() -> AbstractContextManager[Guest]:
    raise AssertionError("nothing here is run apart")


def collected(folder: Path, root: bool, original: Blocks, present: Blocks) -> tuple[Manifest, str]:
    """The manifest and the content of `a.txt`, of which the guest has another one."""
    (task,) = load_suite(write_suite(folder / "suite", a=TASK), CATALOGUE).tasks

    @contextmanager
    def disk() -> Iterator[GuestDisk]:
        yield GuestDisk(present, original, "user")

    context = StageContext(folder / "kept", no_other_guest, agent_is_root=root, disk=disk)
    with peer() as (endpoint, desktop), Guest(endpoint, TOKEN) as guest:
        desktop.files["~/a.txt"] = b"in the guest"
        collect(task, guest, folder / "evidence", None, context)
    file = folder / "evidence/a.txt"
    return read_manifest(folder / "evidence"), file.read_text() if file.exists() else ""


@pytest.mark.parametrize("root", [False, True])
def test_the_host_reads_the_disk_only_if_the_agent_is_root(
    root: bool, image: Path, tmp_path: Path
) -> None:
    manifest, content = collected(tmp_path, root, Raw(image), Raw(image))
    assert content == ("on the disk" if root else "in the guest")
    assert manifest.agent_is_root == root
    assert manifest.sources["a.txt"].by == ("disk" if root else "collector")
    assert manifest.sources["ran.txt"].by == "session"


def test_a_disk_that_was_never_supported_leaves_the_files_to_the_collector(
    image: Path, tmp_path: Path
) -> None:
    manifest, content = collected(tmp_path, True, Bytes(b""), Raw(image))
    assert (manifest.sources["a.txt"].by, content) == ("collector", "in the guest")


def test_a_disk_that_the_agent_damaged_has_no_file_instead(image: Path, tmp_path: Path) -> None:
    manifest, content = collected(tmp_path, True, Raw(image), Bytes(b""))
    source = manifest.sources["a.txt"]
    assert (source.by, source.state, content) == ("disk", "unreadable", "")
    assert source.flaw
