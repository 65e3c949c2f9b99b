"""Trials that this host keeps for a head elsewhere, because a checkpoint stays on its host."""

from __future__ import annotations

import json
from collections.abc import Iterator, Set
from contextlib import suppress
from pathlib import Path

from ambidex.host.loop.checkpointing import SNAPSHOTS
from ambidex.vm.store import cache_folder, digest

__all__ = ["kept_trials", "unusable_trials"]

IMAGE_FIELDS = {"step.json": "image", "snapshot.json": "image_id"}
"""Where a checkpoint of a virtual machine, or of a sandbox, names the image that it needs."""


def kept_trials(run: str) -> Path:
    """Where this host keeps trials with checkpoints of the run in that directory of the head."""
    return _kept() / digest(run)


def unusable_trials(images: Set[str]) -> list[Path]:
    """The folders of kept trials whose checkpoints all need other images than those with these
    ids."""
    return [trial for trial in sorted(_kept().glob("*/*")) if not images & {*_images(trial)}]


def _kept() -> Path:
    return cache_folder() / "cluster" / "kept"


def _images(trial: Path) -> Iterator[str]:
    for name, field in IMAGE_FIELDS.items():
        for path in (trial / SNAPSHOTS).glob(f"[!.]*/{name}"):
            with suppress(ValueError, LookupError, TypeError):  # a damaged one cannot be used
                yield str(json.loads(path.read_text())[field])
