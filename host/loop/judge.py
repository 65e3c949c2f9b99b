"""From evidence to a verdict; the same function now and when stored evidence is judged again."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from ambidex.evaluators import Score
from ambidex.host import Stop
from ambidex.host.box import LIMITS, Limits
from ambidex.host.box.client import box
from ambidex.tasks import Task, Verbs, Verdict
from ambidex.tasks.osworld.task import OSWorldBody

__all__ = ["judge"]


def judge(task: Task, evidence: Path, stop: Stop, limits: Limits = LIMITS) -> Verdict:
    """The verdict on a trial: what the task's body says of the evidence, in the box, and 0 where
    feasibility was judged wrongly.

    Running out of steps is no verdict: what was reached by then is judged like everything else.
    """
    if (stop is Stop.INFEASIBLE) is task.spec.feasible:
        said = "called infeasible" if stop is Stop.INFEASIBLE else f"ended with {stop}"
        what = "a feasible task" if task.spec.feasible else "an infeasible task"
        return Verdict(Score(0.0, f"{what} was {said}" if task.spec.feasible else f"{what} {said}"))
    if not task.spec.feasible:
        return Verdict(Score(1.0, "rightly called infeasible"))
    # Not the bound method: twisted, which vncdotool brings along, changes how those are pickled, so
    # that each judge would import twisted first.
    verdict = partial(type(task.body).judge, task.body)
    match task.body:
        case Verbs() as body:
            return box().judge(verdict, evidence, reads=(body.folder,), limits=limits)
        case OSWorldBody() as body:
            store = (body.store.root,)
            return box().judge(verdict, evidence, reads=store, twofold=True, limits=limits)
        case _:
            return box().judge(verdict, evidence, limits=limits)
