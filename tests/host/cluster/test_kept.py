"""Trials that a host keeps for a head elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ambidex.host.cluster.kept import kept_trials, unusable_trials


def test_kept_trials_are_unusable_when_no_checkpoint_has_a_current_image(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AMBIDEX_CACHE", str(tmp_path))

    def trial(name: str, file: str, content: str) -> Path:
        checkpoint = kept_trials("/runs/one") / name / "snapshots" / "2"
        checkpoint.mkdir(parents=True)
        (checkpoint / file).write_text(content)
        return kept_trials("/runs/one") / name

    trial("machine.1", "step.json", json.dumps({"image": "current"}))
    trial("sandbox.1", "snapshot.json", json.dumps({"image_id": "current"}))
    unusable = [
        trial("older.1", "step.json", json.dumps({"image": "older"})),
        trial("older.2", "snapshot.json", json.dumps({"image_id": "older"})),
        trial("torn.1", "step.json", '{"image": "cur'),
    ]
    assert unusable_trials({"current"}) == unusable
