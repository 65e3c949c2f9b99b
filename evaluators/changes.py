"""What else changed on a desktop: the list that a task collects with `changes`."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, ValidationError

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.bounded import BoundsError, parse_json
from ambidex.evaluators.evidence import read
from ambidex.evaluators.registry import EvidenceName, evaluator
from ambidex.evaluators.strict import Strict, explain
from ambidex.evaluators.values import verdict

MOST = 10
"""Changes that a reason names."""


class Change(Strict):
    """A thing that is another than before."""

    kind: str
    what: str
    how: str


class Changes(Strict):
    """The whole list."""

    home: str
    """The desktop user's folder."""
    changes: tuple[Change, ...]
    refused: str = ""
    """Why there may be others; empty where these are all."""
    left_out: dict[str, int] = Field(default_factory=dict)
    """How many were left out that applications write of themselves, by their kind."""


@evaluator
def only(
    evidence: Path,
    *,
    file: EvidenceName,
    files: list[str] | None = None,
    settings: list[str] | None = None,
) -> Score:
    """Nothing else changed than these files and settings; they need not have changed.

    A file is named by its path (`~/` is the home); with a slash at its end it is a folder with all
    that lies in it. A setting is named as "schema key", or by its schema alone.
    """
    found = _read(evidence, file)
    if found.refused:
        return Score(0.0, f"not all changes are known: {found.refused}")
    allowed = [_whole(each, found.home) for each in files or []]
    keys = [tuple(each.split()) for each in settings or []]
    wrong = [
        f"{each.kind} {each.what}: {each.how}"
        for each in found.changes
        if not (
            _within(each.what, allowed)
            if each.kind == "file"
            else each.kind == "setting" and _named(each.what, keys)
        )
    ]
    more = [f"and {len(wrong) - MOST} changes more"] if len(wrong) > MOST else []
    return verdict([*wrong[:MOST], *more], f"{file}: nothing else changed")


def _read(evidence: Path, file: str) -> Changes:
    try:
        return Changes.model_validate(parse_json(read(evidence, file)))
    except BoundsError as error:
        raise UnreadableError(f"not a list of changes: {file}: {error}") from None
    except ValidationError as error:
        raise UnreadableError(f"not a list of changes: {file}: {explain(error)}") from None


def _whole(path: str, home: str) -> str:
    return home + path[1:] if path.startswith("~/") else path


def _within(path: str, allowed: list[str]) -> bool:
    return any(path == each or (each.endswith("/") and path.startswith(each)) for each in allowed)


def _named(what: str, keys: list[tuple[str, ...]]) -> bool:
    return any(tuple(what.split())[: len(key)] == key for key in keys if key)
