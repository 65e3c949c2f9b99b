"""OSWorld's task files for tests: the public ones next to the repository, and generated ones."""

import json
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).parents[2].parent / "shared"
OSWORLD = SHARED / "osworld"

ID = "0123abcd-0000-4000-8000-000000000000"
ASSETS = "https://huggingface.co/datasets/xlangai/ubuntu_osworld_file_cache/resolve/main/"

needs_osworld = pytest.mark.skipif(
    not (OSWORLD / "examples").is_dir(), reason=f"no OSWorld task files at {OSWORLD}"
)


def task(**other: Any) -> dict[str, Any]:
    """A small valid task, with optional changes."""
    fields: dict[str, Any] = {
        "id": ID,
        "snapshot": "os",
        "instruction": "Write hello to the file.",
        "source": "authors",
        "config": [],
        "related_apps": ["os"],
        "evaluator": {"func": "infeasible"},
        "proxy": False,
    }
    return fields | other


def write(folder: Path, fields: dict[str, Any], domain: str = "os", id: str = "") -> Path:
    """Write a task into a checkout."""
    path = folder / "examples" / domain / f"{id or fields['id']}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(fields), encoding="utf-8")
    return folder
