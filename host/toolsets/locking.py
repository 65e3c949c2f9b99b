"""The lock of a toolset: hashes of each tool's schema and description, to report what changed.

A lock is a file of JSON lines, one for each tool, that is small enough to be kept under version
control.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from ambidex.evaluators.strict import Strict, explain
from ambidex.host.errors import UsageError
from ambidex.host.toolsets import CatalogueTool
from ambidex.vm.whole_files import write_whole

__all__ = ["Drift", "DriftKind", "LockedTool", "drifts", "locked", "read_lock", "write_lock"]

DriftKind = Literal["added", "removed", "renamed", "schema", "description"]
DIGITS = 16
"""Hex digits of a hash: enough to tell two versions of a tool apart."""


class LockedTool(Strict):
    """One tool as it was when the lock was written."""

    server: str
    name: str
    input_schema: str
    """Hash of its schema, whatever the order of keys."""
    description: str
    """Hash of its description."""


@dataclass(frozen=True)
class Drift:
    """One difference between a lock and the tools there are now."""

    server: str
    name: str
    kind: DriftKind
    now: str = ""
    """The new name of a tool that is renamed."""

    def __str__(self) -> str:
        match self.kind:
            case "renamed":
                return f"{self.server}: {self.name} is now named {self.now}"
            case "schema" | "description":
                return f"{self.server}: the {self.kind} of {self.name} has changed"
            case _:
                return f"{self.server}: {self.name} was {self.kind}"


def locked(tools: Iterable[CatalogueTool]) -> Iterator[LockedTool]:
    """The entries of these tools."""
    for tool in tools:
        schema = json.dumps(tool.input_schema, sort_keys=True, separators=(",", ":"))
        yield LockedTool(
            server=tool.server,
            name=tool.name,
            input_schema=_hash(schema),
            description=_hash(tool.description),
        )


def drifts(before: Iterable[LockedTool], now: Iterable[LockedTool]) -> list[Drift]:
    """The differences, by server and name. A tool that is gone while one with the same schema and
    description has appeared on its server is renamed."""
    old = {(tool.server, tool.name): tool for tool in before}
    new = {(tool.server, tool.name): tool for tool in now}
    appeared: dict[tuple[str, str, str], list[str]] = {}
    for key in new.keys() - old.keys():
        appeared.setdefault(_content(new[key]), []).append(key[1])
    found, successors = [], set()
    for key in sorted(old.keys() - new.keys()):
        names = appeared.get(_content(old[key]), [])
        if len(names) == 1 and (key[0], names[0]) not in successors:
            successors.add((key[0], names[0]))
            found.append(Drift(*key, "renamed", names[0]))
        else:
            found.append(Drift(*key, "removed"))
    found += [Drift(*key, "added") for key in new.keys() - old.keys() - successors]
    for key in old.keys() & new.keys():
        if old[key].input_schema != new[key].input_schema:
            found.append(Drift(*key, "schema"))
        if old[key].description != new[key].description:
            found.append(Drift(*key, "description"))
    return sorted(found, key=lambda drift: (drift.server, drift.name, drift.kind))


def write_lock(path: Path, tools: Iterable[LockedTool]) -> None:
    """Write a lock, replacing one that exists."""
    write_whole(path, "".join(f"{tool.model_dump_json()}\n" for tool in tools))


def read_lock(path: Path) -> list[LockedTool]:
    """Read a lock. `UsageError` if it is not one."""
    try:
        with path.open(encoding="utf-8") as file:
            return [LockedTool.model_validate_json(line) for line in file]
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path} cannot be read: {error}",
            hint="Write a lock with `ambidex toolset lock TOOLSET`.",
        ) from None
    except ValidationError as error:
        raise UsageError(f"{path} is not a lock of a toolset: {explain(error, most=3)}") from None


def _content(tool: LockedTool) -> tuple[str, str, str]:
    return tool.server, tool.input_schema, tool.description


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:DIGITS]
