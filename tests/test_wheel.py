"""The wheel holds every file of the packages, and nothing else; the version is said once, and the
commands that need no machine work away from the repository."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
PACKAGES = ("evaluators", "guest", "host", "mcp_tools", "tasks", "toolgen", "vm")
BESIDE = ("pyproject.toml", "README.md", "LICENSE", "NOTICE")
NOT_OURS = ("__pycache__", ".mypy_cache", ".ruff_cache")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    """Built from a copy: setuptools writes into the folder that it builds."""
    source = tmp_path_factory.mktemp("source")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns(*NOT_OURS))
    for name in BESIDE:
        shutil.copy(ROOT / name, source)
    out = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "wheel"]
    options = ["--no-deps", "--no-build-isolation", "--no-index", "-w", str(out)]
    subprocess.run([*pip, *options, "."], cwd=source, check=True)
    [made] = out.iterdir()
    with zipfile.ZipFile(made) as archive:
        yield archive


def files_of(package: str) -> list[Path]:
    """All files below that folder, caches left out."""
    found = (path for path in (ROOT / package).rglob("*") if path.is_file())
    return [path for path in found if not set(path.parts) & set(NOT_OURS)]


def test_the_wheel_holds_every_file_of_every_package(wheel: zipfile.ZipFile) -> None:
    here = {str(path.relative_to(ROOT)) for name in PACKAGES for path in files_of(name)}
    there = {
        name.removeprefix("ambidex/") for name in wheel.namelist() if ".dist-info/" not in name
    }
    assert sorted(here - there) == [], "add them to package-data in pyproject.toml"
    assert sorted(there - here) == []


def test_programs_stay_executable_in_the_wheel(wheel: zipfile.ZipFile) -> None:
    modes = {
        info.filename.removeprefix("ambidex/"): info.external_attr >> 16
        for info in wheel.infolist()
    }
    for name in PACKAGES:
        for path in files_of(name):
            runs = bool(path.stat().st_mode & 0o100)
            assert bool(modes[str(path.relative_to(ROOT))] & 0o100) is runs, path


def test_the_wheel_brings_its_licence_and_the_version_of_pyproject(wheel: zipfile.ZipFile) -> None:
    folder = f"ambidex-{VERSION}.dist-info"
    assert f"Version: {VERSION}\n" in wheel.read(f"{folder}/METADATA").decode()
    assert "License-Expression: Apache-2.0\n" in wheel.read(f"{folder}/METADATA").decode()
    assert {f"{folder}/licenses/LICENSE", f"{folder}/licenses/NOTICE"} <= {*wheel.namelist()}


def ambidex(folder: Path, *words: str) -> str:
    """What the command prints when it is started in that folder."""
    command = [sys.executable, "-m", "ambidex.host.cli.main", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=folder, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout


def test_the_command_prints_the_version_of_pyproject(tmp_path: Path) -> None:
    assert ambidex(tmp_path, "--version") == f"{VERSION}\n", "install again: pip install -e ."


def test_check_loads_our_own_suites_where_no_tasks_are(tmp_path: Path) -> None:
    ours = {path.parent.name for path in (ROOT / "tasks").glob("*/*/task.toml")}
    assert {*json.loads(ambidex(tmp_path, "check", "--json"))["tasks"]} == ours
