"""The candidates as a reviewer may see them: all results of the automatic stages, and only those
reviews that `verdicts.visible_reviews` selects."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any

from ambidex.host.errors import UsageError
from ambidex.host.models.exposure import retrieved
from ambidex.host.records.config import Exposure
from ambidex.tasks import ToolSpec
from ambidex.toolgen import STAGES, Draft, ModelUsage, Review, Stage, StageResult
from ambidex.toolgen.gate.similarity import similarities
from ambidex.toolgen.gate.tools_text import DeclaredTool
from ambidex.toolgen.review import evidence
from ambidex.toolgen.review.lines import diff_lines, highlight
from ambidex.toolgen.review.schema import told_arguments
from ambidex.toolgen.review.signature import Signature, signature
from ambidex.toolgen.stages.wrap import CALLS
from ambidex.toolgen.store import Folder
from ambidex.toolgen.verdicts import (
    RUBRIC,
    ReviewDecision,
    counted_reviews,
    current_draft,
    decide,
    read_reviews,
    visible_reviews,
    why_not_ready,
)

__all__ = ["STATES", "CandidateState", "Cards", "state_of"]

STAGES_WITH_REVIEWS: tuple[Stage, ...] = ("review", "admit")
"""Stages whose results quote reviews."""
NEAREST = 4
"""Number of nearest tools by similarity, and again by a search."""


@dataclass(frozen=True)
class CandidateState:
    """The state of a candidate, as one reviewer may see it."""

    state: str
    """One of `STATES`."""
    text: str
    shown: bool
    """Whether other reviewers' verdicts may be shown."""


STATES = (
    "yours",
    "others",
    "accept",
    "revise",
    "reject",
    "early",
    "admitted",
    "retired",
    "damaged",
)
"""States in the order of the list: first the candidates that wait for the reviewer."""


def state_of(folder: Folder, reviewer: str) -> CandidateState:
    """The state of a candidate for a reviewer."""
    try:
        draft = current_draft(folder)
    except UsageError as error:
        return CandidateState("damaged", str(error), False)
    if folder.retirement():
        return CandidateState("retired", "removed from the tools", True)
    if folder.admission():
        return CandidateState("admitted", "is now a tool", True)
    if draft is None:
        return CandidateState("early", "there is no draft yet", False)
    reviews = read_reviews(folder)
    decision = decide(reviews, draft)
    if decision.verdict:
        return CandidateState(decision.verdict, _decision_text(decision), True)
    reviewed_by = {review.reviewer.casefold() for review in counted_reviews(reviews, draft)}
    if reviewer.casefold() in reviewed_by:
        return CandidateState("others", decision.why, True)
    if why := why_not_ready(folder):
        return CandidateState("early", why, False)
    return CandidateState("yours", "waiting for your verdict", False)


def _decision_text(decision: ReviewDecision) -> str:
    words = {"accept": "accepted", "revise": "to be revised", "reject": "rejected"}
    return f"{words[str(decision.verdict)]}: {decision.why} ({', '.join(decision.reviewers)})"


@dataclass
class Cards:
    """Makes the list and the cards of candidates; `existing` are the tools to compare them with."""

    existing: Sequence[DeclaredTool] = ()
    _nearest: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def entry(self, folder: Folder, reviewer: str) -> dict[str, Any]:
        """A candidate's entry in the list."""
        try:
            candidate, draft = folder.candidate(), folder.latest()
            state = state_of(folder, reviewer)
            declared = signature(folder.text(draft.n)[0], candidate.app) if draft else None
            own = [review for review in read_reviews(folder) if _is_by(review, reviewer, draft)]
        except (UsageError, OSError) as error:
            return {"name": folder.path.name, "state": "damaged", "text": str(error)}
        return {
            "name": candidate.name,
            "app": candidate.app,
            "tool": declared.name if declared else "",
            "wish": candidate.wish,
            "origin": candidate.origin,
            "model": candidate.model,
            "draft": draft.n if draft else None,
            "state": state.state,
            "text": state.text,
            "mine": own[0].verdict if own else None,
            "cost": _cost(_automatic_results(folder)),
        }

    def card(self, folder: Folder, reviewer: str) -> dict[str, Any]:
        """Everything that a reviewer may see of a candidate."""
        state, draft = state_of(folder, reviewer), folder.latest()
        candidate, results = folder.candidate(), _automatic_results(folder)
        card: dict[str, Any] = {
            **self.entry(folder, reviewer),
            "created": candidate.created,
            "task": candidate.task,
            "source": candidate.source,
            "examples": candidate.examples,
            "rubric": RUBRIC,
            "shown": state.shown,
            "stages": [_stage(folder, result) for result in results],
            "reviews": [
                review.model_dump(mode="json")
                for review in visible_reviews(reviewer, read_reviews(folder), draft)
                if review.human or state.shown
            ],
            "now": None,
            "drafts": [],
        }
        if draft:
            tool, test = folder.text(draft.n)
            declared = signature(tool, candidate.app)
            card |= {
                "now": {
                    "n": draft.n,
                    "sha256": draft.sha256,
                    "signature": _signature_json(declared, tool, candidate.app)
                    if declared
                    else None,
                    "calls": folder.attachment(draft.n, CALLS),
                    "tool": highlight(tool),
                    "test": highlight(test),
                },
                "drafts": [
                    _draft_json(folder, earlier, (tool, test), state, reviewer)
                    for earlier in folder.drafts()
                ],
                "nearest": self.nearest(draft, declared) if declared else [],
            }
        return card

    def nearest(self, draft: Draft, declared: Signature) -> list[dict[str, Any]]:
        """The existing tools that are most similar to the draft, by words or by behaviour, and
        those that a search for its description finds, because a duplicate may be worded
        differently."""
        if draft.sha256 not in self._nearest:
            compared = similarities(
                declared.name, declared.description, declared.behaviour, self.existing
            )
            words = f"{declared.name.replace('_', ' ')} {declared.description}"
            names = _search(words, self.existing) | {tool.name for tool in compared[:NEAREST]}
            names.discard(declared.name)
            self._nearest[draft.sha256] = [asdict(tool) for tool in compared if tool.name in names]
        return self._nearest[draft.sha256]


def _search(words: str, existing: Sequence[DeclaredTool]) -> set[str]:
    specs = [
        ToolSpec(tool.name, "", ast.get_docstring(tool.node) or "", {}, reads_only=False)
        for tool in existing
    ]
    return retrieved(Exposure(policy="retrieved", top=NEAREST), specs, words)


def _signature_json(declared: Signature, text: str, app: str) -> dict[str, Any]:
    """The declaration as a model is told it; as it is written, where it has no schema."""
    arguments = told_arguments(text, app, declared.name)
    told = replace(declared, arguments=arguments) if arguments is not None else declared
    return {name: value for name, value in asdict(told).items() if name != "behaviour"}


def _automatic_results(folder: Folder) -> list[StageResult]:
    """The results of the automatic stages."""
    return [result for result in folder.results() if result.stage not in STAGES_WITH_REVIEWS]


def _stage(folder: Folder, result: StageResult) -> dict[str, Any]:
    paths = evidence.evidence_files(folder, result)
    return {
        **result.model_dump(mode="json", exclude={"evidence"}),
        "evidence": [evidence.preview(folder, path) for path in paths],
    }


def _draft_json(
    folder: Folder, draft: Draft, now: tuple[str, str], state: CandidateState, reviewer: str
) -> dict[str, Any]:
    tool, test = folder.text(draft.n)
    # The name of the reviewer who sent a draft back would reveal their verdict.
    automatic = draft.origin in STAGES and draft.origin not in STAGES_WITH_REVIEWS
    return {
        "n": draft.n,
        "from": draft.origin if automatic or state.shown or draft.origin == reviewer else "",
        "tool": _diff(tool, now[0]),
        "test": _diff(test, now[1]),
    }


@lru_cache(maxsize=500)
def _diff(earlier: str, later: str) -> list[dict[str, Any]]:
    return [asdict(line) for line in diff_lines(earlier, later)]


def _is_by(review: Review, reviewer: str, draft: Draft | None) -> bool:
    return (
        draft is not None
        and review.human
        and review.reviewer.casefold() == reviewer.casefold()
        and review.sha256 == draft.sha256
        and review.draft == draft.n
    )


def _cost(results: Sequence[StageResult]) -> dict[str, Any]:
    return sum((result.usage for result in results), ModelUsage()).model_dump()
