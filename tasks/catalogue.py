"""The tools of the guest as known without one: read from their text, by a process that imports and
runs none of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pydantic import TypeAdapter

from ambidex.tasks import Problem, TaskError, ToolSpec

__all__ = ["read_catalogue"]

ROOT = Path(__file__).parents[1]


def read_catalogue() -> dict[str, ToolSpec]:
    """All tools by name; `TaskError` names what cannot be read in a declaration.

    A process, not an import: `host` knows nothing of `mcp_tools`, which is the guest's.
    """
    words = [sys.executable, "-m", "ambidex.mcp_tools.declarations"]
    done = subprocess.run(words, cwd=ROOT.parent, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        problem = Problem(ROOT / "mcp_tools", "", said[-1] if said else f"exit {done.returncode}")
        raise TaskError((problem,), hint="`python -m ambidex.mcp_tools.declarations` shows where.")
    tools = TypeAdapter(list[ToolSpec]).validate_json(done.stdout)
    return {tool.name: tool for tool in tools}
