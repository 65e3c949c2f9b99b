"""Git, by its command line: never through a shell, never asking anybody."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError, commands
from ambidex.mcp_tools.files import files
from ambidex.mcp_tools.os import app

__all__ = ["app"]

WITHIN = 100.0
SAID = 20_000
"""Characters of each output that are passed on."""
ASKS_NOBODY = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "/bin/true",
    "SSH_ASKPASS": "/bin/true",
    "GIT_SSH_COMMAND": "ssh -o BatchMode=yes",
    "GIT_EDITOR": "true",
    "GIT_SEQUENCE_EDITOR": "true",
    "GIT_PAGER": "cat",
    "LC_ALL": "C.UTF-8",
}

Repository = Annotated[
    Optional[str],
    Field(description="folder of the repository, such as ~/project; the home folder if left out"),
]


@dataclass(frozen=True)
class Said:
    """What git said. `messages` are what it writes for people beside its output; About
    `left_out` characters were too many.
    """

    command: str
    folder: str
    output: str
    messages: str
    left_out: int


@dataclass(frozen=True)
class Identity:
    """Who commits are by, in one repository or everywhere; old values are None where none were
    set.
    """

    file: str
    old_name: Optional[str]
    old_email: Optional[str]
    name: str
    email: str


def git(folder: Path, *words: str) -> commands.Ran:
    """Git run in a folder to its end, however that is."""
    return commands.run(["git", *words], WITHIN, folder, ASKS_NOBODY)


@app.tool(timeout=120)
def git_operation(
    operation: Annotated[
        str,
        Field(
            pattern=r"^[a-z][a-z0-9-]*$", description="git subcommand, such as pull, push, stash"
        ),
    ],
    arguments: Annotated[
        Optional[list[Annotated[str, Field(description="one argument, unquoted")]]],
        Field(description='its arguments, such as ["-m", "Fix the title"]', max_length=1000),
    ] = None,
    repo_path: Repository = None,
) -> Said:
    """Run any git command in a repository and get its output: clone, pull, push to a remote, stash,
    merge, rebase, fetch, tag, status, add, commit and so on. No shell: quotes, wildcards and ~ are
    not expanded; no editor or password prompt, so give messages with -m.
    """
    folder = files.folder(repo_path or "~")
    given = arguments or []
    ran = git(folder, operation, *given)
    output, messages = ran.output.strip("\n"), ran.errors.strip("\n")
    if ran.code:
        said = (messages or output or "it said nothing")[-2000:]
        # To find differences, or nothing, is no failure of these.
        if not (ran.code == 1 and operation in ("diff", "grep") and not messages):
            code = "no_repository" if "not a git repository" in said else "git"
            raise ToolError(f"git {operation} ended with {ran.code}: {said}", code=code)
    left_out = ran.cut + sum(max(len(each) - SAID, 0) for each in (output, messages))
    line = " ".join(["git", operation, *given])
    return Said(line[:500], str(folder), output[:SAID], messages[-SAID:], left_out)


def configured(folder: Path, scope: str, key: str) -> Optional[str]:
    """The value that is set there, if any."""
    ran = git(folder, "config", scope, "--get", key)
    return ran.output.rstrip("\n") if ran.code == 0 else None


@app.tool(timeout=60)
def git_set_user_info(
    username: Annotated[str, Field(pattern=r"^[^\n<>]*[^\s<>][^\n<>]*$", description="a name")],
    email: Annotated[str, Field(pattern=r"^[^\s<>]+$", description="an address")],
    is_global: Annotated[
        bool, Field(description="true for every repository of the user, false for this one alone")
    ],
    repo_path: Annotated[
        Optional[str], Field(description="folder of the repository; needed unless is_global")
    ] = None,
) -> Identity:
    """Set the git user name and email (git config user.name): the author of commits, globally or
    for one repository. Returns both before and after.
    """
    if not is_global and not repo_path:
        hint = "Give repo_path, or is_global=true."
        raise ToolError("Which repository is not said.", code="no_repository", hint=hint)
    folder = Path.home() if is_global else files.folder(repo_path or "~")
    if not is_global and git(folder, "rev-parse", "--git-dir").code:
        raise ToolError(f"{folder} is not in a git repository.", code="no_repository")
    scope = "--global" if is_global else "--local"
    old = [configured(folder, scope, key) for key in ("user.name", "user.email")]
    for key, value in (("user.name", username), ("user.email", email)):
        ran = git(folder, "config", scope, "--replace-all", key, value)
        if ran.code:
            raise ToolError(f"git did not store {key}: {ran.errors.strip()}", code="git")
    shown = git(folder, "config", scope, "--show-origin", "-z", "--get", "user.email").output
    file = files.at(str(folder / shown.partition("\0")[0].removeprefix("file:")))
    new = [configured(folder, scope, key) or "" for key in ("user.name", "user.email")]
    return Identity(str(file), old[0], old[1], new[0], new[1])
