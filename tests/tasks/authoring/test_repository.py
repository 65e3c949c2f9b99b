"""Histories of git that tasks make their repositories from."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ambidex.tasks.authoring.repository import Commit, history

COMMITS = [
    Commit("Begin", {"a.txt": "one\n", "b/é.txt": "zwei\n"}),
    Commit("Aside", {"a.txt": "two\n"}, branch="side", begins_at="main"),
    Commit("Go on", {"b/é.txt": "drei\n"}),
]


def git(folder: Path, *arguments: str, stdin: str = "") -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, check=True).stdout


def test_git_reads_a_history_with_its_branches_and_texts(tmp_path: Path) -> None:
    hashes = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        git(folder, "init", "--quiet", "--initial-branch", "main")
        git(folder, "fast-import", "--quiet", stdin=history(COMMITS))
        assert git(folder, "log", "--format=%s", "main").split("\n") == ["Go on", "Begin", ""]
        assert git(folder, "log", "--format=%s", "side").split("\n") == ["Aside", "Begin", ""]
        assert git(folder, "show", "main:b/é.txt") == "drei\n"
        assert git(folder, "show", "main:a.txt") == "one\n"
        assert git(folder, "show", "side:a.txt") == "two\n"
        hashes.append(git(folder, "rev-parse", "main", "side"))
    assert hashes[0] == hashes[1]
