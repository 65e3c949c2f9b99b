"""Opening the review page: an address for each reviewer."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ambidex.host import ROOT
from ambidex.host.errors import UsageError
from ambidex.host.room import serving
from ambidex.host.runs.machines import MachineOptions, open_machines
from ambidex.toolgen.gate.tools_text import house_tools
from ambidex.toolgen.review.app import Reviewing
from ambidex.toolgen.review.card import Cards
from ambidex.toolgen.review.desk import Desks
from ambidex.toolgen.verdicts import named

__all__ = ["opened", "reviewing", "serve"]

WHAT = "the review page"

Addresses = dict[str, str]
"""Of each reviewer by name, each to enter by once: nobody else's is for them."""


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
    """Serve until interrupted, on this machine alone; `said` is told an address for each reviewer,
    and a new one of somebody who comes with one that does not work any more."""
    with serving.listening(serving.LOOPBACK, port, WHAT) as listener:
        entrance = serving.entrance(listener)
        entrance.again = lambda name, address: said({name: address})
        said({name: entrance.address(name) for name in pages.reviewers})
        if browse and len(pages.reviewers) == 1:
            webbrowser.open(entrance.address(pages.reviewers[0]))
        serving.run(pages, listener, entrance)


@contextmanager
def opened(pages: Reviewing) -> Iterator[Callable[[str], str]]:
    """Serve beside something else, as long as the block runs; gives addresses, each for one
    browser of the reviewer of that name."""
    with serving.listening(serving.LOOPBACK, 0, WHAT) as listener:
        entrance = serving.entrance(listener)
        with serving.running(pages, listener, entrance):
            yield entrance.address
