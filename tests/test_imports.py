"""Imports point down, guest code parses as Python 3.10, and nothing is imported in a circle."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

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


@cache
def imported(path: Path) -> list[tuple[int, str]]:
    return [*_imported(path)]


def _imported(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import():
                yield from ((node.lineno, alias.name) for alias in node.names)
            case ast.ImportFrom():
                assert node.level == 0 or ROOT / "tests" in path.parents, (
                    f"{path}:{node.lineno}: a relative import"
                )
                if node.module == "ambidex":
                    yield from ((node.lineno, f"ambidex.{alias.name}") for alias in node.names)
                else:
                    yield node.lineno, node.module or ""


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
    left: list[ast.AST] = list(ast.parse(path.read_text(encoding="utf-8")).body)
    while left:
        match left.pop():
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                continue
            case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
                continue
            case ast.Import(names=names):
                yield from (each.name for each in names if each.name in known)
            case ast.ImportFrom(module=str(module), names=names):
                for each in names:
                    inner = f"{module}.{each.name}"
                    yield from (one for one in (inner, module) if one in known)
            case other:
                left += ast.iter_child_nodes(other)


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
