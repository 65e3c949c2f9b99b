"""A page on Notion for one trial: a copy of a template in the user's workspace, moved to the trash
afterwards.

MCPMark copies by clicking in a browser. Here Notion applies the template itself, in the background,
and the trial begins when the copy has the same content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from ambidex.host.accounts.page_content import PER_PAGE, content, difference, listed
from ambidex.host.accounts.rest import RestApi
from ambidex.host.accounts.turns import alone
from ambidex.host.errors import StageError

__all__ = ["Hubs", "Page", "page"]

COPIED_WITHIN = 300.0
"""Seconds for Notion to copy; MCPMark waits 180 s at first."""
BETWEEN = 5.0
"""Seconds between two looks at the copy."""


@dataclass(frozen=True)
class Hubs:
    """The titles of two pages in the user's workspace."""

    source: str
    """Has the templates."""
    trials: str
    """Has the copy of the trial, and nothing else."""


@dataclass(frozen=True)
class Page:
    """What was made."""

    id: str
    title: str
    template: str
    """The template's id."""
    blocks: int
    """Blocks at the top of the page."""


@contextmanager
def page(
    source: RestApi, trials: RestApi, hubs: Hubs, title: str, wait: Callable[[float], None]
) -> Iterator[Page]:
    """A copy of the template with this title, for the block. `source` has access to both hubs, and
    `trials` to that of the trials alone. Tasks find pages by their titles, so one trial has the hub
    at a time: others wait. A page in it that Ambidex did not make is not touched. `StageError` says
    what failed."""
    template = _child(source, _found(source, hubs.source), title)
    hub = _found(trials, hubs.trials)
    if trials.ask("GET", f"/v1/pages/{template}", tolerated=404) is not None:
        raise StageError(
            f"the key of the trials can read the template {title!r}, so an agent could change it",
            hint=f"Connect the integration of EVAL_NOTION_API_KEY with {hubs.trials!r} only.",
        )
    with alone(hub, wait) as notes:
        if notes.read_text():  # an earlier trial was killed: what is there was made in it
            _clear(source, hub)
        if there := [block["id"] for block in _parts(source, hub)]:
            raise StageError(
                f"{hubs.trials!r} has pages that Ambidex did not make: {', '.join(there)}",
                hint="Move them elsewhere: tasks find pages by their titles.",
            )
        notes.write_text("in use\n")
        try:
            made = _copy(source, hub, template, title)
            count = _wait_for_content(source, template, made, title, wait)
            yield Page(made, title, template, count)
        finally:
            with suppress(StageError):  # the next trial does it
                _clear(source, hub)
                notes.write_text("")


def _found(api: RestApi, title: str) -> str:
    """The id of the page with this title."""
    asked = {
        "query": title,
        "filter": {"property": "object", "value": "page"},
        "page_size": PER_PAGE,
    }
    for one in listed(api, "POST", "/v1/search", asked):
        if _title_of(one) == title:
            return str(one["id"])
    raise StageError(
        f"Notion shows no page {title!r}",
        hint="Connect the integration of the key with that page (docs/mcpmark.md).",
    )


def _title_of(page: dict[str, Any]) -> str:
    match page:
        case {"properties": dict(properties)}:
            for one in properties.values():
                if one.get("type") == "title":
                    return "".join(part.get("plain_text", "") for part in one["title"]).strip()
    return ""


def _parts(api: RestApi, page: str) -> Iterator[dict[str, Any]]:
    """The pages and databases on a page."""
    for block in listed(api, "GET", f"/v1/blocks/{page}/children", {"page_size": PER_PAGE}):
        if block.get("type") in ("child_page", "child_database"):
            yield block


def _child(api: RestApi, hub: str, title: str) -> str:
    for block in _parts(api, hub):
        match block:
            case {"id": str(identity), "child_page": {"title": str(found)}}:
                if found.strip() == title:
                    return identity
    raise StageError(f"Notion shows no template {title!r} among those of MCPMark")


def _clear(api: RestApi, hub: str) -> None:
    """Move what is on the hub to the trash."""
    for block in list(_parts(api, hub)):
        api.ask("DELETE", f"/v1/blocks/{block['id']}", tolerated=404)


def _copy(api: RestApi, hub: str, template: str, title: str) -> str:
    new = {
        "parent": {"type": "page_id", "page_id": hub},
        "properties": {"title": {"title": [{"text": {"content": title}}]}},
        "template": {"type": "template_id", "template_id": template},
    }
    match api.ask("POST", "/v1/pages", new):
        case {"id": str(identity)}:
            return identity
    raise StageError("Notion's answer does not say the id of the page that it made")


def _wait_for_content(
    api: RestApi, template: str, copy: str, title: str, wait: Callable[[float], None]
) -> int:
    """Wait until the copy has the template's content; returns the blocks at its top."""
    wanted, waited = content(api, template), 0.0
    while differs := difference(wanted.blocks, content(api, copy, wanted).blocks):
        if waited >= COPIED_WITHIN:
            raise StageError(f"Notion's copy of {title!r} differs from its template: {differs}")
        wait(BETWEEN)
        waited += BETWEEN
    return len(wanted.blocks)
