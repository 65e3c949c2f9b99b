"""Running a task's `make.py`: its instances' files, and their `instances.toml`."""

from __future__ import annotations

import runpy
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, cast
from zipfile import BadZipFile, ZipFile

from ambidex.tasks.authoring.toml import toml_text
from ambidex.tasks.instances import NAME

__all__ = ["GENERATOR", "differences", "make_instances"]

GENERATOR = "make.py"
FILES = "files"
INSTANCES = 3
"""How many instances a task gets, unless its `make.py` has another number in `INSTANCES`."""

Make = Callable[[int, Random, Path], dict[str, Any]]


def make_instances(task: Path, out: Path) -> None:
    """Run the `make.py` of a task's folder and write `files/<number>/` and `instances.toml` into
    the folder `out`, replacing what is there."""
    module = runpy.run_path(str(task / GENERATOR))
    make = cast(Make, module["make"])
    tables = []
    for number in range(1, module.get("INSTANCES", INSTANCES) + 1):
        files = out / FILES / str(number)
        shutil.rmtree(files, ignore_errors=True)
        files.mkdir(parents=True)
        tables.append(make(number, Random(f"{task.name}/{number}"), files))
        if not any(files.iterdir()):
            files.rmdir()
    (out / NAME).write_text(toml_text(tables), encoding="utf-8")


def differences(committed: Path, made: Path) -> Iterator[str]:
    """What differs between a task's folder and what its `make.py` wrote elsewhere. Of packages,
    such as workbooks, the members are compared, not their compression."""
    for name in sorted({*_generated(committed), *_generated(made)}):
        here, there = committed / name, made / name
        if not there.is_file():
            yield f"{name}: make.py does not write it"
        elif not here.is_file():
            yield f"{name}: missing, but make.py writes it"
        elif _content(here) != _content(there):
            yield f"{name}: not what make.py writes"


def _generated(folder: Path) -> Iterator[str]:
    paths = [folder / NAME, *(folder / FILES).glob("[0-9]*/**/*")]
    return (path.relative_to(folder).as_posix() for path in paths if path.is_file())


def _content(path: Path) -> object:
    try:
        with ZipFile(path) as package:
            return [(item.filename, package.read(item)) for item in package.infolist()]
    except BadZipFile:
        return path.read_bytes()
