"""Git, for a repository that is made anew."""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from ambidex.host.errors import StageError

__all__ = ["push_history"]

WITHIN = 900.0
"""Seconds for one command."""
WORKFLOWS = ".github"
"""The folder that would start workflows: MCPMark removes it, with a commit of its own."""
AUTHOR = {"NAME": "Ambidex", "EMAIL": "ambidex@localhost"}
ROLES = ("AUTHOR", "COMMITTER")


def push_history(clone: Path, branch: str, url: str, token: str, scratch: Path) -> None:
    """Push the branches and tags of `clone` to the empty repository at `url`, with a commit on
    `branch` that removes its workflows. `scratch` is a new folder for a copy. `StageError` says
    what failed; the token is not on a command line."""
    _git("clone", "--quiet", "--bare", str(clone), str(scratch))
    head = f"refs/heads/{branch}"
    tree = _git("ls-tree", "-z", head, cwd=scratch).split("\0")[:-1]
    kept = [entry for entry in tree if not entry.endswith(f"\t{WORKFLOWS}")]
    if len(kept) < len(tree):
        made = _git("mktree", "-z", cwd=scratch, given="".join(f"{entry}\0" for entry in kept))
        date = _git("log", "-1", "--format=%cI", head, cwd=scratch).strip()
        who = {f"GIT_{role}_{key}": value for role in ROLES for key, value in AUTHOR.items()}
        who |= {f"GIT_{role}_DATE": date for role in ROLES}
        message = "Remove .github directory"
        commit = _git("commit-tree", made.strip(), "-p", head, "-m", message, cwd=scratch, more=who)
        _git("update-ref", head, commit.strip(), cwd=scratch)
    secret = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    with_token = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "http.extraHeader",
        "GIT_CONFIG_VALUE_0": f"Authorization: Basic {secret}",
    }
    refs = ("refs/heads/*:refs/heads/*", "refs/tags/*:refs/tags/*")
    _git("push", "--quiet", url, *refs, cwd=scratch, more=with_token)


def _git(
    *arguments: str,
    cwd: Path | None = None,
    given: str = "",
    more: Mapping[str, str] | None = None,
) -> str:
    """The output of a git command, which neither asks anything nor reads the user's settings."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_GLOBAL": os.devnull, "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=cwd,
            input=given,
            capture_output=True,
            text=True,
            timeout=WITHIN,
            env=environment | dict(more or {}),
            check=False,
        )
    except FileNotFoundError:
        raise StageError("git is not installed here, and makes the repository") from None
    except subprocess.TimeoutExpired:
        raise StageError(f"git {arguments[0]} took longer than {WITHIN:g} s") from None
    if done.returncode:
        why = " ".join(done.stderr.split())[-500:]
        raise StageError(f"git {arguments[0]} failed: {why}")
    return done.stdout
