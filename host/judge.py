"""From evidence to a score; the same function now and when stored evidence is judged again."""

from __future__ import annotations

from pathlib import Path

from evaluators import Score
from host import Stop
from tasks import Task

__all__ = ["judge"]


def judge(task: Task, evidence: Path, stop: Stop) -> Score:
    """The score of a trial: the lowest of all checks, and 0 where feasibility was judged wrongly.

    Running out of steps is no verdict: what was reached by then is judged like everything else.
    """
    if (stop is Stop.INFEASIBLE) is task.spec.feasible:
        said = "called infeasible" if stop is Stop.INFEASIBLE else f"ended with {stop}"
        what = "a feasible task" if task.spec.feasible else "an infeasible task"
        return Score(0.0, f"{what} was {said}" if task.spec.feasible else f"{what} {said}")
    scores = [check(evidence) for check in task.checks]
    if not scores:
        return Score(1.0, "rightly called infeasible")
    worst = min(scores, key=lambda score: score.value)
    return worst if len(scores) == 1 or worst.value < 1 else Score(1.0, f"{len(scores)} checks")
