"""Points of tasks whose checks are worth points, and the form in which TheMCPCompany has them.

A task's score is half of the share of points that were reached, and the other half if all were.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field, ValidationError

from ambidex.evaluators import Points, Score, UnreadableError
from ambidex.evaluators.strict import Strict, explain

__all__ = ["read_checkpoints", "score_of_points", "value_of", "written_checkpoints"]


class _Count(Strict):
    total: int = Field(ge=0)
    result: int = Field(ge=0)


class _Checkpoints(Strict):
    checkpoints: list[_Count]
    final_score: _Count


def value_of(points: Sequence[Points]) -> float:
    """The score of these points: 1 if all were reached, at most 1/2 otherwise. 0 if there are none
    to reach."""
    total, reached = sum(one.total for one in points), sum(one.reached for one in points)
    return 0.0 if total == 0 else reached / total / 2 + (0.5 if reached == total else 0.0)


def score_of_points(points: Sequence[Points], reasons: Sequence[str]) -> Score:
    """The score of a task, given why each of its points was reached or missed."""
    total, reached = sum(one.total for one in points), sum(one.reached for one in points)
    missed = [
        f"{one.title}: {reason}"
        for one, reason in zip(points, reasons, strict=True)
        if one.reached < one.total
    ]
    text = "; ".join([f"{reached} of {total} points", *missed])
    return Score(value_of(points), text, points=tuple(points))


def written_checkpoints(points: Sequence[Points]) -> dict[str, Any]:
    """The points as TheMCPCompany's evaluators print them."""
    counts = [{"total": one.total, "result": one.reached} for one in points]
    total, reached = (sum(count[key] for count in counts) for key in ("total", "result"))
    return {"checkpoints": counts, "final_score": {"total": total, "result": reached}}


def read_checkpoints(document: object) -> tuple[Points, ...]:
    """The points in what an evaluator of TheMCPCompany printed.

    `UnreadableError` if it has another form, if more was reached than there is, or if its final
    score is not the sum of its checkpoints.
    """
    try:
        read = _Checkpoints.model_validate(document)
    except ValidationError as error:
        raise UnreadableError(f"not checkpoints: {explain(error)}") from None
    points = tuple(
        Points(f"checkpoint {number}", one.total, one.result)
        for number, one in enumerate(read.checkpoints, 1)
        if one.result <= one.total
    )
    if len(points) < len(read.checkpoints):
        raise UnreadableError("not checkpoints: more was reached than there is")
    if written_checkpoints(points)["final_score"] != read.final_score.model_dump():
        raise UnreadableError("not checkpoints: final_score is not their sum")
    return points
