"""The tools that are served, asked of their own process once for all tests."""

from __future__ import annotations

from ambidex.tasks.catalogue import read_catalogue

__all__ = ["CATALOGUE"]

CATALOGUE = read_catalogue()
