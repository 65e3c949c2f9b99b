"""What the host runs in a guest by itself: programs for the guest's Python, read here as text and
never imported."""

from __future__ import annotations

from pathlib import Path

__all__ = ["SURVEY"]

SURVEY = (Path(__file__).parent / "survey.py").read_text(encoding="utf-8")
"""Says what there is in the guest: see there."""
