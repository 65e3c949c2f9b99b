"""The foundry's prompts: files in this folder, rendered like those of `host.models.prompts`."""

from __future__ import annotations

from pathlib import Path

__all__ = ["FOLDER"]

FOLDER = Path(__file__).parent
