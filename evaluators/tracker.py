"""The evaluator of the exported state of the tracker (`vm/images/services/tracker`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from ambidex.evaluators import Score
from ambidex.evaluators.exports.compare import Content, compare, read_both, with_new_by_name
from ambidex.evaluators.registry import EvidenceName, evaluator

__all__ = ["states"]


class Entry(Content):
    """An entry of an issue's journal."""

    user: str = ""
    notes: str | None = None


class Issue(Content):
    """An issue."""

    subject: str = ""
    journal: list[Entry] = Field(default=[])


class Project(Content):
    """A project without its issues."""

    wiki: dict[str, dict[str, Any]] = Field(default={})


class Export(Content):
    """An export."""

    people: list[str] = Field(min_length=1)
    projects: dict[str, Project] = Field(default={})
    issues: dict[str, Issue] = Field(default={})


@evaluator
def changes(
    evidence: Path,
    *,
    values: dict[str, Any] | None = None,
    patterns: dict[str, str] | None = None,
    gone: list[str] | None = None,
    free: list[str] | None = None,
    file: EvidenceName = "tracker.json",
) -> Score:
    """Since setup, the tracker has changed to these values, by path, and in nothing else.
    `patterns` are values as regular expressions; at the paths that match `gone` there is nothing
    any more; of those that match `free`, anything may have become.

    Paths: `projects/PROJECT/wiki/TITLE/text`, `issues/3/status` (see the export); a new issue by
    its subject, `issues/+Subject/priority`; notes are `issues/3/notes/0/text`. Watchers and the
    numbers of wiki pages' versions are left out.
    """
    before, after = states(evidence, file)
    return compare(before, after, values or {}, patterns or {}, gone or [], free or [])


def states(evidence: Path, file: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The tracker after setup and now, as the paths of `changes` name it."""
    earlier, later = read_both(evidence, file, Export)
    return _view(earlier, earlier), _view(later, earlier)


def _view(export: Export, earlier: Export) -> dict[str, Any]:
    shown = export.model_dump()
    for issue in shown["issues"].values():
        issue["notes"] = [
            {"user": entry["user"], "text": entry["notes"]}
            for entry in issue.pop("journal")
            if entry["notes"]
        ]
        issue.pop("watchers", None)
    for project in shown["projects"].values():
        for page in project["wiki"].values():
            page.pop("version", None)
    shown["issues"] = with_new_by_name(
        shown["issues"], earlier.issues, lambda issue: str(issue["subject"])
    )
    return shown
