"""The body of a task that a jury judges by its key points."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ambidex.evaluators.key_points import judged
from ambidex.tasks import Verdict
from ambidex.tasks.livemcpbench.catalogue import read_servers
from ambidex.tasks.spec import Setup

__all__ = ["KeyPointBody", "key_points_in"]

NUMBERED = re.compile(r"^\s*\d+\s*[.)、]\s*(?P<point>.*\S)\s*$")


def key_points_in(text: str) -> tuple[str, ...]:
    """The entries of a numbered list, one or more lines each; lines before it are dropped."""
    points: list[str] = []
    for line in text.splitlines():
        if match := NUMBERED.match(line):
            points.append(match["point"])
        elif points and line.strip():
            points[-1] += f" {line.strip()}"
    return tuple(points)


@dataclass(frozen=True)
class KeyPointBody:
    """Setup and key points of a task. The host records the agent's calls as evidence; after the
    episode the jury's answers are added to it (`host.jury`)."""

    points: tuple[str, ...]
    """The key points, as people wrote them."""
    setup: tuple[Setup, ...]
    folder: Path
    """The folder with the files that `put` names."""
    catalogue: Path
    """The file with the descriptions of tools."""

    @property
    def check_count(self) -> int:
        """Number of key points."""
        return len(self.points)

    def description(self, server: str, tool: str) -> str:
        """The catalogue's description of a tool; empty if it has none."""
        return _descriptions(self.catalogue).get((server, tool), "")

    def judge(self, evidence: Path) -> Verdict:
        """The score that follows from the jury's answers; 0 if it has not judged."""
        return Verdict(judged(evidence))


@cache
def _descriptions(catalogue: Path) -> dict[tuple[str, str], str]:
    return {
        (server.server_name, tool.name): tool.description or ""
        for server in read_servers(catalogue)
        for tool in server.tools
    }
