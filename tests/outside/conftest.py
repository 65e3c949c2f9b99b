"""Programs in Python environments of their own, which play on a desktop through the bridge."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ambidex.host import ROOT
from ambidex.host.integrations.background import serving, written_privately
from ambidex.host.integrations.desk import DeskOptions
from ambidex.host.integrations.desk_server import Desks, desk_app
from ambidex.tasks.load import load_suite
from ambidex.vm import Machine
from tests.conftest import without
from tests.support.served import ALL

TASK = "gnome-evening"
CLIENT = ROOT / "host" / "integrations" / "outside"
WITHIN = 240.0
"""Seconds for one program."""


@dataclass(frozen=True)
class Outside:
    """A bridge to a desktop, for programs of other environments."""

    bridge: Path
    """The file that names it."""

    def python(self, name: str) -> Path:
        """The environment's Python; the test is skipped if there is none."""
        python = ROOT / ".venv" / "outside" / name / "bin" / "python"
        if not python.exists():
            without(f"there is no environment with {name} (make outside)")
        return python

    def environment(self) -> dict[str, str]:
        """The variables of a program."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        named = {"AMBIDEX_BRIDGE": str(self.bridge), "PYTHONPATH": str(CLIENT)}
        # For models that a test serves; litellm reads its prices from the network otherwise.
        model = {"OPENAI_API_KEY": "none", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        return {**kept, **named, **model}

    def run(self, name: str, *argv: str) -> str:
        """The output of a program in that environment; the test fails if the program does."""
        done = subprocess.run(
            [self.python(name), *argv],
            env=self.environment(),
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=WITHIN,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def outside(machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outside]:
    tasks = load_suite(ROOT / "tasks" / "demo", ALL, (TASK,)).tasks
    file = tmp_path_factory.mktemp("bridge") / "bridge.json"
    with (
        Desks([machine], tasks, DeskOptions()) as desks,
        serving(desk_app(desks, "secret"), "the bridge") as url,
        written_privately(file, {"url": url, "token": "secret"}),
    ):
        yield Outside(file)
