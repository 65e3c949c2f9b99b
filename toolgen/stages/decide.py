"""Review, as the pipeline sees it: what people have decided so far. The rule by which verdicts
count is `toolgen.verdicts`."""

from __future__ import annotations

from collections.abc import Iterator

from ambidex.toolgen import Finding, Outcome, Verdict
from ambidex.toolgen.stages.context import Ended, Shop
from ambidex.toolgen.store import Folder
from ambidex.toolgen.verdicts import counted, current, decided, read_reviews

__all__ = ["REVISE", "decide"]

REVISE = "revise"
"""How the reason begins where people want another draft."""


def decide(shop: Shop) -> Ended:
    """Pass what two people accept; wait while they have not all spoken. What they want mended is
    found, for the next draft."""
    said = decided(shop.folder)
    if said.verdict is None:
        return Ended(Outcome.WAITING, said.why)
    who = ", ".join(said.reviewers)
    if said.accepted:
        return Ended(Outcome.PASSED, f"accepted by {who}: {said.why}")
    findings = tuple(_wanted(shop.folder))
    return Ended(Outcome.FAILED, f"{said.verdict.value}, say {who}: {said.why}", findings)


def _wanted(folder: Folder) -> Iterator[Finding]:
    draft = current(folder)
    assert draft is not None
    for review in counted(read_reviews(folder), draft):
        if review.verdict is Verdict.ACCEPT:
            continue
        for rubric, text in review.reasons.model_dump().items():
            if text:
                yield Finding(0, f"{rubric.replace('_', ' ')}, says {review.reviewer}", text)
        if review.comment:
            yield Finding(0, f"says {review.reviewer}", review.comment)
