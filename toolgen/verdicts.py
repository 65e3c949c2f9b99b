"""What verdicts mean: two people, independently, of the same draft; a third where they disagree.

    first and second agree      that is the decision
    they disagree               a third person's verdict is the decision
    no two people accept        nothing is admitted: a third's acceptance alone asks for a revision

A verdict is about the hash of a draft: a new draft makes those on the former ones void, and they
stay on record. A model's opinion is kept (`human=false`) and counts for nothing. Nobody is shown
what others say before they have said it themselves (`shown_to`).
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
    "MODEL",
    "NEEDED",
    "RUBRIC",
    "Decision",
    "Said",
    "counted",
    "current",
    "decide",
    "decided",
    "give",
    "keep_opinion",
    "named",
    "not_yet",
    "read_reviews",
    "shown_to",
]

RUBRIC = {
    "correct": "Does what it says, on every input that it takes; errors say what is wrong.",
    "general": "Is no recording of one case: what may differ is an argument.",
    "safe": "Touches only what it was asked to; destroys nothing that was not named.",
    "useful": "Saves steps that a task really has.",
    "not_a_duplicate": "No tool of the catalogue does it already, or nearly.",
    "well_described": "From name, docstring and arguments a model knows when and how to call it.",
}
MODEL = "model."
"""What names of models begin with, and names of people never."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")
NEEDED: tuple[Stage, ...] = ("gate", "trial", "measure")
"""Stages that a draft has passed before people are asked."""


class Said(Strict):
    """A verdict, as a reviewer gives it."""

    draft: int
    sha256: str
    verdict: Verdict
    reasons: Reasons = Reasons()
    comment: str = Field("", max_length=10_000)


@dataclass(frozen=True)
class Decision:
    """What the verdicts on a draft come to; `verdict` is None while a person is waited for."""

    draft: Draft | None
    verdict: Verdict | None
    why: str
    """One sentence."""
    reviewers: tuple[str, ...] = ()
    """Whose verdicts make the decision; of an acceptance, those who accept."""

    @property
    def accepted(self) -> bool:
        """Whether two people accept this draft, and it may be admitted."""
        return self.verdict is Verdict.ACCEPT


def decided(folder: Folder) -> Decision:
    """What people say of the candidate's latest draft, as it lies there now."""
    draft = current(folder)
    if draft is None:
        return Decision(None, None, "there is no draft yet")
    return decide(read_reviews(folder), draft)


def decide(reviews: Sequence[Review], draft: Draft) -> Decision:
    """The rule."""
    people = counted(reviews, draft)
    first, second, third = (*people[:3], None, None, None)[:3]
    if first is None:
        return Decision(draft, None, "it waits for two people")
    if second is None:
        return Decision(draft, None, "it waits for a second person")
    if first.verdict is second.verdict:
        return _by(draft, first.verdict, (first, second), "two people agree")
    if third is None:
        return Decision(draft, None, "two people disagree: it waits for a third")
    for_it = [each for each in (first, second, third) if each.verdict is Verdict.ACCEPT]
    if third.verdict is Verdict.ACCEPT and len(for_it) < 2:
        why = "of three people one accepts, and two are needed"
        return _by(draft, Verdict.REVISE, (first, second, third), why)
    makers = for_it if third.verdict is Verdict.ACCEPT else [third]
    return _by(draft, third.verdict, makers, "two people disagree, and a third decides")


def counted(reviews: Sequence[Review], draft: Draft) -> list[Review]:
    """The verdicts that count for a draft, in the order they were given: people's, of its hash, the
    first of each person."""
    found: dict[str, Review] = {}
    for each in sorted(reviews, key=lambda each: (each.given, each.reviewer)):
        if each.human and (each.draft, each.sha256) == (draft.n, draft.sha256):
            found.setdefault(each.reviewer.casefold(), each)
    return list(found.values())


def shown_to(reviewer: str, reviews: Sequence[Review], draft: Draft | None) -> list[Review]:
    """What a reviewer may see: their own; those of others, models included and on whatever draft,
    once they have given a verdict on this one, or it is decided without them."""
    if draft is None or decide(reviews, draft).verdict:
        return list(reviews)
    if any(_same(each.reviewer, reviewer) for each in counted(reviews, draft)):
        return list(reviews)
    return [each for each in reviews if each.human and _same(each.reviewer, reviewer)]


def read_reviews(folder: Folder) -> list[Review]:
    """All there are. Where one cannot be read the error does not quote it: whoever reads the error
    may not know yet what others said."""
    try:
        return folder.reviews()
    except UsageError:
        raise UsageError(
            f"a verdict on {folder.path.name} cannot be read",
            hint=f"Look into {folder.path / 'reviews'}, after you have given yours.",
        ) from None


def not_yet(folder: Folder) -> str:
    """Why people are not asked yet about the latest draft; empty where they are."""
    draft = folder.latest()
    if draft is None:
        return "there is no draft yet"
    for stage in NEEDED:
        result = folder.result(stage)
        if result is None or result.draft != draft.n:
            return f"draft {draft.n} has not been through the stage {stage!r} yet"
        if result.outcome is not Outcome.PASSED:
            return f"draft {draft.n} did not pass the stage {stage!r}: {result.reason}"
    return ""


def named(reviewer: str) -> str:
    """The name of a person; `UsageError` where it is none."""
    if not NAME.fullmatch(reviewer):
        raise UsageError(
            f"not a valid name for a reviewer: {reviewer!r}",
            hint="Letters, digits and ._@+- in one word, at most 64, such as ann or ann@lab.org.",
        )
    if reviewer.casefold().startswith(MODEL):
        raise UsageError(
            f"not a person's name: {reviewer!r} (names that begin with {MODEL} are models)"
        )
    return reviewer


def give(folder: Folder, reviewer: str, said: Said) -> Review:
    """Keep a person's verdict; `UsageError` says why it cannot be given."""
    named(reviewer)
    if said.verdict is not Verdict.ACCEPT and not any(said.reasons.model_dump().values()):
        raise UsageError(
            f"{said.verdict} needs a reason", hint=f"Say it against one of: {', '.join(RUBRIC)}."
        )
    with _alone(folder):
        draft = _asked_about(folder, said)
        if why := not_yet(folder):
            raise UsageError(f"{folder.path.name} is not up for review: {why}")
        reviews = read_reviews(folder)
        if any(_same(each.reviewer, reviewer) for each in counted(reviews, draft)):
            raise UsageError(
                f"{reviewer} has given a verdict on draft {draft.n} already",
                hint="It stands: what came after it was not independent any more.",
            )
        if (decision := decide(reviews, draft)).verdict:
            raise UsageError(f"draft {draft.n} is decided already: {decision.why}")
        return _kept(folder, reviewer, said, human=True)


def keep_opinion(folder: Folder, model: str, said: Said) -> Review:
    """Keep what a model says of the latest draft; it replaces what the same model said of it."""
    with _alone(folder):
        _asked_about(folder, said)
        return _kept(folder, MODEL + model, said, human=False)


def current(folder: Folder) -> Draft | None:
    """The latest draft; `UsageError` where its files are not those that it was made of."""
    draft = folder.latest()
    if draft and digest(*folder.text(draft.n)) != draft.sha256:
        raise UsageError(
            f"draft {draft.n} of {folder.path.name} was changed after it was made",
            hint="A change is a new draft: it has its own number, trial and verdicts.",
        )
    return draft


def _by(draft: Draft, verdict: Verdict, makers: Sequence[Review], why: str) -> Decision:
    return Decision(draft, verdict, why, tuple(each.reviewer for each in makers))


def _asked_about(folder: Folder, said: Said) -> Draft:
    draft = current(folder)
    if draft is None or (said.draft, said.sha256) != (draft.n, draft.sha256):
        latest = f"the latest is {draft.n}" if draft else "there is none yet"
        raise UsageError(f"the verdict is about another draft ({said.draft}); {latest}")
    return draft


def _kept(folder: Folder, reviewer: str, said: Said, human: bool) -> Review:
    review = Review(reviewer=reviewer, human=human, given=now(), **dict(said))
    folder.add_review(review)
    return review


@contextmanager
def _alone(folder: Folder) -> Iterator[None]:
    """No other verdict on this candidate is given meanwhile, by whatever process."""
    (folder.path / "reviews").mkdir(exist_ok=True)
    file = os.open(folder.path / "reviews" / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


def _same(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()
