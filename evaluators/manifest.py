"""Where each piece of evidence came from, and what is wrong with it: `evidence.json`, beside what
was collected. Evidence of older runs has none."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.strict import Strict, explain

__all__ = ["NAME", "Manifest", "Source", "read_manifest", "source_of"]

NAME = "evidence.json"


class Source(Strict):
    """What one piece of evidence is."""

    by: Literal["collector", "session"]
    """Read by the guest's collector while the agent's processes were frozen, or answered by the
    agent's session before that: by its programs, which the agent may have changed."""
    asked: str
    """The path, the command or the tool."""
    state: str
    """`file`, `absent`, `folder`, `link`, `special`, `unreadable`, `too_large`, `listed` or
    `surveyed`; of the session `answered` or `failed`; of an OSWorld getter its own."""
    size: int = 0
    exit: int | None = None
    """Of a command."""
    flaw: str = ""
    """Why nothing can be judged by it, if so: it is then as if it were missing, for this reason."""


class Manifest(Strict):
    """All of it, by the name in the evidence directory."""

    agent_is_root: bool = False
    """Whether the agent could become root in the guest, and so change the collector."""
    sources: dict[str, Source] = Field(default_factory=dict)


def read_manifest(evidence: Path) -> Manifest:
    """The manifest; an empty one where there is none. `UnreadableError` where it is damaged."""
    try:
        return Manifest.model_validate_json((evidence / NAME).read_bytes())
    except FileNotFoundError:
        return Manifest()
    except ValidationError as error:
        raise UnreadableError(f"{NAME} cannot be read: {explain(error)}") from None


def source_of(evidence: Path, name: str) -> Source | None:
    """What is known of one piece of evidence."""
    return read_manifest(evidence).sources.get(name)
