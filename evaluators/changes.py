"""Side effects on a desktop: the list of changes that a task collects with `changes`."""

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
"""Maximum number of changes that a reason names."""


class Change(Strict):
    """One change since setup."""

    kind: str
    what: str
    how: str


class Changes(Strict):
    """All changes since setup."""

    home: str
    """The desktop user's home folder."""
    changes: tuple[Change, ...]
    refused: str = ""
    """Why the list may be incomplete; empty if it is complete."""
    left_out: dict[str, int] = Field(default_factory=dict)
    """Number of changes left out by kind: those that applications write on their own."""


@evaluator
def only(
    evidence: Path,
    *,
    file: EvidenceName,
    files: list[str] | None = None,
    settings: list[str] | None = None,
) -> Score:
    """Nothing changed except these files and settings, which may or may not have changed.

    A file is named by its path (`~/` is the home folder); a path that ends in a slash stands for
    the folder and everything in it. A setting is named as "schema key", or by its schema alone.
    """
    survey = _read(evidence, file)
    if survey.refused:
        return Score(0.0, f"the list of changes is incomplete: {survey.refused}")
    allowed = [_absolute(path, survey.home) for path in files or []]
    keys = [tuple(setting.split()) for setting in settings or []]
    unexpected = [
        f"{change.kind} {change.what}: {change.how}"
        for change in survey.changes
        if not (
            _within(change.what, allowed)
            if change.kind == "file"
            else change.kind == "setting" and _matches_setting(change.what, keys)
        )
    ]
    more = [f"and {len(unexpected) - MOST} more changes"] if len(unexpected) > MOST else []
    return verdict([*unexpected[:MOST], *more], f"{file}: nothing else changed")


def _read(evidence: Path, file: str) -> Changes:
    try:
        return Changes.model_validate(parse_json(read(evidence, file)))
    except BoundsError as error:
        raise UnreadableError(f"not a list of changes: {file}: {error}") from None
    except ValidationError as error:
        raise UnreadableError(f"not a list of changes: {file}: {explain(error)}") from None


def _absolute(path: str, home: str) -> str:
    return home + path[1:] if path.startswith("~/") else path


def _within(path: str, allowed: list[str]) -> bool:
    return any(
        path == entry or (entry.endswith("/") and path.startswith(entry)) for entry in allowed
    )


def _matches_setting(setting: str, keys: list[tuple[str, ...]]) -> bool:
    return any(tuple(setting.split())[: len(key)] == key for key in keys if key)
