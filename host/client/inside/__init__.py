"""Programs that the host sends to a guest's Python. They are read as text and never imported."""

from __future__ import annotations

from pathlib import Path

__all__ = ["SURVEY"]

SURVEY = (Path(__file__).parent / "survey.py").read_text(encoding="utf-8")
"""The source of `survey.py`."""
