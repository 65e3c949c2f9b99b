"""Imports point down, guest code parses as Python 3.10, and nothing is imported in a circle."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.support.imports import imports_of

ROOT = Path(__file__).parents[1]

ALLOWED = {
    "bench": {"host", "tasks", "evaluators", "vm"},
    "toolgen": {"host", "tasks", "evaluators", "vm"},
    "host": {"tasks", "evaluators", "vm"},
    "tasks": {"evaluators"},
    "evaluators": set(),
    "vm": set(),
    "guest": {"mcp_tools"},
    "mcp_tools": set(),
}
"""What each package may import of the others."""

IN_THE_GUEST = ("guest", "mcp_tools")


def modules(package: str) -> list[Path]:
    # Below tasks/ lie the suites, and what they put into a guest is data.
    found = (ROOT / package).rglob("*.py")
    return sorted(path for path in found if package != "tasks" or "files" not in path.parts)


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """(line, module) of each import."""
    for found in imports_of(path):
        assert found.level == 0 or ROOT / "tests" in path.parents, (
            f"{path}:{found.line}: a relative import"
        )
        if found.module == "ambidex":
            yield from ((found.line, f"ambidex.{name}") for name in found.names)
        else:
            yield found.line, found.module


@pytest.mark.parametrize("package", ALLOWED)
def test_imports_point_down(package: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in modules(package)
        for line, name in imported(path)
        if (top := name.removeprefix("ambidex.").partition(".")[0]) in ALLOWED
        and top != package
        and top not in ALLOWED[package]
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("package", IN_THE_GUEST)
def test_guest_code_is_python_3_10(package: str) -> None:
    for path in modules(package):
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 10))
        newer = {name for _, name in imported(path)} & {"tomllib"}
        assert not newer, f"{path}: {newer} is not in Python 3.10"
        stars = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.TryStar)]
        assert not stars, f"{path}:{stars}: except* is not in Python 3.10"


def test_nothing_is_imported_in_a_circle() -> None:
    """At import: what a function imports when it is called, or only types need, is no circle."""
    known = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for package in ALLOWED
        for path in modules(package)
    }
    wanted = {name: set(at_import(path, known)) - {name} for name, path in known.items()}
    try:
        TopologicalSorter(wanted).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def at_import(path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """The modules of ours that are imported together with this one."""
    for found in imports_of(path):
        if found.at_import:
            for name in (*(f"{found.module}.{taken}" for taken in found.names), found.module):
                if name in known:
                    yield name


@pytest.mark.parametrize("package", [name for name in ALLOWED if name != "bench"] + ["tests"])
def test_packages_are_imported_by_their_whole_name(package: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in modules(package)
        for line, name in imported(path)
        if name.partition(".")[0] in ALLOWED and name.partition(".")[0] != "bench"
    ]
    assert not wrong, "\n".join(wrong)


def test_every_package_is_known_here() -> None:
    found = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    assert found <= ALLOWED.keys()
