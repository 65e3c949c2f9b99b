"""What a reviewer is told of the candidates: all that stages found, and of what people and models
said only what `verdicts.shown_to` lets through."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

from ambidex.host.errors import UsageError
from ambidex.host.models.exposure import retrieved
from ambidex.host.records.config import Exposure
from ambidex.tasks import ToolSpec
from ambidex.toolgen import STAGES, Draft, Review, Spent, Stage, StageResult
from ambidex.toolgen.gate.similarity import likenesses
from ambidex.toolgen.gate.tools_text import Declared
from ambidex.toolgen.review import evidence
from ambidex.toolgen.review.lines import coloured, differences
from ambidex.toolgen.review.signature import Signature, signature
from ambidex.toolgen.stages.wrap import CALLS
from ambidex.toolgen.store import Folder
from ambidex.toolgen.verdicts import (
    RUBRIC,
    Decision,
    counted,
    current,
    decide,
    not_yet,
    read_reviews,
    shown_to,
)

__all__ = ["Cards", "Standing", "standing"]

AFTER: tuple[Stage, ...] = ("review", "admit")
"""Stages whose results tell what people said."""
NEAREST = 4
"""By likeness, and as many by a search."""


@dataclass(frozen=True)
class Standing:
    """What a candidate waits for, as one reviewer may know it."""

    state: str
    """`yours`, `others`, `accept`, `revise`, `reject`, `admitted`, `retired`, `early`, `damaged`"""
    text: str
    shown: bool
    """Whether what others said may be shown."""


ORDER = ("yours", "others", "accept", "revise", "reject", "early", "admitted", "retired", "damaged")
"""Of the list: those first that wait for whoever looks."""


def standing(folder: Folder, reviewer: str) -> Standing:
    """What it waits for."""
    try:
        draft = current(folder)
    except UsageError as error:
        return Standing("damaged", str(error), False)
    if folder.retirement():
        return Standing("retired", "was a tool, and was taken out again", True)
    if folder.admission():
        return Standing("admitted", "is a tool now", True)
    if draft is None:
        return Standing("early", "there is no draft yet", False)
    reviews = read_reviews(folder)
    decision = decide(reviews, draft)
    if decision.verdict:
        return Standing(decision.verdict, _decided(decision), True)
    if any(each.reviewer.casefold() == reviewer.casefold() for each in counted(reviews, draft)):
        return Standing("others", decision.why, True)
    if why := not_yet(folder):
        return Standing("early", why, False)
    return Standing("yours", "waits for your verdict", False)


def _decided(decision: Decision) -> str:
    words = {"accept": "accepted", "revise": "to be revised", "reject": "rejected"}
    return f"{words[str(decision.verdict)]}: {decision.why} ({', '.join(decision.reviewers)})"


@dataclass
class Cards:
    """Of the candidates in a foundry; `house` is what they are compared with."""

    house: Sequence[Declared] = ()
    _nearest: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def entry(self, folder: Folder, reviewer: str) -> dict[str, Any]:
        """A candidate as the list has it."""
        try:
            said, draft = folder.candidate(), folder.latest()
            stands = standing(folder, reviewer)
            told = signature(folder.text(draft.n)[0], said.app) if draft else None
            mine = [each for each in read_reviews(folder) if _by(each, reviewer, draft)]
        except (UsageError, OSError) as error:
            return {"name": folder.path.name, "state": "damaged", "text": str(error)}
        return {
            "name": said.name,
            "app": said.app,
            "tool": told.name if told else "",
            "wish": said.wish,
            "origin": said.origin,
            "model": said.model,
            "draft": draft.n if draft else None,
            "state": stands.state,
            "text": stands.text,
            "mine": mine[0].verdict if mine else None,
            "cost": _cost(_seen(folder)),
        }

    def card(self, folder: Folder, reviewer: str) -> dict[str, Any]:
        """All that a reviewer is told of a candidate."""
        stands, draft = standing(folder, reviewer), folder.latest()
        said, results = folder.candidate(), _seen(folder)
        told: dict[str, Any] = {
            **self.entry(folder, reviewer),
            "created": said.created,
            "task": said.task,
            "source": said.source,
            "examples": said.examples,
            "rubric": RUBRIC,
            "shown": stands.shown,
            "stages": [_stage(folder, result) for result in results],
            "reviews": [
                each.model_dump(mode="json")
                for each in shown_to(reviewer, read_reviews(folder), draft)
                if each.human or stands.shown
            ],
            "now": None,
            "drafts": [],
        }
        if draft:
            tool, test = folder.text(draft.n)
            described = signature(tool, said.app)
            told |= {
                "now": {
                    "n": draft.n,
                    "sha256": draft.sha256,
                    "signature": _told(described) if described else None,
                    "calls": folder.beside(draft.n, CALLS),
                    "tool": coloured(tool),
                    "test": coloured(test),
                },
                "drafts": [
                    _earlier(folder, each, (tool, test), stands, reviewer)
                    for each in folder.drafts()
                ],
                "nearest": self.nearest(draft, described) if described else [],
            }
        return told

    def nearest(self, draft: Draft, told: Signature) -> list[dict[str, Any]]:
        """Tools of the house that are most like it, by their words or by what they do, and those
        that a search for what it says of itself finds: a duplicate may be written differently."""
        if draft.sha256 not in self._nearest:
            every = likenesses(told.name, told.description, told.touches, self.house)
            found = _searched(f"{told.name.replace('_', ' ')} {told.description}", self.house)
            found |= {each.name for each in every[:NEAREST]}
            most = [each for each in every if each.name in found - {told.name}]
            self._nearest[draft.sha256] = [asdict(each) for each in most]
        return self._nearest[draft.sha256]


def _searched(words: str, house: Sequence[Declared]) -> set[str]:
    specs = [
        ToolSpec(each.name, "", ast.get_docstring(each.node) or "", {}, reads_only=False)
        for each in house
    ]
    return retrieved(Exposure(policy="retrieved", top=NEAREST), specs, words)


def _told(described: Signature) -> dict[str, Any]:
    return {name: said for name, said in asdict(described).items() if name != "touches"}


def _seen(folder: Folder) -> list[StageResult]:
    """Results of the stages before people."""
    return [result for result in folder.results() if result.stage not in AFTER]


def _stage(folder: Folder, result: StageResult) -> dict[str, Any]:
    return {
        **result.model_dump(mode="json", exclude={"evidence"}),
        "evidence": [evidence.shown(folder, path) for path in evidence.given_out(folder, result)],
    }


def _earlier(
    folder: Folder, draft: Draft, now: tuple[str, str], stands: Standing, reviewer: str
) -> dict[str, Any]:
    tool, test = folder.text(draft.n)
    # Who sent a draft back is what somebody said of it.
    tells = draft.origin in STAGES and draft.origin not in AFTER
    return {
        "n": draft.n,
        "from": draft.origin if tells or stands.shown or draft.origin == reviewer else "",
        "tool": _compared(tool, now[0]),
        "test": _compared(test, now[1]),
    }


@lru_cache(maxsize=500)
def _compared(earlier: str, later: str) -> list[dict[str, Any]]:
    return [asdict(line) for line in differences(earlier, later)]


def _by(review: Review, reviewer: str, draft: Draft | None) -> bool:
    return (
        draft is not None
        and review.human
        and review.reviewer.casefold() == reviewer.casefold()
        and review.sha256 == draft.sha256
        and review.draft == draft.n
    )


def _cost(results: Sequence[StageResult]) -> dict[str, Any]:
    return sum((result.usage for result in results), Spent()).model_dump()
