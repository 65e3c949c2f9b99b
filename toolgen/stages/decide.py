"""The review stage: passes on what people have decided so far. The rule is `toolgen.verdicts`."""

from __future__ import annotations

from collections.abc import Iterator

from ambidex.toolgen import Finding, Outcome, Verdict
from ambidex.toolgen.stages.context import StageContext, StageReport
from ambidex.toolgen.store import Folder
from ambidex.toolgen.verdicts import counted_reviews, current_draft, decision_on, read_reviews

__all__ = ["REVISE", "decide"]

REVISE = "revise"
"""The first word of the reason if reviewers want another draft."""


def decide(context: StageContext) -> StageReport:
    """Pass a draft that two people accept; wait while verdicts are missing. What reviewers want
    changed becomes findings, for the next draft."""
    decision = decision_on(context.folder)
    if decision.verdict is None:
        return StageReport(Outcome.WAITING, decision.why)
    reviewers = ", ".join(decision.reviewers)
    if decision.accepted:
        return StageReport(Outcome.PASSED, f"accepted by {reviewers}: {decision.why}")
    findings = tuple(_requests(context.folder))
    reason = f"{decision.verdict.value} (by {reviewers}): {decision.why}"
    return StageReport(Outcome.FAILED, reason, findings)


def _requests(folder: Folder) -> Iterator[Finding]:
    draft = current_draft(folder)
    assert draft is not None
    for review in counted_reviews(read_reviews(folder), draft):
        if review.verdict is Verdict.ACCEPT:
            continue
        for criterion, text in review.reasons.model_dump().items():
            if text:
                yield Finding(0, f"{criterion.replace('_', ' ')}, says {review.reviewer}", text)
        if review.comment:
            yield Finding(0, f"says {review.reviewer}", review.comment)
