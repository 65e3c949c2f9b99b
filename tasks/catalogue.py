"""The catalogue of the guest's tools, read from their source in a separate process that imports and
runs none of them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from pydantic import TypeAdapter

from ambidex.tasks import Problem, TaskError, ToolSpec

__all__ = ["catalogue_hash", "read_catalogue"]

ROOT = Path(__file__).parents[1]


def read_catalogue() -> dict[str, ToolSpec]:
    """All tools by name; `TaskError` names a declaration that cannot be read.

    A process rather than an import, because the host must not import `mcp_tools`, which belongs to
    the guest. It takes a second, so it is started again only after a file has changed.
    """
    return dict(_read(_state(ROOT / "mcp_tools")))


def _state(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """The files of which a catalogue is read, with their times and sizes."""
    files = (file for file in folder.rglob("*") if file.suffix in (".py", ".json"))
    stats = ((str(file), file.stat()) for file in files)
    return tuple(sorted((name, stat.st_mtime_ns, stat.st_size) for name, stat in stats))


@lru_cache(maxsize=1)
def _read(_of: tuple[tuple[str, int, int], ...]) -> dict[str, ToolSpec]:
    command = [sys.executable, "-m", "ambidex.mcp_tools.declarations"]
    process = subprocess.run(command, cwd=ROOT.parent, capture_output=True, check=False)
    if process.returncode:
        errors = process.stderr.decode(errors="replace").strip().splitlines()
        problem = Problem(
            ROOT / "mcp_tools", "", errors[-1] if errors else f"exit {process.returncode}"
        )
        raise TaskError((problem,), hint="`python -m ambidex.mcp_tools.declarations` shows where.")
    tools = TypeAdapter(list[ToolSpec]).validate_json(process.stdout)
    return {tool.name: tool for tool in tools}


def catalogue_hash(catalogue: Mapping[str, ToolSpec]) -> str:
    """SHA-256 over the tools' descriptions."""
    tools = [asdict(tool) for tool in catalogue.values()]
    return sha256(json.dumps(tools, sort_keys=True).encode()).hexdigest()
