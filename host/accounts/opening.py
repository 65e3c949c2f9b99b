"""Opens what a task has in the user's accounts."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ambidex.host.errors import StageError
from ambidex.tasks import Task
from ambidex.tasks.catalogue import catalogue_hash
from ambidex.tasks.mcpmark.body import ProgramBody
from ambidex.vm.whole_files import write_whole

if TYPE_CHECKING:
    from ambidex.host.accounts.remote_tools import RemoteTools

__all__ = ["RECORD", "Account", "account_of"]

RECORD = "account.json"
"""What was made for a trial, in its folder."""
TOKENS, ORGANIZATION = "GITHUB_TOKENS", "GITHUB_EVAL_ORG"
"""The user's tokens, separated by commas, and the organization for repositories of trials."""
ADDRESSES = {
    "GITHUB_API_URL": "https://api.github.com",
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_MCP_URL": "https://api.githubcopilot.com/mcp/",
}
"""Environment variables with GitHub's addresses, and what they are by default."""
CALL_WITHIN = 60.0
"""Seconds for a call of a tool, as in MCPMark."""


@dataclass(frozen=True)
class Account:
    """What a trial has in an account of the user's."""

    tools: RemoteTools
    secrets: Mapping[str, str]
    """What the templates of the verifier's variables name."""
    address: str
    """What the verifier must reach."""


@contextmanager
def account_of(
    task: Task, trial: int, folder: Path, check: Callable[[], None]
) -> Iterator[Account | None]:
    """The account of a trial's task for the block; None if the task has none. Trials take the
    user's tokens in turn. `check` is called while something is waited for, and may raise;
    `StageError` says what failed."""
    body = task.body
    if not isinstance(body, ProgramBody) or body.state.kind != "repository":
        yield None
        return

    from ambidex.host.accounts.github import GitHub  # heavy, and few tasks have an account
    from ambidex.host.accounts.remote_tools import RemoteTools
    from ambidex.host.accounts.repository import Place, repository

    def wait(seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            check()
            time.sleep(min(1.0, left))

    tokens = [token.strip() for token in os.environ[TOKENS].split(",") if token.strip()]
    if not tokens:
        raise StageError(f"{TOKENS} holds no token")
    token = tokens[trial % len(tokens)]
    api, server, mcp = (os.environ.get(key) or usual for key, usual in ADDRESSES.items())
    file = body.state_file
    archive = body.store.at(file.url) if file else None
    if archive is None:
        raise StageError(f"the asset store no longer has the repository of {task.name}")
    place = Place(os.environ[ORGANIZATION], server.rstrip("/"))
    with (
        GitHub(api, token, wait) as github,
        RemoteTools(mcp, token, "github", CALL_WITHIN) as tools,
        repository(
            github, place, archive, public=body.state.public, token=token, wait=wait
        ) as made,
    ):
        record = {**asdict(made), "server": tools.server, "url": mcp}
        record["catalogue"] = catalogue_hash(tools.specs())
        write_whole(folder / RECORD, json.dumps(record, indent=1) + "\n")
        yield Account(tools, {"github_token": token}, api)
