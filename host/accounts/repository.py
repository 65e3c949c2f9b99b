"""A repository on GitHub for one trial: made from MCPMark's archive in MCPMark's order, so that
issues and pull requests get the numbers that tasks name, and deleted afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ambidex.host.accounts.git import push_history
from ambidex.host.accounts.rest import RestApi
from ambidex.host.accounts.template import (
    Comment,
    Issue,
    Pull,
    Template,
    unpacked,
    without_mentions,
)
from ambidex.host.accounts.turns import alone
from ambidex.host.errors import StageError

__all__ = ["Made", "Place", "repository"]

OURS = "A repository of one trial of Ambidex, which deletes it."
"""The description of a repository that may be deleted: no other is."""


@dataclass(frozen=True)
class Place:
    """Where repositories are made."""

    organization: str
    server: str
    """The address that git pushes to, without a slash at its end."""


@dataclass(frozen=True)
class Made:
    """What was made."""

    name: str
    """`organization/repository`."""
    issues: int
    pulls: int
    skipped_pulls: int
    """Pull requests that GitHub refused, such as those without a difference; as in MCPMark, they
    are left out and take no number."""


@contextmanager
def repository(
    github: RestApi,
    place: Place,
    archive: Path,
    *,
    public: bool,
    token: str,
    wait: Callable[[float], None],
) -> Iterator[Made]:
    """The repository of an archive in the user's organization, for the block. Tasks name it, so one
    trial has it at a time: others wait. One of that name that Ambidex did not make is not touched.
    `StageError` says what failed."""
    with unpacked(archive) as template:
        name = f"{place.organization}/{template.meta.repo}"
        with alone(name, wait):
            _delete_leftover(github, name)
            try:
                yield _make(github, place, template, name, public, token)
            finally:
                with suppress(StageError):  # the next trial that needs the name deletes it
                    github.ask("DELETE", f"/repos/{name}", tolerated=404)


def _delete_leftover(github: RestApi, name: str) -> None:
    """Delete what an earlier trial left behind because it was killed."""
    there = github.ask("GET", f"/repos/{name}", tolerated=404)
    if there is None:
        return
    if there.get("description") != OURS:
        raise StageError(
            f"the repository {name} exists and was not made by Ambidex",
            hint="Use an organization that has no repositories of its own (GITHUB_EVAL_ORG).",
        )
    github.ask("DELETE", f"/repos/{name}")


def _make(
    github: RestApi, place: Place, template: Template, name: str, public: bool, token: str
) -> Made:
    branch = template.meta.default_branch
    new = {
        "name": template.meta.repo,
        "description": OURS,
        "private": not public,
        "auto_init": False,
        "has_issues": True,
        "has_projects": True,
        "has_wiki": False,
    }
    github.ask("POST", f"/orgs/{place.organization}/repos", new)
    actions = f"/repos/{name}/actions/permissions"
    github.ask("PUT", actions, {"enabled": False})
    with TemporaryDirectory(prefix="ambidex-push-") as scratch:
        url = f"{place.server}/{name}.git"
        push_history(template.repository, branch, url, token, Path(scratch) / "copy")
    github.ask("PATCH", f"/repos/{name}", {"default_branch": branch})
    for issue in template.issues:
        _issue(github, name, issue)
    pulls = [_pull(github, name, pull) for pull in template.pulls]
    if public:
        github.ask("PUT", actions, {"enabled": True, "allowed_actions": "all"})
    # Fine-grained tokens may not change this, and it only spares the user notifications.
    github.ask("PUT", f"/repos/{name}/subscription", {"ignored": True}, tolerated=403)
    return Made(name, len(template.issues), sum(pulls), len(pulls) - sum(pulls))


def _issue(github: RestApi, name: str, issue: Issue) -> None:
    new = {
        "title": issue.title,
        "body": without_mentions(issue.body or ""),
        "labels": list(issue.labels),
    }
    path = f"/repos/{name}/issues"
    path = f"{path}/{_number(github.ask('POST', path, new))}"
    if issue.state == "closed":
        github.ask("PATCH", path, {"state": "closed"})
    _comment(github, path, issue.comments)


def _pull(github: RestApi, name: str, pull: Pull) -> bool:
    """Make it; False if GitHub refuses it."""
    new = {
        "title": pull.title,
        "body": without_mentions(pull.text()),
        "head": pull.local_branch or pull.head,
        "base": pull.base,
    }
    made = github.ask("POST", f"/repos/{name}/pulls", new, tolerated=422)
    if made is None:
        return False
    path = f"/repos/{name}/issues/{_number(made)}"
    _comment(github, path, pull.comments)
    _comment(github, path, pull.review_comments, " (review)")
    return True


def _number(made: dict[str, Any] | None) -> int:
    match made:
        case {"number": int(number)}:
            return number
    raise StageError("GitHub's answer does not say the number of what it made")


def _comment(github: RestApi, path: str, comments: tuple[Comment, ...], kind: str = "") -> None:
    for comment in comments:
        body = without_mentions(comment.text(kind))
        github.ask("POST", f"{path}/comments", {"body": body})
