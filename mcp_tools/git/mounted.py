"""Git repositories, through the stock server mcp-server-git, which is part of the code layer.

Every tool here but `git_init` is forwarded: the reference counts it among the server's tools, and
the server has dropped it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Literal, Optional, cast

from pydantic import Field

from mcp_tools import ToolError
from mcp_tools.git import app
from mcp_tools.mount import Mount

RUN = (
    "import runpy, sys; sys.path[:0] = sys.argv.pop().split(':'); "
    "runpy.run_module('mcp_server_git', run_name='__main__', alter_sys=True)"
)
"""The server as `python3 -m mcp_server_git` runs it, told here where its libraries are: by
PYTHONPATH the hooks that git starts would find them.
"""

Repository = Annotated[
    str,
    Field(
        description="the repository's top folder, such as ~/project; relative paths begin at the "
        "home folder",
    ),
]
ContextLines = Annotated[
    int, Field(description="unchanged lines shown before and after each change")
]
Moment = Annotated[
    Optional[str],
    Field(description="such as 2026-01-15T14:30:25, 2026-01-15, yesterday or 2 weeks ago"),
]
Contained = Annotated[Optional[str], Field(description="a commit, such as HEAD~2 or its hash")]


def command() -> list[str]:
    """How to start the server, with the libraries of this process."""
    path = os.pathsep.join(str(Path(each or ".").resolve()) for each in sys.path)
    return [sys.executable, "-I", "-c", RUN, path]


server = Mount("git server", command)


@app.tool(reads_only=True)
def status(repo_path: Repository) -> str:
    """See the state of a repository's working tree: the branch, what is staged, what is changed and
    not staged, and which files git does not know. Look here before you stage or commit.
    """
    return _text("status", repo_path=repo_path)


@app.tool(reads_only=True)
def diff_unstaged(repo_path: Repository, context_lines: ContextLines = 3) -> str:
    """See line by line what was changed in tracked files since it was last staged."""
    return _text("diff_unstaged", repo_path=repo_path, context_lines=context_lines)


@app.tool(reads_only=True)
def diff_staged(repo_path: Repository, context_lines: ContextLines = 3) -> str:
    """See line by line what the next commit would hold: the staged changes against HEAD."""
    return _text("diff_staged", repo_path=repo_path, context_lines=context_lines)


@app.tool(reads_only=True)
def diff(
    repo_path: Repository,
    target: Annotated[
        str, Field(description="branch, tag or commit to compare with, such as main or HEAD~2")
    ],
    context_lines: ContextLines = 3,
) -> str:
    """Compare the files as they are now with a branch or commit, line by line."""
    return _text("diff", repo_path=repo_path, target=target, context_lines=context_lines)


@app.tool()
def commit(
    repo_path: Repository, message: Annotated[str, Field(description="the commit's message")]
) -> str:
    """Record what is staged as a new commit on the current branch; returns its hash. Fails where
    nothing is staged: use git_add first.
    """
    return _text("commit", repo_path=repo_path, message=message)


@app.tool()
def add(
    repo_path: Repository,
    files: Annotated[
        list[str],
        Field(min_length=1, description='paths within the repository; ["."] stands for everything'),
    ],
) -> str:
    """Stage files for the next commit, new and changed ones alike; says so if there was nothing new
    to stage.
    """
    return _text("add", repo_path=repo_path, files=files)


@app.tool()
def reset(repo_path: Repository) -> str:
    """Take everything out of the stage again. The files themselves keep their changes."""
    return _text("reset", repo_path=repo_path)


@app.tool(reads_only=True)
def log(
    repo_path: Repository,
    max_count: Annotated[int, Field(description="commits at most, newest first")] = 10,
    start_timestamp: Moment = None,
    end_timestamp: Moment = None,
) -> str:
    """List commits of the current branch, newest first, each with hash, author, date and message;
    with timestamps only those made between them.
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
        Optional[str], Field(description="where it begins; without it, at the current branch")
    ] = None,
) -> str:
    """Make a new branch and stay on the current one; git_checkout goes to it. Fails where there is
    one of that name.
    """
    return _text(
        "create_branch", repo_path=repo_path, branch_name=branch_name, base_branch=base_branch
    )


@app.tool()
def checkout(
    repo_path: Repository,
    branch_name: Annotated[
        str, Field(description="branch to go to; a tag or commit leaves HEAD detached")
    ],
) -> str:
    """Switch the working tree to another branch. Fails, and changes nothing, where that would
    overwrite changes that are not committed.
    """
    return _text("checkout", repo_path=repo_path, branch_name=branch_name)


@app.tool(reads_only=True)
def show(
    repo_path: Repository,
    revision: Annotated[
        str, Field(description="a commit such as HEAD, or a file in it as HEAD:notes/plan.txt")
    ],
) -> str:
    """See one commit with author, date, message and its changes; or, as <commit>:<path>, what a
    file held in it, or which names a folder had.
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
    """List branches, the current one marked with *; with `contains` or `not_contains` only those
    that have, or do not have, that commit. Use git_create_branch to make one.
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
    """Make a folder a repository; the folder is created where it is missing, and files that are in
    it stay. Where there is a repository already nothing changes, and the answer says so.
    """
    command = ["git", "init", "--", str(_at(repo_path))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
    if done.returncode:
        raise ToolError(f"git: {done.stderr.strip()}", code="refused")
    return done.stdout.strip()


def _at(repo_path: str) -> Path:
    return Path.home() / Path(repo_path).expanduser()


def _text(tool: str, repo_path: str, **arguments: object) -> str:
    """What the server answers; where it only repeats the path, what is wrong with that."""
    try:
        return cast(str, server.call(f"git_{tool}", repo_path=repo_path, **arguments))
    except ToolError as error:
        if error.message != str(_at(repo_path)):
            raise
        hint = "Give the top folder of one; git_init makes one."
        raise ToolError(f"{repo_path} is no repository.", code="no_repository", hint=hint) from None
