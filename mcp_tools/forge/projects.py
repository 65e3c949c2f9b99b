"""Tools for projects."""

from __future__ import annotations

from typing import Annotated, Any, Optional

from pydantic import BaseModel, Field

from ambidex.mcp_tools.forge import app
from ambidex.mcp_tools.forge.api import ADDRESS, Project, call, person, project_path


class ProjectSummary(BaseModel):
    """A project in a list."""

    name: str
    owner: Optional[str]
    description: str


class ProjectDetails(ProjectSummary):
    """A project."""

    page: str
    clone_address: str
    parent: Optional[str]
    members: dict[str, list[str]]
    """Names by access."""
    tags: list[str]
    milestones: list[str]
    close_statuses: list[str]
    default_branch: Optional[str]
    branches: list[str]


@app.tool(reads_only=True)
def list_projects(
    owner: Annotated[Optional[str], Field(description="only projects of this person")] = None,
    name_contains: Annotated[
        Optional[str], Field(description="only projects with this text in their name")
    ] = None,
    forks: Annotated[bool, Field(description="forks instead of projects of their own")] = False,
) -> list[ProjectSummary]:
    """List or search the projects (repositories) on the forge (git server), with owner and
    description.
    """
    pattern = f"*{name_contains}*" if name_contains else None
    query = {"owner": owner, "pattern": pattern, "fork": forks, "per_page": 100}
    return [
        ProjectSummary(
            name=one["fullname"], owner=person(one["user"]), description=one["description"]
        )
        for one in call("projects", query)["projects"]
    ]


@app.tool(reads_only=True)
def get_project(project: Project) -> ProjectDetails:
    """Show a project (repository) on the forge: owner, members (committers, collaborators), clone
    URL, branches with the default branch, and the tags (labels), milestones and close statuses that
    its issues use.
    """
    return _details(call(project_path(project)), call(f"{project_path(project)}/git/branches"))


@app.tool()
def create_project(
    name: Annotated[str, Field(description="letters, digits, - and _")],
    description: Annotated[str, Field(description="one line")],
    readme: Annotated[bool, Field(description="start with a README.md on branch main")] = True,
    private: Annotated[bool, Field(description="visible to its members only")] = False,
) -> ProjectDetails:
    """Create a new project (repository) on the forge, owned by you. Push to its clone URL, or write
    files with forge_write_file.
    """
    form = {"name": name, "description": description, "create_readme": readme or None}
    call("new", form={**form, "private": private or None})
    return get_project(name)


def _details(project: dict[str, Any], git: dict[str, Any]) -> ProjectDetails:
    parent = project["parent"]
    return ProjectDetails(
        name=project["fullname"],
        owner=person(project["user"]),
        description=project["description"],
        page=f"{ADDRESS}/{project['url_path']}",
        clone_address=f"{ADDRESS}/{project['fullname']}.git",
        parent=parent and parent["fullname"],
        members={access: names for access, names in project["access_users"].items() if names},
        tags=project["tags"],
        milestones=list(project["milestones"]),
        close_statuses=project["close_status"],
        default_branch=git["default"],
        branches=git["branches"],
    )
