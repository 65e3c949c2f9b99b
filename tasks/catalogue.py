"""The catalogue of the guest's tools, read from their source in a separate process that imports and
runs none of them."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from pydantic import VERSION, TypeAdapter, ValidationError

from ambidex.tasks import Problem, TaskError, ToolSpec
from ambidex.tasks.hashing import content_hash

__all__ = ["catalogue_hash", "read_catalogue"]

ROOT = Path(__file__).parents[1]


def read_catalogue() -> dict[str, ToolSpec]:
    """All tools by name; `TaskError` names a declaration that cannot be read.

    A process rather than an import, because the host must not import `mcp_tools`, which belongs to
    the guest. It takes a second, so its output is kept for the files that it has read.
    """
    return dict(_read(_state(ROOT / "mcp_tools")))


def _state(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """The files of which a catalogue is read, with their times and sizes."""
    files = (file for file in folder.rglob("*") if file.suffix in (".py", ".json"))
    stats = ((str(file), file.stat()) for file in files)
    return tuple(sorted((name, stat.st_mtime_ns, stat.st_size) for name, stat in stats))


@lru_cache(maxsize=1)
def _read(_of: tuple[tuple[str, int, int], ...]) -> dict[str, ToolSpec]:
    folder = ROOT / "mcp_tools"
    kept = _kept(folder)
    with suppress(OSError, ValidationError):
        return _parsed(kept.read_bytes())
    command = [sys.executable, "-m", "ambidex.mcp_tools.declarations"]
    process = subprocess.run(command, cwd=ROOT.parent, capture_output=True, check=False)
    if process.returncode:
        errors = process.stderr.decode(errors="replace").strip().splitlines()
        problem = Problem(folder, "", errors[-1] if errors else f"exit {process.returncode}")
        raise TaskError((problem,), hint="`python -m ambidex.mcp_tools.declarations` shows where.")
    catalogue = _parsed(process.stdout)
    if kept == _kept(folder):  # no file changed meanwhile
        with suppress(OSError):  # the folder may be read-only
            _keep(kept, process.stdout)
    return catalogue


def _parsed(output: bytes) -> dict[str, ToolSpec]:
    tools = TypeAdapter(list[ToolSpec]).validate_json(output)
    return {tool.name: tool for tool in tools}


def _kept(folder: Path) -> Path:
    """Where the process's output for these files is kept, like compiled Python. What it prints
    depends on nothing else but Python and pydantic."""
    of = f"{content_hash(folder)} {platform.python_version()} {VERSION}"
    return folder / "__pycache__" / f"catalogue-{sha256(of.encode()).hexdigest()}"


def _keep(place: Path, output: bytes) -> None:
    place.parent.mkdir(exist_ok=True)
    number, staging = tempfile.mkstemp(dir=place.parent)
    try:
        with open(number, "wb") as file:
            os.fchmod(number, 0o644)
            file.write(output)
        os.replace(staging, place)
    finally:
        Path(staging).unlink(missing_ok=True)
    for other in place.parent.glob("catalogue-*"):
        if other != place:
            other.unlink(missing_ok=True)


def catalogue_hash(catalogue: Mapping[str, ToolSpec]) -> str:
    """SHA-256 over the tools' descriptions."""
    tools = [asdict(tool) for tool in catalogue.values()]
    return sha256(json.dumps(tools, sort_keys=True).encode()).hexdigest()
