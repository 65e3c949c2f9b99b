"""From evidence to a verdict: one function for new trials and for `ambidex score`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from ambidex.evaluators import Score
from ambidex.host import Stop
from ambidex.host.box import LIMITS, Limits
from ambidex.host.box.client import box
from ambidex.tasks import Task, Verbs, Verdict, judge_one, verbs_of
from ambidex.tasks.osworld.task import OSWorldBody

__all__ = ["judge", "judge_check", "share_of_checks"]


def judge(task: Task, evidence: Path, stop: Stop, limits: Limits = LIMITS) -> Verdict:
    """Judge the evidence in the box. 0 where the agent misjudged whether the task is feasible.

    An episode that reached a limit is judged by its end state, like any other. The checks of a
    `task.toml` hold for an infeasible task as well: what must not change has not changed.
    """
    if (stop is Stop.INFEASIBLE) is task.spec.feasible:
        if task.spec.feasible:
            return Verdict(Score(0.0, "a feasible task was called infeasible"))
        return Verdict(Score(0.0, f"an infeasible task ended with {stop}"))
    if not task.spec.feasible and not (isinstance(task.body, Verbs) and task.body.checks):
        return Verdict(Score(1.0, "correctly called infeasible"))
    # Not the bound method: twisted, which vncdotool imports, changes how those are pickled, so that
    # each judging process would import twisted first.
    verdict = partial(type(task.body).judge, task.body)
    match task.body:
        case Verbs() as body:
            return box().judge(verdict, evidence, reads=body.reads, limits=limits)
        case OSWorldBody() as body:
            store = (body.store.root,)
            return box().judge(verdict, evidence, reads=store, twofold=True, limits=limits)
        case _:
            return box().judge(verdict, evidence, limits=limits)


def judge_check(check: Callable[[Path], Score], evidence: Path, folder: Path) -> Score:
    """The score of one check, computed in the box. `folder` is the task's, whose files the check
    may compare with."""
    return box().judge(partial(judge_one, check), evidence, reads=(folder,)).score


def share_of_checks(task: Task, evidence: Path) -> float:
    """The mean score of the task's checks, computed in the box. `TypeError` if the task is not
    defined by a `task.toml`."""
    body = verbs_of(task)
    share = partial(Verbs.share, body)
    return box().judge(share, evidence, reads=body.reads).score.value
