"""Serves the review page, with an address for each reviewer."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ambidex.host import ROOT
from ambidex.host.errors import UsageError
from ambidex.host.room import serving
from ambidex.host.runs.machines import MachineOptions, open_machines
from ambidex.toolgen.gate.tools_text import existing_tools
from ambidex.toolgen.review.app import ReviewApp
from ambidex.toolgen.review.card import Cards
from ambidex.toolgen.review.desk import Desks
from ambidex.toolgen.verdicts import check_name

__all__ = ["review_app", "serve", "serve_in_background"]

WHAT = "the review page"

Addresses = dict[str, str]
"""One-time address by reviewer. Each is for its reviewer alone."""


def review_app(
    foundry: Path,
    reviewers: Sequence[str],
    options: MachineOptions,
    desktops: int = 1,
    say: Callable[[str], None] = print,
) -> ReviewApp:
    """The review page for these people. `UsageError` if a name is invalid or occurs twice."""
    if not foundry.is_dir():
        raise UsageError(
            f"no such directory: {foundry}", hint="Make it with `ambidex toolgen propose`."
        )
    names = [check_name(reviewer) for reviewer in reviewers]
    if not names or len({name.casefold() for name in names}) < len(names):
        raise UsageError("each reviewer needs a different name", hint="--reviewer ann")
    cards = Cards(existing_tools(ROOT))
    desks = Desks(lambda: open_machines(options, say), desktops)
    return ReviewApp(foundry, names, cards, desks)


def serve(
    app: ReviewApp, port: int, announce: Callable[[Addresses], None], browse: bool = False
) -> None:
    """Serve on the loopback interface until interrupted. `announce` receives an address for each
    reviewer, and a new one when somebody comes with an address that has expired."""
    with serving.listening(serving.LOOPBACK, port, WHAT) as listener:
        sign_in = serving.sign_in(listener)
        sign_in.on_expired = lambda name, address: announce({name: address})
        announce({name: sign_in.address(name) for name in app.reviewers})
        if browse and len(app.reviewers) == 1:
            webbrowser.open(sign_in.address(app.reviewers[0]))
        serving.run(app, listener, sign_in)


@contextmanager
def serve_in_background(app: ReviewApp) -> Iterator[Callable[[str], str]]:
    """Serve in a thread while the block runs. Yields a function that makes an address for one
    browser of the named reviewer."""
    with serving.listening(serving.LOOPBACK, 0, WHAT) as listener:
        sign_in = serving.sign_in(listener)
        with serving.running(app, listener, sign_in):
            yield sign_in.address
