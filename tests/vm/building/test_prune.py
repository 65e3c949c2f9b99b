import json
from pathlib import Path

import pytest

from ambidex.vm.building.image import current_recipe
from ambidex.vm.building.layer import layer_id
from ambidex.vm.building.prune import size, stale
from ambidex.vm.store import build_of, digest

SCREEN = {"default": [1920, 1080], "emulation": [1280, 720]}


def base(cache: Path, name: str, id: str) -> Path:
    folder = cache / "bases" / f"{name}-{id}"
    folder.mkdir(parents=True)
    fields = {"name": name, "id": id, "python": "3.11", "memory": 3072, "user": "user"}
    (folder / "base.json").write_text(json.dumps({**fields, "screen": SCREEN}))
    return folder


def snapshot(cache: Path, name: str, image_id: str) -> Path:
    folder = cache / "snapshots" / "debian-12-key" / name
    folder.mkdir(parents=True)
    (folder / "snapshot.json").write_text(json.dumps({"image_id": image_id}))
    return folder


def layer(cache: Path, id: str) -> Path:
    folder = cache / "layers" / id
    folder.mkdir(parents=True)
    return folder


def test_folders_that_nothing_current_uses_are_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AMBIDEX_CACHE", str(tmp_path))
    current = current_recipe("debian-12")[1]
    base(tmp_path, "debian-12", current)
    base(tmp_path, "desk-of-mine", "imported")
    layer(tmp_path, layer_id("3.11"))
    ready = snapshot(tmp_path, "ready", digest(current, layer_id("3.11")))
    (tmp_path / "layers" / ".x.partial").mkdir()
    stages = tmp_path / "stages"
    (stages / build_of(ready)).mkdir(parents=True)
    assert stale() == []
    older = snapshot(tmp_path, "mine", "older")
    old = [
        base(tmp_path, "debian-12", "older"),
        layer(tmp_path, "older"),
        older,
        *(stages / name for name in sorted([build_of(older), "debian-12-key.ready.replaced"])),
    ]
    for folder in old[-2:]:
        folder.mkdir()
    assert stale() == old


def test_size_counts_allocated_blocks_and_not_holes(tmp_path: Path) -> None:
    with (tmp_path / "memory").open("wb") as file:
        file.truncate(2**30)
    assert size(tmp_path) < 2**20
