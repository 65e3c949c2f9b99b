"""The tools of the guest as known without one: the catalogue module's own output, read from its
process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pydantic import TypeAdapter

from tasks import Problem, TaskError, ToolSpec

__all__ = ["read_catalogue"]

ROOT = Path(__file__).resolve().parents[1]


def read_catalogue() -> dict[str, ToolSpec]:
    """All tools by name; `TaskError` where the tools themselves do not load.

    A process, not an import: tools run in the guest, and what they import is no business of the
    host.
    """
    done = subprocess.run(
        [sys.executable, "-m", "mcp_tools.catalogue"], cwd=ROOT, capture_output=True, check=False
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        problem = Problem(ROOT / "mcp_tools", "", said[-1] if said else f"exit {done.returncode}")
        raise TaskError((problem,), hint="`python -m mcp_tools.catalogue` shows where.")
    tools = TypeAdapter(list[ToolSpec]).validate_json(done.stdout)
    return {tool.name: tool for tool in tools}
