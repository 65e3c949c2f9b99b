"""A jury's sitting on one trial: every judge is asked, and every answer is appended to the trial's
evidence as soon as it is there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel

from ambidex.evaluators.key_points import (
    JURY,
    JudgedSitting,
    Opinion,
    Sitting,
    read_sittings,
)
from ambidex.host.errors import ModelError
from ambidex.host.jury.case import PROMPTS, Case
from ambidex.host.models.asking import Reply, TextModel
from ambidex.host.models.prompts import prompt, prompts_hash
from ambidex.host.records.jury import Jury, JuryRecord
from ambidex.tasks import Task
from ambidex.tasks.livemcpbench.body import key_points_in

__all__ = ["hold_sitting"]

AT_ONCE = 8
"""Questions that are open at the same time."""


def hold_sitting(
    task: Task,
    case: Case,
    evidence: Path,
    jury: Jury,
    judges: Sequence[TextModel],
    *,
    again: bool = False,
) -> JuryRecord:
    """Ask the judges, one for each seat of the jury, about the trial with this evidence.

    The last sitting is continued if it is of the same jury; with `again`, only if it was
    interrupted. `ModelError` if a judge cannot be asked: the answers so far are kept.
    `UnreadableError` if the file with the earlier answers is damaged.
    """
    _drop_unfinished_line(evidence / JURY)
    held = read_sittings(evidence)
    id = _id_of(task, jury)
    if held and held[-1].sitting.id == id and not (again and held[-1].complete):
        judged = held[-1]
    else:
        judged = JudgedSitting(_opened(id, task, jury, judges, case), {})
        _append(evidence, judged.sitting)
    sitting = judged.sitting
    rules = prompt(f"{_prompt_of(sitting)}_rules", folder=PROMPTS)

    def ask(question: tuple[int, int | None]) -> Reply:
        seat, point = question
        text = case.whole(sitting.points) if point is None else case.of_point(sitting.points[point])
        return judges[seat].ask(rules, text)

    opinions = list(judged.opinions.values())
    left = [question for question in sitting.questions if question not in judged.opinions]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for (seat, point), reply in zip(left, pool.map(ask, left), strict=True):
            opinion = Opinion(
                sitting=id,
                seat=seat,
                point=point,
                text=reply.text,
                flaw=reply.flaw,
                requests=reply.usage.requests,
                cost=reply.usage.cost,
                answer=dict(reply.answer),
                at=datetime.now(UTC).isoformat(timespec="seconds"),
            )
            _append(evidence, opinion)
            opinions.append(opinion)
    costs = [sitting.cost, *(opinion.cost for opinion in opinions)]
    known = [cost for cost in costs if cost is not None]
    return JuryRecord(
        jury=jury,
        prompts=prompts_hash(PROMPTS),
        sitting=id,
        requests=sitting.requests + sum(opinion.requests for opinion in opinions),
        cost=sum(known) if len(known) == len(costs) else None,
    )


def _prompt_of(sitting: Sitting) -> str:
    return "point" if sitting.form == "points" else "status"


def _id_of(task: Task, jury: Jury) -> str:
    parts = (jury.model_dump_json(), prompts_hash(PROMPTS), task.hash)
    return sha256("\0".join(parts).encode()).hexdigest()


def _opened(id: str, task: Task, jury: Jury, judges: Sequence[TextModel], case: Case) -> Sitting:
    """The start of a new sitting, for which the first judge may have to extract key points."""
    sitting = Sitting(
        id=id, form=jury.form, rule=jury.rule, seats=jury.seats, points=case.body.points
    )
    if jury.key_points == "people":
        return sitting
    reply = judges[0].ask(prompt("extract_rules", folder=PROMPTS), case.unread())
    points = key_points_in(reply.text)
    if not points:
        said = reply.flaw or reply.text[:200]
        raise ModelError(f"{jury.seats[0]} extracted no key points from {task.name}: {said}")
    return sitting.model_copy(
        update={
            "points": points,
            "extraction": reply.text,
            "requests": reply.usage.requests,
            "cost": reply.usage.cost,
        }
    )


def _append(evidence: Path, line: BaseModel) -> None:
    with (evidence / JURY).open("ab", buffering=0) as file:
        file.write(line.model_dump_json().encode() + b"\n")
        os.fsync(file.fileno())


def _drop_unfinished_line(path: Path) -> None:
    """Remove the beginning of a line that was not written to its end."""
    if not path.exists():
        return
    with path.open("r+b") as file:
        content = file.read()
        file.truncate(content.rfind(b"\n") + 1)
