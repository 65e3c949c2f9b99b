"""What fills an image's services: which are started, and what they bring along."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from ambidex.vm.building import recipe as recipes
from ambidex.vm.building.filling import FILLERS
from ambidex.vm.building.recipe import load_recipe
from ambidex.vm.building.services import SERVICES, load_services
from ambidex.vm.firm.inside import needed

IMAGE = "debian-13-company"


def test_services_are_started_that_are_filled_or_needed_by_those() -> None:
    declared = [one.model_dump() for one in load_services(load_recipe(IMAGE)[0].services).values()]
    fillers = {path.stem: path.name for path in FILLERS.glob("*.py")}
    started = [one["name"] for one in needed(declared, fillers)]
    assert {*started} == {*fillers, "forge-queue"}
    assert started.index("forge-queue") < started.index("forge")
    assert started.index("colleagues") < started.index("chat")


def test_what_a_service_brings_along_is_locked_by_hash() -> None:
    folders = [path.parent for path in SERVICES.glob("*/programs/install.sh")]
    assert {folder.parent.name for folder in folders} == {"chat", "documents"}
    for folder in folders:
        lock = (folder / "requirements.lock").read_text()
        packages = re.findall(r"^\S+==\S+ .*\\\n    --hash=sha256:[0-9a-f]{64}", lock, re.MULTILINE)
        assert len(packages) == len(re.findall("^[a-z]", lock, re.MULTILINE)) > 0
        asked = re.findall(r"^[a-z]\S*==\S+", (folder / "requirements.txt").read_text(), re.M)
        assert all(f"\n{one} " in lock for one in asked)
        assert "--require-hashes" in (folder / "install.sh").read_text()


def test_the_number_of_the_firm_is_part_of_an_image_s_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (recipes.IMAGES / IMAGE / "image.toml").read_text()
    shutil.copy(recipes.IMAGES / "customize.sh", tmp_path)
    monkeypatch.setattr(recipes, "IMAGES", tmp_path)

    def id_with(firm: str) -> str:
        (tmp_path / IMAGE).mkdir(exist_ok=True)
        (tmp_path / IMAGE / "image.toml").write_text(text.replace("firm = 1 ", firm))
        return load_recipe(IMAGE)[1]

    ids = [id_with(firm) for firm in ("firm = 1 ", "firm = 2 ", "", "firm = 1 ")]
    assert len({*ids}) == 3
    assert ids[0] == ids[3]
