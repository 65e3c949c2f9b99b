"""Programs that are copied into a guest to run drafts there. They run on the guest's Python,
started by the harness as the desktop user, alongside the guest's own server and its mcp_tools. The
host reads them as text and never imports them."""

from __future__ import annotations

from pathlib import Path

__all__ = ["PROGRAMS"]

PROGRAMS = tuple(
    sorted(path for path in Path(__file__).parent.glob("*.py") if path.name != "__init__.py")
)
"""The paths of all programs."""
