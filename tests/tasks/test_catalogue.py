"""The catalogue is read from the tools' source once for each content of it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from ambidex.tasks import catalogue

TOOL = '''"""Counting."""

from ambidex.mcp_tools.os import app


@app.tool()
def count_{}(number: int) -> int:
    """Count from a number. Returns the next one."""
    return number + 1
'''


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The processes that were started to read a tree with one tool, which lies in `tmp_path`."""
    place = Path(catalogue.__file__).parents[1] / "mcp_tools"
    tree = tmp_path / "ambidex" / "mcp_tools"
    (tree / "os").mkdir(parents=True)
    for path in (*place.glob("*.py"), place / "aliases.json", place / "os" / "__init__.py"):
        (tree / path.relative_to(place)).symlink_to(path)
    (tree / "os" / "counting.py").write_text(TOOL.format("on"))
    monkeypatch.setattr(catalogue, "ROOT", tree.parent)
    run, commands = subprocess.run, []

    def counted(command: list[str], **options: Any) -> subprocess.CompletedProcess[bytes]:
        commands.append(command[-1])
        return run(command, **options)

    monkeypatch.setattr(subprocess, "run", counted)
    return commands


def read_anew() -> list[str]:
    """The names of the tools, as another process would read them."""
    catalogue._read.cache_clear()
    return sorted(catalogue.read_catalogue())


def test_only_other_files_are_read_again(started: list[str], tmp_path: Path) -> None:
    assert read_anew() == read_anew() == ["os_count_on"]
    assert len(started) == 1
    tree = tmp_path / "ambidex" / "mcp_tools"
    (tree / "os" / "counting.py").write_text(TOOL.format("up"))
    assert read_anew() == ["os_count_up"]
    (kept,) = (tree / "__pycache__").glob("catalogue-*")
    kept.write_bytes(kept.read_bytes()[:-9])
    assert read_anew() == ["os_count_up"], "what was kept is damaged"
    assert len(started) == 3
