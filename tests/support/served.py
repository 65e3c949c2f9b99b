"""The tools that are served, asked of their own process once for all tests."""

from __future__ import annotations

from ambidex.tasks.catalogue import read_catalogue

__all__ = ["ALL", "CATALOGUE"]

ALL = read_catalogue()
CATALOGUE = {
    name: tool for name, tool in ALL.items() if tool.source != "stock" and not tool.service
}
"""Without the tools that only images with services have."""
