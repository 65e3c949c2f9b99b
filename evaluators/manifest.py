"""The manifest `evidence.json`: the source and the flaws of each piece of evidence.

It is stored alongside the collected files. Evidence of older runs has none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.strict import Strict, explain

__all__ = ["NAME", "Manifest", "Source", "read_manifest", "source_of"]

NAME = "evidence.json"


class Source(Strict):
    """Origin and state of one piece of evidence."""

    by: Literal["collector", "disk", "service", "session", "verifier"]
    """Who supplied it: the guest's collector, while the agent's processes were frozen; the host,
    from the disk of the paused machine (where the agent is root); a service of the image, or a
    task's verification program in an account of its own, while the agent's processes were frozen;
    or the agent's session before that, through programs that the agent may have changed."""
    asked: str
    """The path, command or tool that was requested."""
    state: str
    """`file`, `absent`, `folder`, `link`, `special`, `unreadable`, `too_large`, `listed` or
    `surveyed`; for a session `answered` or `failed`; OSWorld getters have states of their own."""
    size: int = 0
    exit: int | None = None
    """Exit status of a command."""
    flaw: str = ""
    """Why this evidence cannot be used, if it cannot; it then counts as missing."""


class Manifest(Strict):
    """All sources by name in the evidence directory."""

    agent_is_root: bool = False
    """Whether the agent could become root in the guest, and so change the collector. Then only what
    was read from the `disk` is independent of the agent."""
    sources: dict[str, Source] = Field(default_factory=dict)


def read_manifest(evidence: Path) -> Manifest:
    """Read the manifest; an empty one if there is none. Raises `UnreadableError` if it is
    damaged."""
    try:
        return Manifest.model_validate_json((evidence / NAME).read_bytes())
    except FileNotFoundError:
        return Manifest()
    except ValidationError as error:
        raise UnreadableError(f"{NAME} cannot be read: {explain(error)}") from None


def source_of(evidence: Path, name: str) -> Source | None:
    """The manifest's entry for one piece of evidence, if it has one."""
    return read_manifest(evidence).sources.get(name)
