"""The verdict on collected evidence, both as OSWorld gives it and with its defects repaired.

OSWorld evaluates a task's metrics in order. Under `and` it stops at the first 0 and otherwise
returns the mean; under `or` it stops at the first full score and otherwise returns the maximum. An
exception anywhere ends the evaluation without a result, which scores 0 here with a reason that says
so. A metric may return any number (`UnboundedScore`); the scores are combined as they are, and the
task's score is clamped to [0, 1] at the end.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.osworld import UnboundedScore, Verdicts
from ambidex.evaluators.osworld.registry import ENDS, BoundMetric
from ambidex.tasks import Problem, TaskError, Verdict
from ambidex.tasks.osworld.assets import AssetStore
from ambidex.tasks.osworld.evidence import Collected, Record, read_record, value_of
from ambidex.tasks.osworld.getters import Getter

__all__ = ["Question", "combined", "judge", "within"]

Conj = Literal["and", "or"]


@dataclass(frozen=True)
class Question:
    """One metric with what it is given."""

    metric: BoundMetric
    result: Getter
    expected: Getter | None


def judge(questions: Sequence[Question], conj: Conj, evidence: Path, store: AssetStore) -> Verdict:
    """The verdict on the evidence; `TaskError` where the store lacks a file that it is compared
    with."""
    try:
        record = read_record(evidence)
    except UnreadableError as unreadable:
        nothing = Score(0.0, str(unreadable))
        return Verdict(nothing, nothing)
    with tempfile.TemporaryDirectory(prefix="ambidex-judge-") as room:
        asked = _Asked(questions, record, evidence, Path(room), store)
        compat = within(combined(asked.answers(mended=False), conj, several=len(questions) > 1))
        if record.failed_step:
            compat = Score(0.0, f"{ENDS}: {record.failed_step}")
        strict = within(combined(asked.answers(mended=True), conj, several=len(questions) > 1))
        return Verdict(compat, strict)


def combined(scores: Iterable[Score], conj: Conj, *, several: bool) -> Score:
    """The score of all questions; `scores` is not asked further than OSWorld would."""
    seen: list[Score] = []
    for score in scores:
        seen.append(score)
        if not several or score.reason.startswith(ENDS):
            return score
        number = len(seen)
        if conj == "and" and score.value == 0.0:
            return Score(0.0, f"question {number}: {score.reason}")
        if conj == "or" and score.value == 1.0:
            return Score(1.0, f"question {number}: {score.reason}")
    if conj == "and":
        least = min(seen, key=lambda score: score.value)
        mean = sum(score.value for score in seen) / len(seen)
        said = f"{len(seen)} questions" if mean == 1 else f"mean of {len(seen)}; {least.reason}"
        return UnboundedScore(mean, said)
    best = max(seen, key=lambda score: score.value)
    return UnboundedScore(best.value, f"the best of {len(seen)}: {best.reason}")


def within(score: Score) -> Score:
    """The score of a task, which lies in [0, 1]; what OSWorld would say stands in the reason."""
    bounded = min(1.0, max(0.0, score.value))
    if bounded == score.value:
        return Score(score.value, score.reason)
    return Score(bounded, f"{score.reason} (OSWorld's own score: {score.value:g})")


@dataclass(frozen=True)
class _Asked:
    """The questions put to the evidence, each only when its turn comes."""

    questions: Sequence[Question]
    record: Record
    evidence: Path
    room: Path
    store: AssetStore
    known: dict[tuple[int, bool], Verdicts] = field(default_factory=dict)

    def answers(self, *, mended: bool) -> Iterator[Score]:
        """OSWorld's own answers, or what they should be."""
        for index in range(len(self.questions)):
            verdicts = self._verdicts(index, shadowed=not mended)
            yield verdicts.strict if mended else verdicts.compat

    def _verdicts(self, index: int, *, shadowed: bool) -> Verdicts:
        result, expected = self.record.results[index], self.record.expected[index]
        both = [each for each in (result, expected) if each is not None]
        for each in both:
            if each.state == "failed":
                said = f"{each.getter}: {each.said}"
                return Verdicts(Score(0.0, f"{ENDS}: {said}"), Score(0.0, said))
        shadowed = shadowed and any(each.shadowed is not None for each in both)
        if (index, shadowed) not in self.known:
            given = self._value(result, shadowed), self._value(expected, shadowed)
            self.known[index, shadowed] = self.questions[index].metric(*given)
        return self.known[index, shadowed]

    def _value(self, collected: Collected | None, shadowed: bool) -> Any:
        if collected is None:
            return None
        try:
            return value_of(collected, self.evidence, self.room, self.store, shadowed=shadowed)
        except FileNotFoundError as error:
            problem = Problem(self.evidence, "", str(error))
            hint = "`ambidex assets fetch` or `ambidex assets import` brings it."
            raise TaskError((problem,), hint=hint) from None
