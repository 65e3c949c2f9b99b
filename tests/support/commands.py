"""Running commands of `ambidex`, in this process or in one of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ambidex.host.cli import main
from ambidex.host.runs.machines import Source

PROJECT = Path(__file__).parents[2]
SUITE = PROJECT / "tasks" / "demo"


def ambidex(*words: object) -> int:
    """Run a command; return its exit status."""
    with pytest.raises(SystemExit) as ended:
        main.main([str(word) for word in words])
    code = ended.value.code
    assert isinstance(code, int)
    return code


def on_suite(
    suite: Path, machines: Source, command: str, out: Path, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Run a command on a suite in a process of its own."""
    image = machines.image.split(":")[0]
    argv = [sys.executable, "-m", "ambidex.host.cli.main", command, str(suite), "--image", image]
    argv += ["--provider", machines.provider]
    return subprocess.run(
        [*argv, "--out", str(out), *arguments], cwd=PROJECT, capture_output=True, text=True
    )
