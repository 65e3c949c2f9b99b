"""Opening the review page: an address for each reviewer."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from host.errors import UsageError
from host.machines import MachineOptions, open_machines
from host.room import serving
from toolgen.going import ROOT
from toolgen.house import house_tools
from toolgen.review.app import Reviewing
from toolgen.review.card import Cards
from toolgen.review.desk import Desks
from toolgen.verdicts import named

__all__ = ["opened", "reviewing", "serve"]

WHAT = "the review page"

Addresses = dict[str, str]
"""Of each reviewer by name, token included: nobody else's is for them."""


def reviewing(
    foundry: Path,
    reviewers: Sequence[str],
    options: MachineOptions,
    desktops: int = 1,
    say: Callable[[str], None] = print,
) -> Reviewing:
    """The page of those people; `UsageError` where a name is none, or two are one."""
    if not foundry.is_dir():
        raise UsageError(f"there is no directory {foundry}", hint="`toolgen propose` makes it.")
    names = [named(each) for each in reviewers]
    if not names or len({each.casefold() for each in names}) < len(names):
        raise UsageError("each reviewer needs a name of their own", hint="--reviewer ann")
    cards = Cards(house_tools(ROOT))
    desks = Desks(lambda: open_machines(options, say), desktops)
    return Reviewing(foundry, names, cards, desks)


def serve(
    pages: Reviewing, port: int, said: Callable[[Addresses], None], browse: bool = False
) -> None:
    """Serve until interrupted, on this machine alone; `said` is told the addresses."""
    with serving.listening(serving.LOOPBACK, port, WHAT) as listener:
        said(found := _addresses(pages, listener))
        if browse and len(found) == 1:
            webbrowser.open(next(iter(found.values())))
        serving.run(pages, listener)


@contextmanager
def opened(pages: Reviewing) -> Iterator[Addresses]:
    """Serve beside something else, as long as the block runs."""
    with (
        serving.listening(serving.LOOPBACK, 0, WHAT) as listener,
        serving.running(pages, listener),
    ):
        yield _addresses(pages, listener)


def _addresses(pages: Reviewing, listener: serving.Listener) -> Addresses:
    return {name: serving.address(listener, token) for name, token in pages.tokens.items()}
