"""`ambidex toolgen review, verdict, opinion`: people decide, models may say what they think."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from ambidex.host import ROOT
from ambidex.host.errors import UsageError
from ambidex.host.models.model import LiteModel
from ambidex.host.models.prices import read_prices
from ambidex.host.records.config import ModelConfig
from ambidex.host.runs.machines import MachineOptions
from ambidex.host.terminal import Terminal, echo
from ambidex.toolgen import Reasons, Verdict
from ambidex.toolgen.gate.tools_text import house_tools
from ambidex.toolgen.models.asking import Caps
from ambidex.toolgen.review.card import Cards, standing
from ambidex.toolgen.review.opinion import ask_opinion
from ambidex.toolgen.store import FOUNDRY, Folder, open_candidate
from ambidex.toolgen.verdicts import (
    RUBRIC,
    Said,
    current,
    decided,
    give,
    named,
    read_reviews,
    shown_to,
)

__all__ = ["opinion", "review", "verdict"]

PORT = 8766
Name = Annotated[str, Parameter(help="who says so; one name for each person")]


def review(
    foundry: Path = FOUNDRY,
    *,
    reviewer: list[str],
    port: int = PORT,
    open: Annotated[bool, Parameter(negative="")] = False,
    provider: str = "sandbox",
    image: str = "debian-12",
    desktops: int = 2,
) -> int:
    """Serve the review page on this machine: an address for each reviewer, which is theirs alone.

    Parameters
    ----------
    foundry
        The directory of candidates.
    reviewer
        The name of a reviewer; repeat the option for each person.
    port
        The port to listen on; 0 chooses a free one.
    open
        Open the page in a browser, if there is one reviewer.
    provider
        The provider of the desktops on which drafts are tried: sandbox or libvirt.
    image
        The image of those desktops.
    desktops
        The maximum number of desktops at once; each reviewer has at most one.
    """
    from ambidex.toolgen.review.serve import reviewing, serve  # heavy: a web server

    said = Terminal(stderr=True)

    def tell(addresses: dict[str, str]) -> None:
        for name, address in addresses.items():
            line = f"{name} reviews at {address}"
            said.print(line, soft_wrap=True, highlight=False, markup=False)

    options = MachineOptions(provider=provider, image=image)
    serve(reviewing(foundry, reviewer, options, desktops, said.print), port, tell, open)
    return 0


def verdict(
    candidate: str,
    verdict: Verdict | None = None,
    /,
    *,
    reviewer: Name,
    draft: int | None = None,
    reasons: Reasons = Reasons(),
    comment: str = "",
    foundry: Path = FOUNDRY,
) -> int:
    """Give a verdict on a candidate; without a verdict, show the candidate as the review page does.

    Parameters
    ----------
    candidate
        The candidate's name.
    verdict
        accept, revise or reject.
    draft
        The number of the draft that was reviewed; it must be the latest.
    reasons
        Reasons by the rubric; at least one unless the verdict is accept.
    comment
        Anything else.
    """
    folder = open_candidate(foundry, candidate)
    if verdict is None:
        _show(folder, named(reviewer))
        return 0
    if draft is None:
        raise UsageError(
            "name the draft that was reviewed: --draft N",
            hint="Without a verdict, this command shows it.",
        )
    made = next((each for each in folder.drafts() if each.n == draft), None)
    if made is None:
        raise UsageError(f"{candidate} has no draft {draft}")
    said = Said(draft=draft, sha256=made.sha256, verdict=verdict, reasons=reasons, comment=comment)
    give(folder, reviewer, said)
    echo(f"{candidate}, draft {draft}: {reviewer} says {verdict}; {decided(folder).why}")
    return 0


def opinion(
    candidate: str,
    *,
    model: str,
    base_url: str = "",
    key: str = "",
    prices: Path | None = None,
    foundry: Path = FOUNDRY,
) -> int:
    """Ask a model for its opinion. Reviewers see it after their own verdict; it is not counted.

    Parameters
    ----------
    candidate
        The candidate's name.
    model
        The model's name in litellm, or on the server at --base-url.
    key
        The environment variable that holds the API key, if it is not the vendor's usual one.
    prices
        A price table that takes precedence over the built-in one.
    """
    config = ModelConfig(name=model, base_url=base_url, key=key)
    folder = open_candidate(foundry, candidate)
    found = ask_opinion(folder, LiteModel(config, read_prices(prices)), house_tools(ROOT), Caps())
    echo(f"{candidate}, draft {found.draft}: an opinion of {model} is kept")
    return 0


def _show(folder: Folder, reviewer: str) -> None:
    said, draft, console = folder.candidate(), current(folder), Terminal()
    stands = standing(folder, reviewer)
    named = Text.assemble((said.name, "bold"), f" ({said.app}): {stands.text}")
    console.print(named, said.wish, sep="\n")
    if draft is None:
        return
    console.print(Panel(Syntax(folder.text(draft.n)[0], "python"), title=f"draft {draft.n}"))
    card = Cards().card(folder, reviewer)
    table = Table("stage", "outcome", "reason")
    for stage in card["stages"]:
        table.add_row(stage["stage"], stage["outcome"], stage["reason"])
        for each in stage["findings"]:
            table.add_row("", each["rule"], each["text"])
    console.print(table)
    for name, means in RUBRIC.items():
        console.print(f"--reasons.{name.replace('_', '-')}: {means}", markup=False)
    for each in shown_to(reviewer, read_reviews(folder), draft):
        kind = "" if each.human else " (a model: it counts for nothing)"
        why = "; ".join(f"{name}: {text}" for name, text in dict(each.reasons).items() if text)
        line = f"{each.reviewer}{kind}, draft {each.draft}: {each.verdict} {why} {each.comment}"
        console.print(line.rstrip(), markup=False)
