"""What is put into a guest to run drafts there: programs for the guest's Python, read here as text
and never imported. They are started by the harness as the desktop user, beside the guest's own
server and its mcp_tools."""

from __future__ import annotations

from pathlib import Path

__all__ = ["PROGRAMS"]

PROGRAMS = tuple(
    sorted(path for path in Path(__file__).parent.glob("*.py") if path.name != "__init__.py")
)
"""All of them."""
