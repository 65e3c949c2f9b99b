"""The commands `ambidex toolgen review`, `verdict` and `opinion`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number
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
from ambidex.toolgen.gate.tools_text import existing_tools
from ambidex.toolgen.models.asking import CallLimits
from ambidex.toolgen.review.card import Cards, state_of
from ambidex.toolgen.review.opinion import ask_opinion
from ambidex.toolgen.store import FOUNDRY, Folder, open_candidate
from ambidex.toolgen.verdicts import (
    RUBRIC,
    Submission,
    check_name,
    current_draft,
    decision_on,
    give_verdict,
    read_reviews,
    visible_reviews,
)

__all__ = ["opinion", "review", "verdict"]

PORT = 8766
Name = Annotated[str, Parameter(help="The reviewer's name; each person uses one name.")]


def review(
    foundry: Path = FOUNDRY,
    *,
    reviewer: list[str],
    port: Annotated[int, Parameter(validator=Number(gte=0, lte=65535))] = PORT,
    open: Annotated[bool, Parameter(negative="")] = False,
    provider: str = "sandbox",
    image: str = "debian-12",
    desktops: int = 2,
) -> int:
    """Serve the review page on this computer, with an address for each reviewer.

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
    from ambidex.toolgen.review.serve import review_app, serve  # heavy: a web server

    terminal = Terminal(stderr=True)

    def announce(addresses: dict[str, str]) -> None:
        for name, address in addresses.items():
            line = f"{name} reviews at {address}"
            terminal.print(line, soft_wrap=True, highlight=False, markup=False)

    options = MachineOptions(provider=provider, image=image)
    app = review_app(foundry, reviewer, options, desktops, terminal.print)
    serve(app, port, announce, open)
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
    foundry
        Directory of the candidates.
    """
    folder = open_candidate(foundry, candidate)
    if verdict is None:
        _show(folder, check_name(reviewer))
        return 0
    if draft is None:
        raise UsageError(
            "the draft that was reviewed is missing: --draft N",
            hint="Without a verdict, this command shows the latest draft.",
        )
    sha256 = next((made.sha256 for made in folder.drafts() if made.n == draft), None)
    if sha256 is None:
        raise UsageError(f"{candidate} has no draft {draft}")
    submission = Submission(
        draft=draft, sha256=sha256, verdict=verdict, reasons=reasons, comment=comment
    )
    give_verdict(folder, reviewer, submission)
    echo(f"{candidate}, draft {draft}: {reviewer} says {verdict}; {decision_on(folder).why}")
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
    base_url
        A server with OpenAI's chat completions API.
    key
        The environment variable that holds the API key, if it is not the vendor's usual one.
    prices
        A price table that takes precedence over the built-in one.
    foundry
        Directory of the candidates.
    """
    config = ModelConfig(name=model, base_url=base_url, key=key)
    folder = open_candidate(foundry, candidate)
    lite_model = LiteModel(config, read_prices(prices))
    review = ask_opinion(folder, lite_model, existing_tools(ROOT), CallLimits())
    echo(f"{candidate}, draft {review.draft}: stored the opinion of {model}")
    return 0


def _show(folder: Folder, reviewer: str) -> None:
    candidate, draft, console = folder.candidate(), current_draft(folder), Terminal()
    state = state_of(folder, reviewer)
    heading = Text.assemble((candidate.name, "bold"), f" ({candidate.app}): {state.text}")
    console.print(heading, candidate.wish, sep="\n")
    if draft is None:
        return
    console.print(Panel(Syntax(folder.text(draft.n)[0], "python"), title=f"draft {draft.n}"))
    card = Cards().card(folder, reviewer)
    table = Table("stage", "outcome", "reason")
    for stage in card["stages"]:
        table.add_row(stage["stage"], stage["outcome"], stage["reason"])
        for finding in stage["findings"]:
            table.add_row("", finding["rule"], finding["text"])
    console.print(table)
    for name, meaning in RUBRIC.items():
        console.print(f"--reasons.{name.replace('_', '-')}: {meaning}", markup=False)
    for review in visible_reviews(reviewer, read_reviews(folder), draft):
        kind = "" if review.human else " (a model: not counted)"
        why = "; ".join(f"{name}: {text}" for name, text in dict(review.reasons).items() if text)
        line = f"{review.reviewer}{kind}, draft {review.draft}: {review.verdict} {why}"
        console.print(f"{line} {review.comment}".rstrip(), markup=False)
