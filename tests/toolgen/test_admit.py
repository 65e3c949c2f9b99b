"""Admission: what two people accepted becomes a tool of a tree, and goes out of it again."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ambidex.host.errors import UsageError
from ambidex.toolgen.stages.admit import ADMITTED, admit, retire
from ambidex.toolgen.store import Folder, start
from ambidex.toolgen.verdicts import NEEDED, give
from tests.toolgen.drafts import ROOT, candidate_of, draft_of
from tests.toolgen.reviewed import passed, said

NAME = "vlc-set-repeat"
TOOL = "vlc_set_repeat"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of what a tool joins."""
    root = tmp_path / "ambidex"
    shutil.copytree(ROOT / "mcp_tools", root / "mcp_tools")
    (root / "tests" / "desktop").mkdir(parents=True)
    # So that they count as ours where imports are sorted.
    shutil.copy(ROOT / "tests" / "__init__.py", root / "tests")
    shutil.copy(ROOT / "tests" / "desktop" / "__init__.py", root / "tests" / "desktop")
    (root / "host").mkdir()
    (root / "host" / "client").mkdir()
    for name in ("__init__", "client/__init__", "client/guest"):
        (root / "host" / f"{name}.py").write_text(f'"""Stands where {name} does."""\n')
    shutil.copy(ROOT / "pyproject.toml", root)
    return root


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A candidate that people are asked about."""
    made = start(tmp_path / "foundry", candidate_of(NAME))
    tool, test, calls = draft_of(NAME)
    draft = made.add_draft(tool, test, "wrap", {"calls.json": calls})
    made.add_exchange({"answer": {}, "usage": {}, "prompts": "a" * 64})
    for stage in NEEDED:
        passed(made, stage, draft.n)
    return made


def accepted(folder: Folder, *reviewers: str) -> None:
    draft = folder.latest()
    assert draft is not None
    for each in reviewers:
        give(folder, each, said(draft, "accept"))


def catalogue(root: Path) -> dict[str, dict[str, object]]:
    """The tools of a tree, as its guests would list them. By now they are what people accepted."""
    argv = [sys.executable, "-m", "ambidex.mcp_tools.catalogue"]
    done = subprocess.run(argv, cwd=root.parent, capture_output=True, check=True)
    return {tool["name"]: tool for tool in json.loads(done.stdout)}


def contents(root: Path) -> dict[str, bytes]:
    kept = (path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(root)): path.read_bytes() for path in kept}


def test_an_admitted_tool_is_listed_beside_its_neighbours_with_where_it_comes_from(
    folder: Folder, tree: Path
) -> None:
    accepted(folder, "ann", "bob")
    before = contents(tree)
    admission = admit(folder, tree, "carla")
    assert folder.admission() == admission
    changed = {name for name, text in contents(tree).items() if before.get(name) != text}
    assert changed == set(admission.files)
    tool = catalogue(tree)[TOOL]
    assert (tool["app"], tool["source"]) == ("vlc", "ours")
    assert (tree / "mcp_tools" / "vlc" / "set_repeat.py").read_text() == folder.text(1)[0]
    origin = json.loads((tree / ADMITTED / f"{TOOL}.json").read_text())
    assert origin["reviewers"] == {"ann": "accept", "bob": "accept"}
    assert (origin["task"], origin["model"]) == ("vlc-repeat-track", "openai/careful")
    assert (origin["prompts"], len(origin["files"])) == (["a" * 64], 6)
    for verb in (["check", "."], ["format", "--check", "."]):
        argv = [sys.executable, "-m", "ruff", verb[0], "--no-cache", *verb[1:]]
        done = subprocess.run(argv, cwd=tree, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


def test_one_person_is_not_enough_and_a_changed_draft_is_another(
    folder: Folder, tree: Path
) -> None:
    before = contents(tree)
    with pytest.raises(UsageError, match="waits for two people"):
        admit(folder, tree, "carla")
    accepted(folder, "ann")
    with pytest.raises(UsageError, match="waits for a second person"):
        admit(folder, tree, "carla")
    accepted(folder, "bob")
    file = folder.path / "drafts" / "1" / "tool.py"
    file.write_text(file.read_text() + "\n")
    with pytest.raises(UsageError, match="was changed after it was made"):
        admit(folder, tree, "carla")
    assert (contents(tree), folder.admission()) == (before, None)


def test_an_admission_that_was_killed_halfway_comes_to_the_same(folder: Folder, tree: Path) -> None:
    accepted(folder, "ann", "bob")
    admit(folder, tree, "carla")
    whole = contents(tree)
    for left in ("admitted.json",):
        (folder.path / left).unlink()
    (tree / "mcp_tools" / "vlc" / "set_repeat.py").unlink()
    admit(folder, tree, "carla")
    assert contents(tree) == whole


def test_a_file_that_is_there_already_is_not_written_over(folder: Folder, tree: Path) -> None:
    accepted(folder, "ann", "bob")
    (tree / "mcp_tools" / "vlc" / "set_repeat.py").write_text("# somebody's own\n")
    with pytest.raises(UsageError, match="holds something else"):
        admit(folder, tree, "carla")


def test_a_retired_tool_is_gone_and_why_is_kept(folder: Folder, tree: Path) -> None:
    accepted(folder, "ann", "bob")
    before = contents(tree)
    admit(folder, tree, "carla")
    foundry = folder.path.parent
    with pytest.raises(UsageError, match="not retired without a reason"):
        retire(foundry, TOOL, tree, " ", "dan")
    retire(foundry, TOOL, tree, "VLC has a button for it.", "dan")
    after = contents(tree)
    kept = json.loads(after.pop(f"toolgen/retired/{TOOL}.json"))
    assert after == before
    assert (kept["retired"]["why"], kept["retired"]["by"]) == ("VLC has a button for it.", "dan")
    found = folder.retirement()
    assert found is not None
    assert found.tool == TOOL
    with pytest.raises(UsageError, match="no tool calc_save was admitted"):
        retire(foundry, "calc_save", tree, "It is ours.", "dan")
