"""Every dependency has a reason, is used, and is declared where it is imported."""

from __future__ import annotations

import runpy
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.imports import imports_of

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
PROJECT = tomllib.loads(TEXT)["project"]
PAGES = runpy.run_path(str(ROOT / "docs" / "dependencies.py"))
RUNTIME = ("evaluators", "host", "tasks", "toolgen", "vm")
OURS = {"ambidex", "ambidex_desktop", *RUNTIME, "bench", "examples", "guest", "mcp_tools", "tests"}
NOT_IMPORTED = {"websockets": "uvicorn loads it by name"}
BRIDGES = ("harbor", "inspect", "rl")
"""The extras whose packages only host/integrations imports."""
BY_EXTRA = {"integrations": BRIDGES, "cluster": ("cluster",)}
"""The rooms of host/ that import packages of extras, with these extras."""
PARTS = {"fastmcp-slim": "fastmcp"}
"""Distribution -> the one that is declared and consists of it."""
UPSTREAM = {"desktop_env"}
"""OSWorld's own package: bench/differential imports it from a checkout, in a child process."""


distributions = cache(packages_distributions)


@cache
def imported(*folders: str) -> list[set[str]]:
    """Of each module that is imported below those folders: the distributions that hold it."""
    modules: set[str] = set()
    for path in (path for folder in folders for path in (ROOT / folder).rglob("*.py")):
        # Material of tasks, and a package for other environments.
        if {"files", "services-mcpmark", "outside"} & {*path.relative_to(ROOT).parts}:
            continue
        modules |= {each.module.partition(".")[0] for each in imports_of(path) if not each.level}
    modules -= sys.stdlib_module_names | OURS | UPSTREAM
    owners = distributions()
    held = [{canonicalize_name(owner) for owner in owners[name]} for name in sorted(modules)]
    return [{PARTS.get(owner, owner) for owner in names} for names in held]


def declared(*lists: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(line).name) for lines in lists for line in lines}


def test_the_page_of_dependencies_is_what_pyproject_says() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    assert page == PAGES["page"](TEXT), "python docs/dependencies.py > docs/dependencies.md"


def test_a_dependency_without_a_reason_is_refused() -> None:
    bare = TEXT.replace("docs = [", 'docs = [\n    "left-pad>=1",')
    with pytest.raises(ValueError, match="left-pad"):
        PAGES["page"](bare)


def test_what_the_host_imports_is_declared() -> None:
    known = declared(PROJECT["dependencies"], PROJECT["optional-dependencies"]["minilm"])
    for room, names in BY_EXTRA.items():
        extras = declared(*(PROJECT["optional-dependencies"][name] for name in names))
        unknown = [owners for owners in imported(f"host/{room}") if not owners & (known | extras)]
        assert unknown == [], room
    rooms = [path.name for path in (ROOT / "host").iterdir() if path.name not in BY_EXTRA]
    rest = imported(*sorted({*RUNTIME} - {"host"}), *(f"host/{name}" for name in rooms))
    assert [owners for owners in rest if not owners & known] == [], "only those rooms may"


def test_what_is_declared_is_imported() -> None:
    used = {name for owners in imported(*RUNTIME) for name in owners} | NOT_IMPORTED.keys()
    assert sorted(declared(PROJECT["dependencies"]) - used) == []


def test_what_tests_import_is_declared() -> None:
    known = declared(PROJECT["dependencies"], *PROJECT["optional-dependencies"].values())
    assert [owners for owners in imported("tests", "bench") if not owners & known] == []
