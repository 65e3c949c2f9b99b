"""Tools for git repositories, forwarded to the stock server mcp-server-git, which is part of the
layer.

Only `git_init` is our own: OSWorld-MCP lists it among the server's tools, but the server has
dropped it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Literal, Optional, cast

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.git import app
from ambidex.mcp_tools.mount import Mount

RUN_SERVER = (
    "import runpy, sys; sys.path[:0] = sys.argv.pop().split(':'); "
    "runpy.run_module('mcp_server_git', run_name='__main__', alter_sys=True)"
)
"""Runs the server like `python3 -m mcp_server_git`, with its library path as an argument: git hooks
would inherit PYTHONPATH.
"""

Repository = Annotated[
    str,
    Field(
        description="the repository's top folder, such as ~/project; relative to the home folder",
    ),
]
ContextLines = Annotated[int, Field(description="lines of context around each change")]
Moment = Annotated[
    Optional[str],
    Field(description="such as 2026-01-15T14:30:25, 2026-01-15, yesterday or 2 weeks ago"),
]
Contained = Annotated[Optional[str], Field(description="a commit, such as HEAD~2 or its hash")]


def command() -> list[str]:
    """Command that starts the server, with the library path of this process."""
    path = os.pathsep.join(str(Path(entry or ".").resolve()) for entry in sys.path)
    return [sys.executable, "-I", "-c", RUN_SERVER, path]


server = Mount("git server", command)


@app.tool(reads_only=True)
def status(repo_path: Repository) -> str:
    """Show the working tree status: current branch, staged, changed (modified) and untracked files,
    or that it is clean. Check it before staging or committing.
    """
    return _text("status", repo_path=repo_path)


@app.tool(reads_only=True)
def diff_unstaged(repo_path: Repository, context_lines: ContextLines = 3) -> str:
    """Show changes in the working directory that are not staged yet: modified but not added, as a
    diff.
    """
    return _text("diff_unstaged", repo_path=repo_path, context_lines=context_lines)


@app.tool(reads_only=True)
def diff_staged(repo_path: Repository, context_lines: ContextLines = 3) -> str:
    """Show the staged changes, as git diff --cached: review what is in the index for the next
    commit.
    """
    return _text("diff_staged", repo_path=repo_path, context_lines=context_lines)


@app.tool(reads_only=True)
def diff(
    repo_path: Repository,
    target: Annotated[
        str, Field(description="branch, tag or commit to compare with, such as main or HEAD~2")
    ],
    context_lines: ContextLines = 3,
) -> str:
    """Diff the current files against a branch, tag or commit: show the differences line by line."""
    return _text("diff", repo_path=repo_path, target=target, context_lines=context_lines)


@app.tool()
def commit(
    repo_path: Repository, message: Annotated[str, Field(description="the commit's message")]
) -> str:
    """Commit (check in) the staged changes: record a new commit with a message on the current
    branch. Returns its hash. Fails if nothing is staged: git_add first.
    """
    return _text("commit", repo_path=repo_path, message=message)


@app.tool()
def add(
    repo_path: Repository,
    files: Annotated[
        list[str],
        Field(min_length=1, description='paths within the repository; ["."] is everything'),
    ],
) -> str:
    """Stage files: put new and changed files (edits) in the index for the next commit. Says so if
    there was nothing to stage.
    """
    return _text("add", repo_path=repo_path, files=files)


@app.tool()
def reset(repo_path: Repository) -> str:
    """Unstage everything: undo git add, take all files out of the staging area (index) again. The
    files keep their changes.
    """
    return _text("reset", repo_path=repo_path)


@app.tool(reads_only=True)
def log(
    repo_path: Repository,
    max_count: Annotated[int, Field(description="maximum number of commits")] = 10,
    start_timestamp: Moment = None,
    end_timestamp: Moment = None,
) -> str:
    """Show the commit history of the current branch: the last commits, newest first, with hash,
    author (who), date (when) and message, optionally since or until a time.
    """
    return _text(
        "log",
        repo_path=repo_path,
        max_count=max_count,
        start_timestamp=start_timestamp,
        end_timestamp=end_timestamp,
    )


@app.tool()
def create_branch(
    repo_path: Repository,
    branch_name: Annotated[str, Field(description="name of the new branch")],
    base_branch: Annotated[
        Optional[str], Field(description="starting point; default: the current branch")
    ] = None,
) -> str:
    """Create (start) a new branch to work on, off the current or another (base) branch such as
    main, without switching to it (git_checkout does). Fails if it exists.
    """
    return _text(
        "create_branch", repo_path=repo_path, branch_name=branch_name, base_branch=base_branch
    )


@app.tool()
def checkout(
    repo_path: Repository,
    branch_name: Annotated[str, Field(description="branch; a tag or commit detaches HEAD")],
) -> str:
    """Switch to another branch: change the working tree to it. Fails, changing nothing, if
    uncommitted changes would be overwritten.
    """
    return _text("checkout", repo_path=repo_path, branch_name=branch_name)


@app.tool(reads_only=True)
def show(
    repo_path: Repository,
    revision: Annotated[
        str, Field(description="a commit such as HEAD, or a file in it as HEAD:notes/plan.txt")
    ],
) -> str:
    """Show one commit (revision): author, date, message and what it changed; or, as
    <commit>:<path>, a file's contents in it or a folder's names.
    """
    return _text("show", repo_path=repo_path, revision=revision)


@app.tool(reads_only=True)
def branch(
    repo_path: Repository,
    branch_type: Annotated[
        Literal["local", "remote", "all"], Field(description="which branches to list")
    ],
    contains: Contained = None,
    not_contains: Contained = None,
) -> str:
    """List branches, local, remote or all, the current marked *; `contains` and `not_contains`
    limit them to those with or without a commit. To make one use git_create_branch.
    """
    return _text(
        "branch",
        repo_path=repo_path,
        branch_type=branch_type,
        contains=contains,
        not_contains=not_contains,
    )


@app.tool(ours=True)
def init(repo_path: Repository) -> str:
    """Initialise a new git repository: turn a folder into one, under version control; created if
    missing, its files stay. An existing repository is unchanged, which is reported.
    """
    command = ["git", "init", "--", str(_absolute_path(repo_path))]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
    if result.returncode:
        raise ToolError(f"git: {result.stderr.strip()}", code="refused")
    return result.stdout.strip()


def _absolute_path(repo_path: str) -> Path:
    return Path.home() / Path(repo_path).expanduser()


def _text(tool: str, repo_path: str, **arguments: object) -> str:
    """Call a tool of the server. An error that consists of the path alone is replaced by a useful
    one.
    """
    try:
        return cast(str, server.call(f"git_{tool}", repo_path=repo_path, **arguments))
    except ToolError as error:
        if error.message != str(_absolute_path(repo_path)):
            raise
        hint = "Give the top folder of a repository, or create one with git_init."
        raise ToolError(
            f"Not a repository: {repo_path}.", code="no_repository", hint=hint
        ) from None
