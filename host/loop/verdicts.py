"""The verdict on an episode, with what has to be run in a fresh guest first."""

from __future__ import annotations

from pathlib import Path

from ambidex.evaluators.recomputed import FOLDER
from ambidex.host import Stop
from ambidex.host.client.answers import GuestRefusalError, NoSuchFileError
from ambidex.host.client.guest import Guest
from ambidex.host.errors import GuestError
from ambidex.host.loop.judge import judge
from ambidex.host.loop.stage import Backstage
from ambidex.host.osworld.questions import QuestionRefusedError, ask
from ambidex.tasks import Task, Verdict

__all__ = ["verdict_on"]

WITHIN = 120.0
"""Seconds for an office to compute one workbook."""
PLACE = "/tmp/ambidex-{}.xlsx"


def verdict_on(task: Task, evidence: Path, stop: Stop, backstage: Backstage) -> Verdict:
    """What the evidence is worth. A workbook whose stored results cannot be confirmed here is
    computed anew by an office in a fresh guest, and the verdict is given on that."""
    verdict = judge(task, evidence, stop)
    if not verdict.score.wants:
        return verdict
    with backstage.fresh() as guest:
        for name in verdict.score.wants:
            _recompute(guest, evidence, name)
    return judge(task, evidence, stop)


def _recompute(guest: Guest, evidence: Path, name: str) -> None:
    """What the office wrote is evidence; where it wrote nothing, the stored results stay
    unconfirmed, and that is the verdict."""
    source, target = PLACE.format("given"), PLACE.format("computed")
    guest.put(source, (evidence / name).read_bytes())
    try:
        if not ask(guest, "recompute", takes=WITHIN, source=source, target=target):
            return
        content = guest.get(target)
    except (QuestionRefusedError, NoSuchFileError, GuestRefusalError):
        return
    except GuestError:  # the office ended on that file
        guest.health()  # a guest that is gone is a void
        return
    place = evidence / FOLDER / name
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(content)
