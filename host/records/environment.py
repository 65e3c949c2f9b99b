"""What the results of a run depend on beside this project's code: the Python, the packages as they
are installed, the programs that evaluators start, the image of the guest.

A row carries its digest (`Row.environment`); `environments/<first 12 digits>.json` in the run's
directory says what is behind it. A run that is resumed elsewhere has several.
"""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ambidex.host import ROOT
from ambidex.vm.locked import read_lock
from ambidex.vm.process import run, search_path

__all__ = ["FOLDER", "LOCK", "Environment", "differences", "installed", "keep", "this_environment"]

FOLDER = "environments"
LOCK = ROOT / "host" / "requirements.lock"
PROGRAMS = ("tesseract",)
"""Programs of this machine whose output a score can depend on."""


class Environment(BaseModel):
    """Everything that is the same for all trials of a run which this process does."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    python: str
    machine: str
    """The kernel's name and the processor's architecture."""
    packages: Mapping[str, str]
    """Of those in the lock: the versions that are installed, whatever the lock says."""
    programs: Mapping[str, str]
    """The first line of what each says of its version; empty where it is not installed."""
    image: str
    """Name and id of the guest's image; the id changes with the base, the guest's code and the
    guest's lock."""

    @property
    def digest(self) -> str:
        """SHA-256 of the whole value, whatever the order of its parts."""
        parts = [f"python {self.python}", f"machine {self.machine}", f"image {self.image}"]
        parts += [f"package {name} {self.packages[name]}" for name in sorted(self.packages)]
        parts += [f"program {name} {self.programs[name]}" for name in sorted(self.programs)]
        return sha256("\n".join(parts).encode()).hexdigest()


def this_environment(image: str) -> Environment:
    """The environment of this process, with guests of that image."""
    return Environment(
        python=f"{platform.python_implementation()} {platform.python_version()}",
        machine=f"{platform.system()} {platform.machine()}",
        packages=installed(),
        programs={name: _said(name) for name in PROGRAMS},
        image=image,
    )


def keep(environment: Environment, folder: Path) -> str:
    """Store it in `folder`, a run's directory, once; returns its digest."""
    digest = environment.digest
    path = folder / FOLDER / f"{digest[:12]}.json"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        staging = path.with_suffix(".new")
        with staging.open("w", encoding="utf-8") as file:
            file.write(environment.model_dump_json(indent=1) + "\n")
            file.flush()
            os.fsync(file.fileno())
        staging.rename(path)
    return digest


@cache
def installed() -> Mapping[str, str]:
    """Package -> installed version, for each in the lock that is there: what this process runs
    does not change under it."""
    names = [locked.name for locked in read_lock(LOCK, platform.python_version())]
    found = {name: _version(name) for name in names}
    return {name: version for name, version in found.items() if version}


def differences(lock: Path = LOCK) -> list[str]:
    """Each package that is not installed as it is locked, with both versions."""
    locked = read_lock(lock, platform.python_version())
    found = [(each, _version(each.name) or "none") for each in locked]
    return [f"{each.name} {now} ({each.version})" for each, now in found if now != each.version]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


@cache
def _said(program: str) -> str:
    if shutil.which(program, path=search_path()) is None:
        return ""
    told = run([program, "--version"], what=f"asking {program} for its version")
    return next(iter(told.splitlines()), "")
