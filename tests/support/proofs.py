"""Proofs of tasks on services, by the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands import ambidex

__all__ = ["IMAGE", "prove"]

IMAGE = "debian-13-services"


def prove(
    suite: str,
    task: str,
    repeats: int,
    provider: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Prove a task whose oracle scores 1, and which has one near miss."""
    words = ["prove", f"tasks/{suite}", "--tasks", task, "--repeats", repeats, "--json"]
    code = ambidex(*words, "--provider", provider, "--image", IMAGE, "--out", folder / "proof")
    claims = json.loads(capsys.readouterr().out)
    assert code == 0, claims
    assert sorted(claim["score"] for claim in claims) == [0, 0, 1]
