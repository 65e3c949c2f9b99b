"""Tools that run the git command line, without a shell and without prompts."""

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
OUTPUT_LIMIT = 20_000
"""Maximum number of characters returned of stdout and of stderr."""
NON_INTERACTIVE = {
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
class GitOutput:
    """Output of git. `messages` is its stderr, which it uses for progress and notes; about
    `left_out` characters were omitted.
    """

    command: str
    folder: str
    output: str
    messages: str
    left_out: int


@dataclass(frozen=True)
class Identity:
    """The author of commits, in one repository or globally. Old values are None if they were not
    set.
    """

    file: str
    old_name: Optional[str]
    old_email: Optional[str]
    name: str
    email: str


def run_git(folder: Path, *words: str) -> commands.CommandOutput:
    """Run git in a folder to completion, whatever its exit status."""
    return commands.run(["git", *words], WITHIN, folder, NON_INTERACTIVE)


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
) -> GitOutput:
    """Run any git command in a repository and get its output: clone, pull, push to a remote, stash,
    merge, rebase, fetch, tag, status, add, commit and so on. No shell: quotes, wildcards and ~ are
    not expanded; no editor or password prompt, so give messages with -m.
    """
    folder = files.existing_folder(repo_path or "~")
    words = arguments or []
    result = run_git(folder, operation, *words)
    output, messages = result.output.strip("\n"), result.errors.strip("\n")
    if result.code:
        text = (messages or output or "no output")[-2000:]
        # Exit status 1 of these means differences, or no match, not failure.
        if not (result.code == 1 and operation in ("diff", "grep") and not messages):
            code = "no_repository" if "not a git repository" in text else "git"
            raise ToolError(
                f"git {operation} failed with exit status {result.code}: {text}", code=code
            )
    left_out = result.cut + sum(max(len(part) - OUTPUT_LIMIT, 0) for part in (output, messages))
    line = " ".join(["git", operation, *words])
    return GitOutput(
        line[:500], str(folder), output[:OUTPUT_LIMIT], messages[-OUTPUT_LIMIT:], left_out
    )


def read_config(folder: Path, scope: str, key: str) -> Optional[str]:
    """The value of a configuration key in a scope; None if it is not set."""
    result = run_git(folder, "config", scope, "--get", key)
    return result.output.rstrip("\n") if result.code == 0 else None


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
        hint = "Pass repo_path, or is_global=true."
        raise ToolError("No repository was given.", code="no_repository", hint=hint)
    folder = Path.home() if is_global else files.existing_folder(repo_path or "~")
    if not is_global and run_git(folder, "rev-parse", "--git-dir").code:
        raise ToolError(f"{folder} is not in a git repository.", code="no_repository")
    scope = "--global" if is_global else "--local"
    old = [read_config(folder, scope, key) for key in ("user.name", "user.email")]
    for key, value in (("user.name", username), ("user.email", email)):
        result = run_git(folder, "config", scope, "--replace-all", key, value)
        if result.code:
            raise ToolError(f"git did not store {key}: {result.errors.strip()}", code="git")
    origin = run_git(folder, "config", scope, "--show-origin", "-z", "--get", "user.email").output
    file = files.absolute_path(str(folder / origin.partition("\0")[0].removeprefix("file:")))
    new = [read_config(folder, scope, key) or "" for key in ("user.name", "user.email")]
    return Identity(str(file), old[0], old[1], new[0], new[1])
