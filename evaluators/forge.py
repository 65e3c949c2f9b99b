"""The evaluator of the exported state of the forge (`vm/images/services/forge`)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pydantic import Field

from ambidex.evaluators import Score
from ambidex.evaluators.exports.compare import Content, compare, read_both, with_new_by_name
from ambidex.evaluators.registry import EvidenceName, evaluator

__all__ = ["states"]

NOTE = re.compile(
    r"\*\*Metadata Update from @|Pull-Request has been \w+ by |\d+ new commits? added|rebased onto "
)
"""How the forge's own comments begin."""
BRANCH = "refs/heads/"
PULL = "refs/pull/"


class Comment(Content):
    """A comment."""

    text: str = ""


class Discussed(Content):
    """An issue or a pull request."""

    title: str = ""
    comments: list[Comment] = Field(default=[])


class Commit(Content):
    """A commit."""

    parents: list[str] = Field(default=[])


class Blob(Content):
    """The content of a file."""

    sha256: str = ""
    text: str | None = None


class Project(Content):
    """A project with its repository."""

    issues: dict[str, Discussed] = Field(default={})
    pull_requests: dict[str, Discussed] = Field(default={})
    head: str = ""
    refs: dict[str, str] = Field(default={})
    trees: dict[str, dict[str, str]] = Field(default={})
    commits: dict[str, Commit] = Field(default={})


class Export(Content):
    """An export."""

    people: list[str] = Field(min_length=1)
    projects: dict[str, Project] = Field(default={})
    blobs: dict[str, Blob] = Field(default={})


@evaluator
def changes(
    evidence: Path,
    *,
    values: dict[str, Any] | None = None,
    patterns: dict[str, str] | None = None,
    gone: list[str] | None = None,
    free: list[str] | None = None,
    file: EvidenceName = "forge.json",
) -> Score:
    """Since setup, the forge has changed to these values, by path, and in nothing else. `patterns`
    are values as regular expressions; at the paths that match `gone` there is nothing any more; of
    those that match `free`, anything may have become.

    Paths: `PROJECT/issues/3/status`, `PROJECT/pull_requests/4/comments/0/text` (see the export), a
    new one by its title, `PROJECT/issues/+Title/content`. `PROJECT/files/BRANCH/PATH` is a file's
    text; a new branch has only the files that differ from the default branch after setup, with
    `(removed)` for those it lacks. `PROJECT/rewritten/BRANCH` is true if commits were removed from
    a branch. Comments that the forge writes about a change are left out.
    """
    before, after = states(evidence, file)
    return compare(before, after, values or {}, patterns or {}, gone or [], free or [])


def states(evidence: Path, file: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The forge after setup and now, as the paths of `changes` name it."""
    earlier, later = read_both(evidence, file, Export)
    return _view(earlier, earlier), _view(later, earlier)


def _view(export: Export, earlier: Export) -> dict[str, Any]:
    texts = {id: blob.text or blob.sha256 for id, blob in export.blobs.items()}
    projects = {
        name: _project(project, earlier.projects.get(name, Project()), texts)
        for name, project in export.projects.items()
    }
    return {"people": export.people, **projects}


def _project(project: Project, earlier: Project, texts: dict[str, str]) -> dict[str, Any]:
    shown = project.model_dump(exclude={"refs", "trees", "commits"})
    for kind in ("issues", "pull_requests"):
        for item in shown[kind].values():
            item["comments"] = [one for one in item["comments"] if not NOTE.match(one["text"])]
            for ours in ("commit", "closed_by"):
                item.pop(ours, None)
        old = getattr(earlier, kind)
        shown[kind] = with_new_by_name(shown[kind], old, lambda item: str(item["title"]))
    base = earlier.trees.get(earlier.head, {})
    kept = {ref: id for ref, id in project.refs.items() if not ref.startswith((BRANCH, PULL))}
    return {
        **shown,
        "refs": kept,
        "exists": True,
        "files": {
            branch: _files(tree, {} if branch in earlier.trees else base, texts)
            for branch, tree in project.trees.items()
        },
        "rewritten": {
            ref.removeprefix(BRANCH): True
            for ref, id in project.refs.items()
            if ref.startswith(BRANCH) and ref in earlier.refs
            if earlier.refs[ref] not in _history(project, id)
        },
    }


def _files(tree: dict[str, str], base: dict[str, str], texts: dict[str, str]) -> dict[str, str]:
    """The text of each file of a branch that is not the same in `base`."""
    removed = dict.fromkeys(base.keys() - tree.keys(), "(removed)")
    own = {path: id for path, id in tree.items() if base.get(path) != id}
    return removed | {path: texts.get(id, id) or "(empty)" for path, id in own.items()}


def _history(project: Project, id: str) -> set[str]:
    """The commit and all those before it."""
    seen: set[str] = set()
    waiting = [id]
    while waiting:
        one = waiting.pop()
        if one not in seen and one in project.commits:
            seen.add(one)
            waiting += project.commits[one].parents
    return seen
