"""From evidence to a verdict; the same function now and when stored evidence is judged again."""

from __future__ import annotations

from pathlib import Path

from evaluators import Score
from host import Stop
from tasks import Task, Verdict

__all__ = ["judge"]


def judge(task: Task, evidence: Path, stop: Stop) -> Verdict:
    """The verdict on a trial: what the task's body says of the evidence, and 0 where feasibility
    was judged wrongly.

    Running out of steps is no verdict: what was reached by then is judged like everything else.
    """
    if (stop is Stop.INFEASIBLE) is task.spec.feasible:
        said = "called infeasible" if stop is Stop.INFEASIBLE else f"ended with {stop}"
        what = "a feasible task" if task.spec.feasible else "an infeasible task"
        return Verdict(Score(0.0, f"{what} was {said}" if task.spec.feasible else f"{what} {said}"))
    if not task.spec.feasible:
        return Verdict(Score(1.0, "rightly called infeasible"))
    return task.body.judge(evidence)
