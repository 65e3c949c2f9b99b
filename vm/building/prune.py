"""Finds folders in the cache that the present recipes and guest code no longer use."""

from __future__ import annotations

import json
from pathlib import Path

from ambidex.vm.building.image import Base, current_recipe, image_id, list_bases
from ambidex.vm.building.layer import layer_id, libraries_id
from ambidex.vm.building.recipe import recipe_names
from ambidex.vm.stages import stages_folder
from ambidex.vm.store import build_of, cache_folder

__all__ = ["size", "stale", "usable_images"]


def stale() -> list[Path]:
    """Folders of bases, layers, libraries, snapshots and stages that nothing current uses.

    An imported base is always current. A snapshot is as current as its image: one that a user made
    on an older image is stale, since the present code cannot start a machine from it. Stages are as
    current as the snapshot that they are based on.
    """
    bases = _current_bases()
    pythons = {base.python for base in bases}
    current = {
        "bases": {base.folder.name for base in bases},
        "layers": {layer_id(python) for python in pythons},
        "libraries": {libraries_id(python) for python in pythons},
    }
    folders = [
        folder
        for kind, names in current.items()
        for folder in sorted((cache_folder() / kind).glob("[!.]*"))
        if folder.name not in names
    ]
    images = usable_images()
    described = sorted((cache_folder() / "snapshots").glob("*/[!.]*/snapshot.json"))
    snapshots = [path.parent for path in described if _image_of(path) not in images]
    usable = {build_of(path.parent) for path in described} - {*map(build_of, snapshots)}
    stages = [path for path in sorted(stages_folder().glob("[!.]*")) if path.name not in usable]
    return folders + snapshots + stages


def usable_images() -> frozenset[str]:
    """The ids of the images that are built, with the current recipes and guest code."""
    return frozenset(image_id(base, layer_id(base.python)) for base in _current_bases())


def _current_bases() -> list[Base]:
    recipes = {name: current_recipe(name)[1] for name in recipe_names()}
    return [base for base in list_bases() if recipes.get(base.name, base.id) == base.id]


def _image_of(path: Path) -> str:
    try:
        return str(json.loads(path.read_text())["image_id"])
    except (json.JSONDecodeError, KeyError):
        return "damaged"


def size(folder: Path) -> int:
    """Bytes that a folder occupies on the disk."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*"))
