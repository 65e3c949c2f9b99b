"""Programs of images' services, imported by their paths."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from ambidex.vm.building.services import SERVICES

__all__ = ["program_of"]


def program_of(service: str, path: str) -> ModuleType:
    """The Python program of a service at a path below `/usr/share/ambidex`."""
    file = SERVICES / service / "files/usr/share/ambidex" / path
    return imported(file)


def imported(file: Path) -> ModuleType:
    """The module of a file."""
    spec = importlib.util.spec_from_file_location(f"guest_{file.parent.name}_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
