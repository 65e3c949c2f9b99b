"""The review rule: two people judge the same draft independently; a third decides if they disagree.

    first and second agree      that is the decision
    they disagree               a third person's verdict is the decision
    no two people accept        nothing is admitted: an acceptance by the third alone means revise

A verdict refers to the hash of a draft: a new draft makes the verdicts on earlier ones void, but
they stay on record. A model's opinion is stored (`human=false`) and not counted. Reviewers do not
see what others said before they have given their own verdict (`visible_reviews`).
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from pydantic import Field

from ambidex.evaluators.strict import Strict
from ambidex.host.errors import UsageError
from ambidex.toolgen import Draft, Outcome, Reasons, Review, Stage, Verdict
from ambidex.toolgen.store import Folder, digest, now

__all__ = [
    "MODEL_PREFIX",
    "REQUIRED_STAGES",
    "RUBRIC",
    "ReviewDecision",
    "Submission",
    "check_name",
    "counted_reviews",
    "current_draft",
    "decide",
    "decision_on",
    "give_verdict",
    "read_reviews",
    "record_opinion",
    "visible_reviews",
    "why_not_ready",
]

RUBRIC = {
    "correct": "Does what it says, for every input it accepts; its errors say what is wrong.",
    "general": "Not a recording of one case: whatever may differ is an argument.",
    "safe": "Touches only what it was asked to; destroys nothing that was not named.",
    "useful": "Saves steps that occur in real tasks.",
    "not_a_duplicate": "No tool of the catalogue does this already, or nearly.",
    "well_described": "Name, docstring and arguments tell a model when and how to call it.",
}
MODEL_PREFIX = "model."
"""Reviewer names that begin with this are models; a person's name must not."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")
REQUIRED_STAGES: tuple[Stage, ...] = ("gate", "trial", "measure")
"""Stages that a draft must pass before it is reviewed."""


class Submission(Strict):
    """A verdict as a reviewer submits it."""

    draft: int
    sha256: str
    verdict: Verdict
    reasons: Reasons = Reasons()
    comment: str = Field("", max_length=10_000)


@dataclass(frozen=True)
class ReviewDecision:
    """The result of the verdicts on a draft; `verdict` is None while another person is needed."""

    draft: Draft | None
    verdict: Verdict | None
    why: str
    """One sentence."""
    reviewers: tuple[str, ...] = ()
    """The people whose verdicts make the decision; for an acceptance, those who accept."""

    @property
    def accepted(self) -> bool:
        """Whether two people accept this draft, so that it may be admitted."""
        return self.verdict is Verdict.ACCEPT


def decision_on(folder: Folder) -> ReviewDecision:
    """The decision on the candidate's latest draft. `UsageError` if its files were changed."""
    draft = current_draft(folder)
    if draft is None:
        return ReviewDecision(None, None, "there is no draft yet")
    return decide(read_reviews(folder), draft)


def decide(reviews: Sequence[Review], draft: Draft) -> ReviewDecision:
    """Apply the rule to the reviews that count for a draft."""
    people = counted_reviews(reviews, draft)
    first, second, third = (*people[:3], None, None, None)[:3]
    if first is None:
        return ReviewDecision(draft, None, "waiting for two reviewers")
    if second is None:
        return ReviewDecision(draft, None, "waiting for a second reviewer")
    if first.verdict is second.verdict:
        return _decision(draft, first.verdict, (first, second), "two reviewers agree")
    if third is None:
        return ReviewDecision(draft, None, "two reviewers disagree; waiting for a third")
    accepting = [review for review in (first, second, third) if review.verdict is Verdict.ACCEPT]
    if third.verdict is Verdict.ACCEPT and len(accepting) < 2:
        why = "only one of three reviewers accepts, and two are needed"
        return _decision(draft, Verdict.REVISE, (first, second, third), why)
    deciding = accepting if third.verdict is Verdict.ACCEPT else [third]
    return _decision(draft, third.verdict, deciding, "two reviewers disagree, and a third decides")


def counted_reviews(reviews: Sequence[Review], draft: Draft) -> list[Review]:
    """The reviews that count for a draft, in the order they were given: by people, of the draft's
    hash, the first by each person."""
    counted: dict[str, Review] = {}
    for review in sorted(reviews, key=lambda review: (review.given, review.reviewer)):
        if review.human and (review.draft, review.sha256) == (draft.n, draft.sha256):
            counted.setdefault(review.reviewer.casefold(), review)
    return list(counted.values())


def visible_reviews(reviewer: str, reviews: Sequence[Review], draft: Draft | None) -> list[Review]:
    """The reviews that a reviewer may see: their own, and all others (models and earlier drafts
    included) once they have given a verdict on this draft, or it was decided without them."""
    if draft is None or decide(reviews, draft).verdict:
        return list(reviews)
    if any(_same_name(review.reviewer, reviewer) for review in counted_reviews(reviews, draft)):
        return list(reviews)
    return [review for review in reviews if review.human and _same_name(review.reviewer, reviewer)]


def read_reviews(folder: Folder) -> list[Review]:
    """All reviews of a candidate. The error for an unreadable file does not quote it, because the
    reader of the message may not be allowed to see other verdicts yet."""
    try:
        return folder.reviews()
    except UsageError:
        raise UsageError(
            f"a verdict on {folder.path.name} cannot be read",
            hint=f"Look into {folder.path / 'reviews'} after giving your own verdict.",
        ) from None


def why_not_ready(folder: Folder) -> str:
    """Why the latest draft is not ready for review; empty if it is."""
    draft = folder.latest()
    if draft is None:
        return "there is no draft yet"
    for stage in REQUIRED_STAGES:
        result = folder.result(stage)
        if result is None or result.draft != draft.n:
            return f"draft {draft.n} has not been through the stage {stage!r} yet"
        if result.outcome is not Outcome.PASSED:
            return f"draft {draft.n} did not pass the stage {stage!r}: {result.reason}"
    return ""


def check_name(reviewer: str) -> str:
    """Return the name of a person. `UsageError` if it is not valid."""
    if not NAME.fullmatch(reviewer):
        raise UsageError(
            f"not a valid name for a reviewer: {reviewer!r}",
            hint="Letters, digits and ._@+- in one word, at most 64, such as ann or ann@lab.org.",
        )
    if reviewer.casefold().startswith(MODEL_PREFIX):
        raise UsageError(
            f"not a person's name: {reviewer!r} (names that begin with {MODEL_PREFIX} are models)"
        )
    return reviewer


def give_verdict(folder: Folder, reviewer: str, submission: Submission) -> Review:
    """Store a person's verdict. `UsageError` says why it cannot be given."""
    check_name(reviewer)
    reasons = submission.reasons.model_dump().values()
    if submission.verdict is not Verdict.ACCEPT and not any(reasons):
        raise UsageError(
            f"{submission.verdict} needs a reason",
            hint=f"Give one for at least one of: {', '.join(RUBRIC)}.",
        )
    with _reviews_locked(folder):
        draft = _draft_of(folder, submission)
        if why := why_not_ready(folder):
            raise UsageError(f"{folder.path.name} is not up for review: {why}")
        reviews = read_reviews(folder)
        if any(_same_name(review.reviewer, reviewer) for review in counted_reviews(reviews, draft)):
            raise UsageError(
                f"{reviewer} has already given a verdict on draft {draft.n}",
                hint="It is final: a later one would not be independent.",
            )
        if (decision := decide(reviews, draft)).verdict:
            raise UsageError(f"draft {draft.n} is already decided: {decision.why}")
        return _add_review(folder, reviewer, submission, human=True)


def record_opinion(folder: Folder, model: str, submission: Submission) -> Review:
    """Store a model's opinion of the latest draft, replacing an earlier one of the same model."""
    with _reviews_locked(folder):
        _draft_of(folder, submission)
        return _add_review(folder, MODEL_PREFIX + model, submission, human=False)


def current_draft(folder: Folder) -> Draft | None:
    """The latest draft. `UsageError` if its files no longer match its hash."""
    draft = folder.latest()
    if draft and digest(*folder.text(draft.n)) != draft.sha256:
        raise UsageError(
            f"draft {draft.n} of {folder.path.name} was changed after it was made",
            hint="A change needs a new draft, with its own number, trial and verdicts.",
        )
    return draft


def _decision(
    draft: Draft, verdict: Verdict, deciding: Sequence[Review], why: str
) -> ReviewDecision:
    return ReviewDecision(draft, verdict, why, tuple(review.reviewer for review in deciding))


def _draft_of(folder: Folder, submission: Submission) -> Draft:
    draft = current_draft(folder)
    if draft is None or (submission.draft, submission.sha256) != (draft.n, draft.sha256):
        latest = f"the latest is {draft.n}" if draft else "there is none yet"
        raise UsageError(f"the verdict is about another draft ({submission.draft}); {latest}")
    return draft


def _add_review(folder: Folder, reviewer: str, submission: Submission, human: bool) -> Review:
    review = Review(reviewer=reviewer, human=human, given=now(), **dict(submission))
    folder.add_review(review)
    return review


@contextmanager
def _reviews_locked(folder: Folder) -> Iterator[None]:
    """Hold the lock on a candidate's reviews, which excludes other processes too."""
    (folder.path / "reviews").mkdir(exist_ok=True)
    file = os.open(folder.path / "reviews" / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


def _same_name(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()
