"""Rooms are the folders inside each package: imports between them point one way."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.support.imports import imports_of

ROOT = Path(__file__).parents[1]
PACKAGES = ("bench", "evaluators", "guest", "host", "mcp_tools", "tasks", "toolgen", "vm")
MOST_MODULES = 26
"""In one folder, its `__init__` included."""
LONGEST = 400
"""Lines of a module, tests included."""


def modules(package: str) -> dict[str, Path]:
    """Every module of the package by its dotted name; a package goes by its folder's."""
    found = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if "files" not in parts:  # what a task puts into a guest
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


def imports(path: Path, known: dict[str, Path]) -> Iterator[tuple[str, str]]:
    """(module, name taken from it) of each import of a known module."""
    for found in imports_of(path):
        for taken in found.names or ("",):
            if (inner := f"{found.module}.{taken}") in known:
                yield inner, ""
            elif found.module in known:
                yield found.module, taken


def room(name: str) -> str:
    """The folder inside its package that a module is in; a module beside the folders is alone."""
    return ".".join(name.split(".")[:2])


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_between_rooms_point_one_way(package: str) -> None:
    known = modules(package)
    wanted: dict[str, set[str]] = defaultdict(set)
    for name, path in known.items():
        for module, _ in imports(path, known):
            if room(module) != room(name):
                wanted[room(name)].add(room(module))
    try:
        TopologicalSorter(wanted).prepare()
    except CycleError as error:
        pytest.fail(f"rooms that import each other: {' <- '.join(error.args[1])}")


def test_nothing_private_is_imported() -> None:
    known = {name: path for package in PACKAGES for name, path in modules(package).items()}
    wrong = [
        f"{name} imports {module}.{taken}"
        for name, path in known.items()
        for module, taken in imports(path, known)
        if taken.startswith("_") and not taken.startswith("__")
    ]
    assert not wrong, "\n".join(wrong)


def test_no_folder_holds_too_many_modules() -> None:
    count = Counter(path.parent for package in PACKAGES for path in modules(package).values())
    full = {str(folder.relative_to(ROOT)): n for folder, n in count.items() if n > MOST_MODULES}
    assert full == {}


def test_no_module_has_too_many_lines() -> None:
    known = {name: path for top in (*PACKAGES, "tests") for name, path in modules(top).items()}
    lines = {name: len(path.read_text().splitlines()) for name, path in known.items()}
    assert {name: n for name, n in lines.items() if n > LONGEST} == {}
