"""The export of the forge reads repositories that an agent filled with anything."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from ambidex.vm.building.services import SERVICES

PROGRAM = SERVICES / "forge/files/usr/share/ambidex/export/forge.py"
ACCOUNT = (
    *("-c", "user.name=Zoë <z", "-c", "user.email=zoe@example.org"),
    *("-c", "init.defaultBranch=main", "-c", "core.hooksPath=/dev/null"),
)


@pytest.fixture(scope="module")
def forge() -> ModuleType:
    spec = importlib.util.spec_from_file_location("forge_export", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def git(folder: Path, *arguments: str) -> str:
    command = ["git", *ACCOUNT, "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    git(work, "init", "--quiet")
    (work / "a file\twith a tab").write_bytes(b"text\r\n")
    (work / "picture").write_bytes(b"\0\1")
    git(work, "add", "--all")
    git(work, "commit", "--quiet", "--message=First\n\nwith a body")
    git(work, "checkout", "--quiet", "-b", "fix")
    (work / "picture").unlink()
    git(work, "commit", "--quiet", "--all", "--message=Second")
    git(work, "clone", "--quiet", "--mirror", ".", str(tmp_path / "bare.git"))
    return tmp_path / "bare.git"


def test_refs_files_and_commits_are_read_as_they_are(forge: ModuleType, bare: Path) -> None:
    blobs: dict[str, dict[str, object]] = {}
    read = forge.repository(str(bare), blobs)
    main, fix = (read["refs"][f"refs/heads/{name}"] for name in ("main", "fix"))
    assert read["head"] == "fix"
    assert {name: sorted(tree) for name, tree in read["trees"].items()} == {
        "main": ["a file\twith a tab", "picture"],
        "fix": ["a file\twith a tab"],
    }
    assert blobs[read["trees"]["fix"]["a file\twith a tab"]]["text"] == "text\r\n"
    assert blobs[read["trees"]["main"]["picture"]] | {"sha256": ""} == {
        "size": 2, "sha256": "", "text": None,
    }  # fmt: skip
    assert read["commits"][fix]["parents"] == [main]
    assert read["commits"][main]["message"] == "First\n\nwith a body\n"
    assert read["commits"][main]["email"] == "zoe@example.org"


def test_a_replaced_commit_is_read_as_it_was(forge: ModuleType, bare: Path) -> None:
    git(bare, "replace", "fix", "main")
    read = forge.repository(str(bare), {})
    assert read["commits"][read["refs"]["refs/heads/fix"]]["message"] == "Second\n"
    assert list(read["trees"]["fix"]) == ["a file\twith a tab"]


def test_a_repository_without_commits_is_empty(forge: ModuleType, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "empty.git")
    read = forge.repository(str(tmp_path / "empty.git"), {})
    assert (read["refs"], read["trees"], read["commits"]) == ({}, {}, {})


def test_no_program_of_a_repository_runs(forge: ModuleType, bare: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    for setting in ("core.fsmonitor", "core.pager", "diff.external", "core.sshCommand"):
        git(bare, "config", setting, str(trap))
    forge.repository(str(bare), {})
    assert not (tmp_path / "sprung").exists()
