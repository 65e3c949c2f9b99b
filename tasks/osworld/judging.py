"""The verdict on collected evidence, both as OSWorld gives it and with its defects repaired.

OSWorld evaluates a task's metrics in order. Under `and` it stops at the first 0 and otherwise
returns the mean; under `or` it stops at the first full score and otherwise returns the maximum. An
exception anywhere ends the evaluation without a result, which scores 0 here with a reason that says
so. A metric may return any number (`UnboundedScore`); the scores are combine as they are, and the
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
from ambidex.tasks.assets import AssetStore
from ambidex.tasks.osworld.evidence import Collected, Record, read_record, value_of
from ambidex.tasks.osworld.getters import Getter

__all__ = ["Question", "clamp", "combine", "judge"]

Conj = Literal["and", "or"]


@dataclass(frozen=True)
class Question:
    """One metric with the getters of its arguments."""

    metric: BoundMetric
    result: Getter
    expected: Getter | None


def judge(questions: Sequence[Question], conj: Conj, evidence: Path, store: AssetStore) -> Verdict:
    """Judge the evidence; `TaskError` if the store lacks a file to compare it with."""
    try:
        record = read_record(evidence)
    except UnreadableError as unreadable:
        missing = Score(0.0, str(unreadable))
        return Verdict(missing, missing)
    with tempfile.TemporaryDirectory(prefix="ambidex-judge-") as room:
        evaluation = _Evaluation(questions, record, evidence, Path(room), store)
        compat = clamp(combine(evaluation.scores(repaired=False), conj, several=len(questions) > 1))
        if record.failed_step:
            compat = Score(0.0, f"{ENDS}: {record.failed_step}")
        strict = clamp(combine(evaluation.scores(repaired=True), conj, several=len(questions) > 1))
        return Verdict(compat, strict)


def combine(scores: Iterable[Score], conj: Conj, *, several: bool) -> Score:
    """Combine the scores of all metrics, taking no more of `scores` than OSWorld would."""
    taken: list[Score] = []
    for score in scores:
        taken.append(score)
        if not several or score.reason.startswith(ENDS):
            return score
        number = len(taken)
        if conj == "and" and score.value == 0.0:
            return Score(0.0, f"metric {number}: {score.reason}")
        if conj == "or" and score.value == 1.0:
            return Score(1.0, f"metric {number}: {score.reason}")
    if conj == "and":
        least = min(taken, key=lambda score: score.value)
        mean = sum(score.value for score in taken) / len(taken)
        reason = f"{len(taken)} metrics" if mean == 1 else f"mean of {len(taken)}; {least.reason}"
        return UnboundedScore(mean, reason)
    best = max(taken, key=lambda score: score.value)
    return UnboundedScore(best.value, f"the best of {len(taken)}: {best.reason}")


def clamp(score: Score) -> Score:
    """Clamp a task's score to [0, 1]; OSWorld's own score is added to the reason."""
    bounded = min(1.0, max(0.0, score.value))
    if bounded == score.value:
        return Score(score.value, score.reason)
    return Score(bounded, f"{score.reason} (OSWorld's own score: {score.value:g})")


@dataclass(frozen=True)
class _Evaluation:
    """Lazy evaluation of the metrics on the evidence."""

    questions: Sequence[Question]
    record: Record
    evidence: Path
    room: Path
    store: AssetStore
    known: dict[tuple[int, bool], Verdicts] = field(default_factory=dict)

    def scores(self, *, repaired: bool) -> Iterator[Score]:
        """Yield the scores of OSWorld's own metrics, or those of the repaired ones."""
        for index in range(len(self.questions)):
            verdicts = self._verdicts(index, shadowed=not repaired)
            yield verdicts.strict if repaired else verdicts.compat

    def _verdicts(self, index: int, *, shadowed: bool) -> Verdicts:
        result, expected = self.record.results[index], self.record.expected[index]
        both = [item for item in (result, expected) if item is not None]
        for item in both:
            if item.state == "failed":
                reason = f"{item.getter}: {item.said}"
                return Verdicts(Score(0.0, f"{ENDS}: {reason}"), Score(0.0, reason))
        shadowed = shadowed and any(item.shadowed is not None for item in both)
        if (index, shadowed) not in self.known:
            values = self._value(result, shadowed), self._value(expected, shadowed)
            self.known[index, shadowed] = self.questions[index].metric(*values)
        return self.known[index, shadowed]

    def _value(self, collected: Collected | None, shadowed: bool) -> Any:
        if collected is None:
            return None
        try:
            return value_of(collected, self.evidence, self.room, self.store, shadowed=shadowed)
        except FileNotFoundError as error:
            problem = Problem(self.evidence, "", str(error))
            hint = "Add it with `ambidex assets fetch` or `ambidex assets import`."
            raise TaskError((problem,), hint=hint) from None
