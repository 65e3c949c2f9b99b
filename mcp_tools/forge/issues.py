"""Tools for issues."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Optional

from pydantic import BaseModel, Field

from ambidex.mcp_tools.forge import app
from ambidex.mcp_tools.forge.api import Number, Project, call, person, project_path

Tags = Annotated[Optional[list[str]], Field(description="tags (labels)")]
Milestone = Annotated[Optional[str], Field(description="name of a milestone")]


class IssueSummary(BaseModel):
    """An issue in a list."""

    number: int
    title: str
    status: str
    close_status: Optional[str]
    author: Optional[str]
    assignee: Optional[str]
    tags: list[str]
    milestone: Optional[str]
    private: bool


class Comment(BaseModel):
    """A comment, or a note of the forge about a change."""

    author: Optional[str]
    text: str


class Issue(IssueSummary):
    """An issue."""

    content: str
    priority: Optional[int]
    depends_on: list[int]
    blocks: list[int]
    comments: list[Comment]


@app.tool(reads_only=True)
def list_issues(
    project: Project,
    status: Annotated[
        Literal["Open", "Closed", "all"], Field(description="open ones, closed ones or all")
    ] = "Open",
    tags: Annotated[
        Optional[list[str]], Field(description="with all these tags; !tag for without it")
    ] = None,
    assignee: Annotated[Optional[str], Field(description="name of the person")] = None,
    author: Annotated[Optional[str], Field(description="who reported it")] = None,
    milestone: Milestone = None,
) -> list[IssueSummary]:
    """List the issues (tickets, bugs) of a project, optionally by status, tag (label), assignee,
    author or milestone. Newest first.
    """
    query = {
        "status": status,
        "tags": tags,
        "assignee": assignee,
        "author": author,
        "milestones": milestone,
        "per_page": 100,
    }
    path, issues, number = f"{project_path(project)}/issues", [], 1
    while True:
        answer = call(path, {**query, "page": number})
        issues += [IssueSummary(**_summary(one)) for one in answer["issues"]]
        if number >= answer["pagination"]["pages"]:
            return issues
        number += 1


@app.tool(reads_only=True)
def get_issue(project: Project, number: Number) -> Issue:
    """Show (view, read) an issue (ticket) with its description, status, assignee, tags, milestone,
    dependencies and all comments.
    """
    return _issue(call(f"{project_path(project)}/issue/{number}"))


@app.tool()
def create_issue(
    project: Project,
    title: Annotated[str, Field(min_length=1, description="in one line")],
    content: Annotated[str, Field(min_length=1, description="description, in Markdown")],
    tags: Tags = None,
    assignee: Annotated[Optional[str], Field(description="name of a member")] = None,
    milestone: Milestone = None,
    private: Annotated[bool, Field(description="visible to members only")] = False,
) -> Issue:
    """Open (file, report, create) a new issue (ticket, bug) in a project, with tags (labels),
    assignee and milestone if wanted.
    """
    form = {
        "title": title,
        "issue_content": content,
        "tag": ",".join(tags) if tags else None,
        "assignee": assignee,
        "milestone": milestone,
        "private": private or None,
    }
    return _issue(call(f"{project_path(project)}/new_issue", form=form)["issue"])


@app.tool()
def comment_on_issue(
    project: Project,
    number: Number,
    comment: Annotated[str, Field(min_length=1, description="text, in Markdown")],
) -> None:
    """Add a comment to an issue (ticket): reply to it."""
    call(f"{project_path(project)}/issue/{number}/comment", form={"comment": comment})


@app.tool()
def set_issue_status(
    project: Project,
    number: Number,
    status: Annotated[Literal["Open", "Closed"], Field(description="the new status")],
    close_status: Annotated[
        Optional[str],
        Field(description="why it is closed, one of the project's close statuses, such as Fixed"),
    ] = None,
) -> None:
    """Close an issue (ticket), as resolved, fixed or invalid, or reopen it."""
    form = {"status": status, "close_status": close_status}
    call(f"{project_path(project)}/issue/{number}/status", form=form)


@app.tool()
def assign_issue(
    project: Project,
    number: Number,
    assignee: Annotated[str, Field(description="name of a person; empty for nobody")],
) -> None:
    """Assign an issue (ticket) to a person, or unassign it."""
    call(f"{project_path(project)}/issue/{number}/assign", form={"assignee": assignee or None})


def _summary(issue: dict[str, Any]) -> dict[str, Any]:
    kept = ("title", "status", "close_status", "tags", "milestone", "private")
    people = {"author": person(issue["user"]), "assignee": person(issue["assignee"])}
    return {"number": issue["id"], **{name: issue[name] for name in kept}, **people}


def _issue(issue: dict[str, Any]) -> Issue:
    comments = [Comment(author=person(c["user"]), text=c["comment"]) for c in issue["comments"]]
    return Issue(
        **_summary(issue),
        content=issue["content"],
        priority=issue["priority"],
        depends_on=issue["depends"],
        blocks=issue["blocks"],
        comments=comments,
    )
