"""MCPMark's task folders for tests: the public ones next to the repository, and generated ones."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

MCPMARK = Path(__file__).parents[2].parent / "shared" / "reference-data" / "mcpmark"

needs_mcpmark = pytest.mark.skipif(
    not (MCPMARK / "tasks").is_dir(), reason=f"no MCPMark task folders at {MCPMARK}"
)

ZIP = "https://storage.mcpmark.ai/filesystem/papers.zip"


def meta(place: str, **other: Any) -> dict[str, Any]:
    """A valid `meta.json` for the task at `<service>/<suite>/<category>/<task>`."""
    service, _, category, task = place.split("/")
    fields: dict[str, Any] = {
        "task_id": task,
        "task_name": task.title(),
        "category_id": category,
        "difficulty": "L1",
        "mcp": [service],
        "meta_data": {"stateType": "text", "stateContent": "", "stateUrl": None},
    }
    return fields | other


def write(folder: Path, place: str, **other: Any) -> Path:
    """Write a task into a checkout, with changes of its `meta.json`; returns its folder."""
    task = folder / "tasks" / place
    task.mkdir(parents=True)
    (task / "description.md").write_text(f"# {task.name}\n\nCount the papers.\n", encoding="utf-8")
    (task / "meta.json").write_text(json.dumps(meta(place, **other)), encoding="utf-8")
    (task / "verify.py").write_text("raise SystemExit(1)\n", encoding="utf-8")
    return task


def papers(folder: Path, task: str = "counting", suite: str = "easy", **other: Any) -> Path:
    """Write a task on files, whose state is an archive of upstream's."""
    state = {"stateType": "text", "stateUrl": ZIP}
    return write(folder, f"filesystem/{suite}/papers/{task}", **({"meta_data": state} | other))


def with_programs(folder: Path) -> Path:
    """A copy of the public task folders, with an empty file for each program: the copy next to the
    repository has none."""
    shutil.copytree(MCPMARK / "tasks", folder / "tasks")
    for path in (folder / "tasks").glob("*/*/*/*/description.md"):
        (path.parent / "verify.py").touch()
        if path.parent.parent.name in ("security", "vectors"):
            (path.parent / "prepare_environment.py").touch()
    return folder
