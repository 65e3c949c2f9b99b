"""Reads lock files: the version of every package, and the SHA-256 of each of its files.

`vm/lock.sh` writes them, and says what each covers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

__all__ = ["LockError", "Locked", "read_lock"]

HASH = re.compile(r"--hash=(sha256:[0-9a-f]{64})(?=\s|$)")


class LockError(ValueError):
    """A lock file has an entry that does not pin its package, or pins one twice."""


@dataclass(frozen=True)
class Locked:
    """A package pinned to one version."""

    name: str
    """The normalised name: lower case, hyphens."""
    version: str
    hashes: tuple[str, ...]
    """`sha256:` plus the digest of each file of the release."""

    @property
    def line(self) -> str:
        """The entry for a requirements file, without a marker."""
        return " ".join([f"{self.name}=={self.version}", *(f"--hash={h}" for h in self.hashes)])


def read_lock(path: Path, python: str) -> tuple[Locked, ...]:
    """The packages that a lock pins for CPython `python` ("3.11", or exactly "3.11.2") on x86-64
    Linux; `LockError` if one has no hash, no exact version, or two versions.
    """
    environment = {
        "implementation_name": "cpython",
        "os_name": "posix",
        "platform_machine": "x86_64",
        "platform_python_implementation": "CPython",
        "platform_system": "Linux",
        "python_full_version": python if python.count(".") > 1 else f"{python}.99",
        "python_version": ".".join(python.split(".")[:2]),
        "sys_platform": "linux",
    }
    locked: dict[str, Locked] = {}
    for entry in _entries(path):
        words, _, _ = entry.partition(" --hash=")
        try:
            requirement = Requirement(words)
        except InvalidRequirement as error:
            raise LockError(f"{path}: not a requirement: {words!r}: {error}") from None
        exact = [pin.version for pin in requirement.specifier if pin.operator == "=="]
        hashes = tuple(HASH.findall(entry))
        if len(exact) != 1 or len(requirement.specifier) != 1 or "*" in exact[0] or not hashes:
            raise LockError(f"{path}: {words!r} lacks an exact version or a SHA-256")
        if requirement.marker and not requirement.marker.evaluate(environment):
            continue
        name = canonicalize_name(requirement.name)
        if name in locked:
            raise LockError(f"{path}: two versions of {name} for Python {python}")
        locked[name] = Locked(name, exact[0], hashes)
    return tuple(locked.values())


def _entries(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    text = "\n".join(line for line in lines if line.strip() and not line.startswith("#"))
    return text.replace("\\\n", " ").splitlines()
