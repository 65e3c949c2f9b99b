"""Tools for the files of a project."""

from __future__ import annotations

import tempfile
import urllib.parse
from pathlib import Path, PurePosixPath
from typing import Annotated, Optional

from pydantic import BaseModel, Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.commands import run
from ambidex.mcp_tools.forge import app
from ambidex.mcp_tools.forge.api import ADDRESS, Project, call, page, project_path

GIT_WITHIN = 60.0
"""Seconds for a git command."""
Branch = Annotated[str, Field(min_length=1, description="branch, tag or commit")]
FilePath = Annotated[str, Field(min_length=1, description="path in the project: docs/guide.md")]


class Entry(BaseModel):
    """A file or folder."""

    path: str
    kind: str
    """file, folder, link or submodule."""


@app.tool(reads_only=True)
def list_files(
    project: Project,
    folder: Annotated[str, Field(description="path in the project; empty for the top")] = "",
    branch: Branch = "main",
) -> list[Entry]:
    """List (browse) the files and folders of a project (repository) on a branch, one folder at a
    time.
    """
    path = f"{project_path(project)}/tree/{_quoted(branch)}"
    if folder.strip("/"):
        path = f"{path}/f/{_quoted(folder)}"
    listed = call(path)
    if listed["type"] != "folder":
        raise ToolError(f"{folder} is a file.", code="not_folder", hint="Use forge_read_file.")
    return [Entry(path=one["path"], kind=one["type"]) for one in listed["content"]]


@app.tool(reads_only=True)
def read_file(project: Project, path: FilePath, branch: Branch = "main") -> str:
    """Read (show, view) a text file of a project (repository) as it is on a branch."""
    content = page(f"{project_path(project)}/raw/{_quoted(branch)}/f/{_quoted(path)}")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise ToolError(f"{path} is not a text file.", code="not_text") from None


@app.tool()
def write_file(
    project: Project,
    path: FilePath,
    content: Annotated[str, Field(description="all of the file's new content")],
    message: Annotated[str, Field(min_length=1, description="the commit's message")],
    branch: Annotated[str, Field(min_length=1, description="branch to commit to")] = "main",
    from_branch: Annotated[
        Optional[str], Field(description="start the branch here; it must not exist yet")
    ] = None,
) -> str:
    """Commit a change of one file to a branch of a project and push it: create, edit, update or
    overwrite a text file, on a new branch if `from_branch` is given. Returns the commit's hash. For
    several files in one commit, clone the project and use git.
    """
    inside = PurePosixPath(path)
    if inside.is_absolute() or {"..", ".git"} & set(inside.parts):
        raise ToolError(f"{path} is not a path in the project.", code="bad_path")
    with tempfile.TemporaryDirectory() as scratch:
        clone = Path(scratch, "clone")
        # No links: they could lead out of the clone.
        options = ("-c", "core.symlinks=false", "-c", "core.hooksPath=/dev/null")
        start = ("--depth=1", f"--branch={from_branch or branch}", "--quiet")
        address = f"{ADDRESS}/{project.strip('/')}.git"
        _git(None, *options, "clone", *start, "--", address, str(clone))
        if from_branch is not None:
            _git(clone, "checkout", "--quiet", "-b", branch)
        file = clone / inside
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8", newline="")
        except OSError as error:
            raise ToolError(f"{path}: {error.strerror}.", code="bad_path") from None
        _git(clone, "add", "--force", "--", str(inside))
        _git(clone, *options, "commit", "--quiet", f"--message={message}")
        # An existing branch is left alone if this one is meant to be new.
        new = ("--force-with-lease=refs/heads/" + branch + ":",) if from_branch else ()
        target = f"HEAD:refs/heads/{branch}"
        _git(clone, *options, "push", "--quiet", *new, "origin", target)
        return _git(clone, "rev-parse", "HEAD").strip()


def _git(folder: Optional[Path], *arguments: str) -> str:
    done = run(["git", *arguments], GIT_WITHIN, folder, {"GIT_TERMINAL_PROMPT": "0"})
    if done.code:
        said = (done.errors or done.output).strip()[-1000:]
        raise ToolError(f"git failed: {said}", code="git")
    return done.output


def _quoted(path: str) -> str:
    return urllib.parse.quote(path.strip("/"))
