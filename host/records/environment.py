"""The software environment of a run: Python, installed packages, the programs that evaluators
start, and the guest's image. Results depend on it as well as on this project's code.

Each row carries the environment's digest (`Row.environment`); the environment itself is stored as
`environments/<first 12 digits>.json` in the run's directory. A run that was resumed on another
computer has several.
"""

from __future__ import annotations

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
from ambidex.vm.whole_files import write_whole

__all__ = ["FOLDER", "LOCK", "Environment", "differences", "installed", "keep", "this_environment"]

FOLDER = "environments"
LOCK = ROOT / "host" / "requirements.lock"
PROGRAMS = ("tesseract",)
"""Programs on the host whose output a score can depend on."""


class Environment(BaseModel):
    """What all trials that this process runs have in common."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    python: str
    machine: str
    """Kernel name and processor architecture."""
    packages: Mapping[str, str]
    """Installed versions of the packages named in the lock file, which may differ from the lock."""
    programs: Mapping[str, str]
    """First line of each program's `--version` output; empty if it is not installed."""
    image: str
    """Name and id of the guest's image. The id depends on the base image, the guest's code and the
    guest's lock file."""
    accelerator: str = ""
    """What ran the machines: `kvm`, `tcg` (emulation) or `none` (no virtual machine); empty in
    older runs, and where the provider does not say."""
    guest_code: str = ""
    """Digest of the guest's code and libraries; empty as above."""

    @property
    def digest(self) -> str:
        """SHA-256 of the whole value; the order of packages and programs does not matter."""
        parts = [f"python {self.python}", f"machine {self.machine}", f"image {self.image}"]
        parts += [f"package {name} {self.packages[name]}" for name in sorted(self.packages)]
        parts += [f"program {name} {self.programs[name]}" for name in sorted(self.programs)]
        # Older environments have neither, and keep their digest.
        parts += [f"accelerator {self.accelerator}"] if self.accelerator else []
        parts += [f"guest {self.guest_code}"] if self.guest_code else []
        return sha256("\n".join(parts).encode()).hexdigest()


def this_environment(image: str, accelerator: str = "", guest_code: str = "") -> Environment:
    """The environment of this process, with guests made from `image`."""
    return Environment(
        python=f"{platform.python_implementation()} {platform.python_version()}",
        machine=f"{platform.system()} {platform.machine()}",
        packages=installed(),
        programs={name: _program_version(name) for name in PROGRAMS},
        image=image,
        accelerator=accelerator,
        guest_code=guest_code,
    )


def keep(environment: Environment, folder: Path) -> str:
    """Store the environment in a run's directory unless it is there, and return its digest."""
    digest = environment.digest
    path = folder / FOLDER / f"{digest[:12]}.json"
    if not path.exists():
        write_whole(path, environment.model_dump_json(indent=1) + "\n")
    return digest


@cache
def installed() -> Mapping[str, str]:
    """Installed version by package, for the packages of the lock file that are installed. Cached:
    the packages of a running process do not change."""
    names = [locked.name for locked in read_lock(LOCK, platform.python_version())]
    versions = {name: _version(name) for name in names}
    return {name: version for name, version in versions.items() if version}


def differences(lock: Path = LOCK) -> list[str]:
    """Packages whose installed version differs from the lock, as `name installed (locked)`."""
    packages = read_lock(lock, platform.python_version())
    pairs = [(package, _version(package.name) or "none") for package in packages]
    return [
        f"{locked.name} {now} ({locked.version})" for locked, now in pairs if now != locked.version
    ]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


@cache
def _program_version(program: str) -> str:
    if shutil.which(program, path=search_path()) is None:
        return ""
    output = run([program, "--version"], what=f"asking {program} for its version")
    return next(iter(output.splitlines()), "")
