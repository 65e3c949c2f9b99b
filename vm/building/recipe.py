"""Recipes of images: `vm/images/<name>/image.toml` and the files next to it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ambidex.vm import MachineError
from ambidex.vm.building.services import SERVICES, load_services, service_files
from ambidex.vm.store import digest, tree_digest

__all__ = ["Recipe", "Screen", "load_recipe", "recipe_names"]

IMAGES = Path(__file__).parents[1] / "images"
FIRM = (Path(__file__).parents[1] / "firm", IMAGES / "fillers")
"""What draws the firm of an image, and puts it into the services."""


class RecipeModel(BaseModel):
    """Refuses unknown keys: a misspelt key must not silently mean the default."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Screen(RecipeModel):
    """Width and height in pixels; `emulation` applies if the processor is emulated."""

    default: tuple[int, int] = (1920, 1080)
    emulation: tuple[int, int] = (1280, 720)


class Units(RecipeModel):
    """systemd units to disable; `user/NAME` is a unit of the user's session."""

    mask: list[str] = []


class Recipe(RecipeModel):
    """The content of an `image.toml`."""

    distribution: str
    suite: str
    pockets: list[str] = []
    components: list[str]
    python: str = Field(pattern=r"^3\.\d+$")
    disk: str = Field(pattern=r"^\d+G$")
    memory: int = Field(ge=512)
    user: str = "user"
    password: str = "password"
    apps: list[str] = []
    screen: Screen = Screen()
    packages: dict[str, list[str]]
    session: Literal["desktop", "none"] = "desktop"
    """`none`: no desktop is started, and nobody logs in."""
    services: list[str] = []
    """Names of the services that the machine runs (`vm.building.services`)."""
    programs: str = ""
    """The set of programs at /opt/programs: a folder of `images/programs`. Empty for none."""
    packages_to_build: list[str] = []
    """Packages that building these programs needs."""
    units: Units = Units()
    firm: int | None = Field(None, ge=1)
    """The number of the firm (`vm.firm`) that its services are filled with; by default they are
    empty."""

    def package_names(self) -> list[str]:
        """The packages of all groups and of all services, without duplicates."""
        groups = [*self.packages.values()]
        groups += [service.packages for service in load_services(self.services).values()]
        return list(dict.fromkeys(name for group in groups for name in group))

    def file_folders(self, name: str) -> list[Path]:
        """The folders whose content is copied into the tree of the recipe called `name`."""
        folders = [
            IMAGES / "files" / "common",
            *([IMAGES / "files" / "desktop"] if self.session == "desktop" else []),
            *(SERVICES / service / "files" for service in self.services),
            IMAGES / name / "files",
        ]
        return [folder for folder in folders if folder.is_dir()]


def recipe_names() -> list[str]:
    """The names of all recipes."""
    return sorted(path.parent.name for path in IMAGES.glob("*/image.toml"))


def load_recipe(name: str) -> tuple[Recipe, str]:
    """The recipe called `name`, and a digest of everything that its tree is built from."""
    path = IMAGES / name / "image.toml"
    if not path.is_file():
        raise MachineError(
            f"not an image recipe: {name!r}", hint=f"Recipes: {', '.join(recipe_names())}."
        )
    try:
        recipe = Recipe.model_validate(tomllib.loads(path.read_text()))
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise MachineError(f"{path}: {error}") from None
    script = (IMAGES / "customize.sh").read_bytes()
    services = load_services(recipe.services)  # refuses a wrong one before anything is built
    folders = [
        *recipe.file_folders(name),
        *([IMAGES / "programs" / recipe.programs] if recipe.programs else []),
        *(SERVICES / service for service in recipe.services),
    ]
    if recipe.firm is None:
        shown = recipe.model_dump_json(exclude={"firm"})
    else:
        shown = recipe.model_dump_json()
        folders += FIRM
    made = service_files(services) if services else ()
    units = [f"{path} {mode:o} {digest(content)}" for path, content, mode in made]
    return recipe, digest(shown, script, tree_digest(folders), *units)
