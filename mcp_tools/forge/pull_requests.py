"""Tools for pull requests."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Optional

from pydantic import BaseModel, Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.forge import app
from ambidex.mcp_tools.forge.api import Number, Project, call, page, person, project_path
from ambidex.mcp_tools.forge.issues import Comment


class PullRequestSummary(BaseModel):
    """A pull request in a list."""

    number: int
    title: str
    status: str
    author: Optional[str]
    assignee: Optional[str]
    from_project: Optional[str]
    from_branch: str
    to_branch: str


class PullRequest(PullRequestSummary):
    """A pull request."""

    description: str
    closed_by: Optional[str]
    commit: Optional[str]
    """The last one."""
    comments: list[Comment]
    diff: str
    """Empty once it is merged or closed."""


@app.tool(reads_only=True)
def list_pull_requests(
    project: Project,
    status: Annotated[
        Literal["Open", "Closed", "Merged", "All"], Field(description="which ones")
    ] = "Open",
    author: Annotated[Optional[str], Field(description="who opened it")] = None,
    assignee: Annotated[Optional[str], Field(description="name of the person")] = None,
) -> list[PullRequestSummary]:
    """List the pull requests (merge requests, PRs) of a project, optionally by status, author or
    assignee.
    """
    query = {"status": status, "author": author, "assignee": assignee, "per_page": 100}
    answer = call(f"{project_path(project)}/pull-requests", query)
    return [PullRequestSummary(**_summary(one)) for one in answer["requests"]]


@app.tool(reads_only=True)
def get_pull_request(project: Project, number: Number) -> PullRequest:
    """Show (view, review) a pull request (merge request, PR) with description, branches, status,
    all comments, and its diff (the changes) while it is open.
    """
    return _pull_request(project, call(f"{project_path(project)}/pull-request/{number}"))


@app.tool()
def create_pull_request(
    project: Project,
    title: Annotated[str, Field(min_length=1, description="in one line")],
    from_branch: Annotated[str, Field(description="branch with the changes")],
    to_branch: Annotated[str, Field(description="branch to merge into")] = "main",
    description: Annotated[Optional[str], Field(description="in Markdown")] = None,
) -> PullRequest:
    """Open (create) a pull request (merge request, PR) from a branch of the project, which must
    have been pushed, or written with forge_write_file.
    """
    form = {
        "title": title,
        "branch_from": from_branch,
        "branch_to": to_branch,
        "initial_comment": description,
    }
    created = call(f"{project_path(project)}/pull-request/new", form=form)
    return _pull_request(project, created)


@app.tool()
def comment_on_pull_request(
    project: Project,
    number: Number,
    comment: Annotated[str, Field(min_length=1, description="text, in Markdown")],
    file: Annotated[Optional[str], Field(description="path of a file, to comment a line")] = None,
    line: Annotated[Optional[int], Field(ge=1, description="line of the changed file")] = None,
) -> None:
    """Add a comment to a pull request (PR): a reply or a review, also on one line of a file."""
    if (file is None) != (line is None):
        raise ToolError("Give both file and line, or neither.", code="bad_arguments")
    form: dict[str, Any] = {"comment": comment}
    if file is not None:
        shown = call(f"{project_path(project)}/pull-request/{number}")
        form.update(filename=file, row=line, commit=shown["commit_stop"])
    call(f"{project_path(project)}/pull-request/{number}/comment", form=form)


@app.tool()
def merge_pull_request(project: Project, number: Number) -> None:
    """Merge (accept) a pull request (PR) into its branch. Fails if it conflicts, or if you may not
    commit to the project.
    """
    _finish(project, number, "merge")


@app.tool()
def close_pull_request(project: Project, number: Number) -> None:
    """Close (reject, cancel) a pull request (PR) without merging it."""
    _finish(project, number, "close")


def _finish(project: str, number: int, how: str) -> None:
    path = f"{project_path(project)}/pull-request/{number}"
    status = call(path)["status"]
    if status != "Open":
        raise ToolError(f"Pull request {number} is not open but {status.lower()}.", code="refused")
    call(f"{path}/{how}", form={})


def _summary(request: dict[str, Any]) -> dict[str, Any]:
    source = request["repo_from"]
    return {
        "number": request["id"],
        "title": request["title"],
        "status": request["status"],
        "author": person(request["user"]),
        "assignee": person(request["assignee"]),
        "from_project": source and source["fullname"],
        "from_branch": request["branch_from"],
        "to_branch": request["branch"],
    }


def _pull_request(project: str, request: dict[str, Any]) -> PullRequest:
    diff = b""
    if request["status"] == "Open":
        path = f"{project_path(project)}/pull-request/{request['id']}.diff"
        diff = page(path)
    return PullRequest(
        **_summary(request),
        description=request["initial_comment"] or "",
        closed_by=person(request["closed_by"]),
        commit=request["commit_stop"],
        comments=[
            Comment(author=person(c["user"]), text=c["comment"]) for c in request["comments"]
        ],
        diff=diff.decode(errors="replace"),
    )
