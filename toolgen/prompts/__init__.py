"""The foundry's prompts are files beside this one, filled as `host.prompts` fills its own."""

from __future__ import annotations

from pathlib import Path

__all__ = ["FOLDER"]

FOLDER = Path(__file__).parent
