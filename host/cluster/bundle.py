"""What travels to every host of a cluster: the head's code, the suite and the user's own parts, as
one directory. Ray stores it by the hash of its content and makes it a worker's working directory.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from ambidex.host import ROOT
from ambidex.host.errors import UsageError
from ambidex.host.runs.lanes import RunParts
from ambidex.vm.store import tree_digest

__all__ = ["ANNOTATIONS", "CODE", "SUITE", "source_digest", "write_bundle"]

PACKAGES = ("evaluators", "guest", "host", "mcp_tools", "tasks", "toolgen", "vm")
"""Those that are in `ambidex`."""
SUITE, ANNOTATIONS, CODE = "suite", "annotations.json", "code"
IGNORED = shutil.ignore_patterns("__pycache__", ".git", ".venv", ".pytest_cache", ".mypy_cache")


def source_digest(root: Path = ROOT) -> str:
    """A digest of the code below `root`, by default that of this process: host, guest, tools,
    evaluators."""
    return tree_digest([root / name for name in PACKAGES])


def write_bundle(target: Path, parts: RunParts) -> str:
    """Write the bundle into the empty directory `target` and return the digest of its code.
    `UsageError` if a part cannot travel."""
    for toolset in parts.toolsets:
        _copy_toolset(Path(toolset), target)
    for name in PACKAGES:
        shutil.copytree(ROOT / name, target / "ambidex" / name, ignore=IGNORED)
    suite = parts.suite
    shutil.copytree(suite.folder, target / SUITE / suite.folder.resolve().name, ignore=IGNORED)
    if suite.annotations is not None:
        shutil.copyfile(suite.annotations, target / ANNOTATIONS)
    if parts.code is not None:
        shutil.copytree(parts.code, target / CODE, ignore=IGNORED)
    for place in sorted(_own_modules(parts.references)):
        if place.is_dir():
            shutil.copytree(place, target / place.name, ignore=IGNORED, dirs_exist_ok=True)
        else:
            shutil.copyfile(place, target / place.name)
    return source_digest(target / "ambidex")


def _copy_toolset(toolset: Path, target: Path) -> None:
    if toolset.is_absolute() or ".." in toolset.parts:
        raise UsageError(
            f"the toolset {toolset} cannot be sent to other hosts: its path is not below this "
            "directory",
            hint="Name it by a path relative to the directory that you run the command in.",
        )
    place = target / toolset
    place.parent.mkdir(parents=True, exist_ok=True)
    if toolset.is_dir():
        shutil.copytree(toolset, place, dirs_exist_ok=True)
    else:
        shutil.copyfile(toolset, place)


def _own_modules(references: Iterable[str]) -> set[Path]:
    """The packages or files that the user's own parts are in: not what is installed."""
    installed = {Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve()}
    places: set[Path] = set()
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # as `host.named.load_reference`
    for reference in references:
        top = reference.partition(":")[0].partition(".")[0]
        if ":" not in reference or not top.isidentifier() or top == "ambidex":
            continue
        spec = importlib.util.find_spec(top)
        if spec is None:  # an agent's own argument, as in `oracle:tools`
            continue
        where = [Path(place) for place in spec.submodule_search_locations or ()]
        if not where and spec.origin and spec.origin.endswith(".py"):
            where = [Path(spec.origin)]
        places |= {
            place
            for place in where
            if not any(folder in place.resolve().parents for folder in installed)
        }
    return places
