"""Opens what a task has in the user's accounts."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ambidex.host.errors import StageError
from ambidex.tasks import Task
from ambidex.tasks.catalogue import catalogue_hash
from ambidex.tasks.mcpmark.body import ProgramBody
from ambidex.tasks.mcpmark.services import StateKind
from ambidex.vm.whole_files import write_whole

if TYPE_CHECKING:
    from ambidex.host.accounts.remote_tools import RemoteTools

__all__ = ["RECORD", "Account", "account_of"]

RECORD = "account.json"
"""What was made for a trial, in its folder."""
ADDRESSES = {
    "GITHUB_API_URL": "https://api.github.com",
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_MCP_URL": "https://api.githubcopilot.com/mcp/",
    "NOTION_API_URL": "https://api.notion.com",
}
"""Environment variables with addresses of the services, and what they are by default."""
TITLES = {
    "SOURCE_PARENT_PAGE_TITLE": "MCPMark Source Hub",
    "EVAL_PARENT_PAGE_TITLE": "MCPMark Eval Hub",
}
"""Environment variables with titles of pages on Notion, as in MCPMark."""
CALL_WITHIN = 60.0
"""Seconds for a call of a tool, as in MCPMark."""

Wait = Callable[[float], None]


@dataclass(frozen=True)
class Account:
    """What a trial has in an account of the user's."""

    tools: RemoteTools
    values: Mapping[str, str]
    """What the templates of the verifier's variables and arguments name."""
    secrets: frozenset[str]
    """Those of the names whose values nobody may read."""
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
    opens = OPENS.get(body.state.kind) if isinstance(body, ProgramBody) else None
    if opens is None:
        yield None
        return

    def wait(seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            check()
            time.sleep(min(1.0, left))

    assert isinstance(body, ProgramBody)
    with opens(body, trial, wait) as (made, account, server):
        record = {**made, "server": account.tools.server, "url": server}
        record["catalogue"] = catalogue_hash(account.tools.specs())
        write_whole(folder / RECORD, json.dumps(record, indent=1) + "\n")
        yield account


Opened = tuple[dict[str, Any], Account, str]
"""What was made, the account, and the address of its MCP server."""


@contextmanager
def _github(body: ProgramBody, trial: int, wait: Wait) -> Iterator[Opened]:
    from ambidex.host.accounts.remote_tools import RemoteTools  # heavy, and few tasks need it
    from ambidex.host.accounts.repository import Place, repository
    from ambidex.host.accounts.rest import github

    tokens = [token.strip() for token in os.environ["GITHUB_TOKENS"].split(",") if token.strip()]
    if not tokens:
        raise StageError("GITHUB_TOKENS holds no token")
    token = tokens[trial % len(tokens)]
    file = body.state_file
    archive = body.store.at(file.url) if file else None
    if archive is None:
        raise StageError(f"the asset store no longer has the repository of {body.state.name}")
    place = Place(os.environ["GITHUB_EVAL_ORG"], _address("GITHUB_SERVER_URL").rstrip("/"))
    api, server = _address("GITHUB_API_URL"), _address("GITHUB_MCP_URL")
    with (
        github(api, token, wait) as rest,
        RemoteTools(server, token, "github", CALL_WITHIN) as tools,
        repository(rest, place, archive, public=body.state.public, token=token, wait=wait) as made,
    ):
        values = {"github_token": token}
        yield asdict(made), Account(tools, values, frozenset(values), api), server


@contextmanager
def _notion(body: ProgramBody, trial: int, wait: Wait) -> Iterator[Opened]:
    from ambidex.host.accounts.pages import Hubs, page
    from ambidex.host.accounts.remote_tools import RemoteTools
    from ambidex.host.accounts.rest import notion

    key, server = os.environ["EVAL_NOTION_API_KEY"], os.environ["NOTION_MCP_URL"]
    api, hubs = _address("NOTION_API_URL"), Hubs(*map(_setting, TITLES, TITLES.values()))
    title = " ".join(word.capitalize() for word in body.state.name.split("_"))
    with (
        notion(api, os.environ["SOURCE_NOTION_API_KEY"], wait) as source,
        notion(api, key, wait) as trials,
        RemoteTools(server, os.environ["NOTION_MCP_TOKEN"], "notion", CALL_WITHIN) as tools,
        page(source, trials, hubs, title, wait) as made,
    ):
        values = {"notion_key": key, "page": made.id}
        yield asdict(made), Account(tools, values, frozenset({"notion_key"}), api), server


OPENS: Mapping[StateKind, Callable[[ProgramBody, int, Wait], AbstractContextManager[Opened]]] = {
    "repository": _github,
    "pages": _notion,
}


def _setting(name: str, usual: str) -> str:
    return os.environ.get(name) or usual


def _address(name: str) -> str:
    return _setting(name, ADDRESSES[name])
