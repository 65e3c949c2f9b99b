"""Admission and retirement: an accepted draft becomes a tool of a source tree, and is removed."""

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
from ambidex.toolgen.verdicts import REQUIRED_STAGES, give_verdict
from tests.toolgen.drafts import ROOT, candidate_of, draft_of
from tests.toolgen.reviewed import pass_stage, submission

NAME = "vlc-set-repeat"
TOOL = "vlc_set_repeat"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the parts of the source tree that matter for a tool."""
    root = tmp_path / "ambidex"
    shutil.copytree(ROOT / "mcp_tools", root / "mcp_tools")
    (root / "tests" / "desktop").mkdir(parents=True)
    # With these, ruff sorts their imports as first-party.
    shutil.copy(ROOT / "tests" / "__init__.py", root / "tests")
    shutil.copy(ROOT / "tests" / "desktop" / "__init__.py", root / "tests" / "desktop")
    (root / "host").mkdir()
    (root / "host" / "client").mkdir()
    for name in ("__init__", "client/__init__", "client/guest"):
        (root / "host" / f"{name}.py").write_text(f'"""A placeholder for {name}."""\n')
    shutil.copy(ROOT / "pyproject.toml", root)
    return root


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A candidate that is ready for review."""
    candidate = start(tmp_path / "foundry", candidate_of(NAME))
    tool, test, calls = draft_of(NAME)
    draft = candidate.add_draft(tool, test, "wrap", {"calls.json": calls})
    candidate.add_exchange({"answer": {}, "usage": {}, "prompts": "a" * 64})
    for stage in REQUIRED_STAGES:
        pass_stage(candidate, stage, draft.n)
    return candidate


def accept(folder: Folder, *reviewers: str) -> None:
    draft = folder.latest()
    assert draft is not None
    for reviewer in reviewers:
        give_verdict(folder, reviewer, submission(draft, "accept"))


def catalogue(root: Path) -> dict[str, dict[str, object]]:
    """The tools of a tree, as its guests would list them. This imports reviewed code only."""
    argv = [sys.executable, "-m", "ambidex.mcp_tools.catalogue"]
    done = subprocess.run(argv, cwd=root.parent, capture_output=True, check=True)
    return {tool["name"]: tool for tool in json.loads(done.stdout)}


def contents(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


def test_an_admitted_tool_is_in_the_catalogue_and_has_its_provenance(
    folder: Folder, tree: Path
) -> None:
    accept(folder, "ann", "bob")
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
    for command, *arguments in (["check", "."], ["format", "--check", "."]):
        argv = [sys.executable, "-m", "ruff", command, "--no-cache", *arguments]
        done = subprocess.run(argv, cwd=tree, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


def test_one_acceptance_or_a_draft_changed_afterwards_is_not_admitted(
    folder: Folder, tree: Path
) -> None:
    before = contents(tree)
    with pytest.raises(UsageError, match="waiting for two reviewers"):
        admit(folder, tree, "carla")
    accept(folder, "ann")
    with pytest.raises(UsageError, match="waiting for a second reviewer"):
        admit(folder, tree, "carla")
    accept(folder, "bob")
    file = folder.path / "drafts" / "1" / "tool.py"
    file.write_text(file.read_text() + "\n")
    with pytest.raises(UsageError, match="was changed after it was made"):
        admit(folder, tree, "carla")
    assert (contents(tree), folder.admission()) == (before, None)


def test_an_interrupted_admission_can_be_repeated(folder: Folder, tree: Path) -> None:
    accept(folder, "ann", "bob")
    admit(folder, tree, "carla")
    whole = contents(tree)
    (folder.path / "admitted.json").unlink()
    (tree / "mcp_tools" / "vlc" / "set_repeat.py").unlink()
    admit(folder, tree, "carla")
    assert contents(tree) == whole


def test_an_existing_file_is_not_overwritten(folder: Folder, tree: Path) -> None:
    accept(folder, "ann", "bob")
    (tree / "mcp_tools" / "vlc" / "set_repeat.py").write_text("# somebody's own\n")
    with pytest.raises(UsageError, match="file exists with other content"):
        admit(folder, tree, "carla")


def test_a_retired_tool_is_removed_and_the_reason_recorded(folder: Folder, tree: Path) -> None:
    accept(folder, "ann", "bob")
    before = contents(tree)
    admit(folder, tree, "carla")
    foundry = folder.path.parent
    with pytest.raises(UsageError, match="not retired without a reason"):
        retire(foundry, TOOL, tree, " ", "dan")
    retire(foundry, TOOL, tree, "VLC has a button for it.", "dan")
    after = contents(tree)
    record = json.loads(after.pop(f"toolgen/retired/{TOOL}.json"))["retired"]
    assert after == before
    assert (record["why"], record["by"]) == ("VLC has a button for it.", "dan")
    retirement = folder.retirement()
    assert retirement is not None
    assert retirement.tool == TOOL
    with pytest.raises(UsageError, match="no tool calc_save was admitted"):
        retire(foundry, "calc_save", tree, "It is ours.", "dan")
