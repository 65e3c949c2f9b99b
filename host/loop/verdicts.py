"""The verdict on an episode, after whatever has to be run in a fresh guest."""

from __future__ import annotations

from pathlib import Path

from ambidex.evaluators.formulas.recomputed import FOLDER
from ambidex.host import Stop
from ambidex.host.client.answers import GuestRefusalError, NoSuchFileError
from ambidex.host.client.guest import Guest
from ambidex.host.errors import GuestError
from ambidex.host.loop.judge import judge
from ambidex.host.loop.stage import StageContext
from ambidex.host.osworld.questions import QuestionRefusedError, ask
from ambidex.tasks import Task, Verdict

__all__ = ["verdict_on"]

WITHIN = 120.0
"""Seconds to recompute one workbook."""
PLACE = "/tmp/ambidex-{}.xlsx"


def verdict_on(task: Task, evidence: Path, stop: Stop, context: StageContext) -> Verdict:
    """Judge the evidence. A workbook whose stored results cannot be confirmed on the host is
    recomputed by LibreOffice in a fresh guest, and the recomputed one is judged."""
    verdict = judge(task, evidence, stop)
    if not verdict.score.wants:
        return verdict
    with context.fresh() as guest:
        for name in verdict.score.wants:
            _recompute(guest, evidence, name)
    return judge(task, evidence, stop)


def _recompute(guest: Guest, evidence: Path, name: str) -> None:
    """Store the recomputed workbook as evidence. Where there is none, the stored results stay
    unconfirmed, and the verdict says so."""
    source, target = PLACE.format("given"), PLACE.format("computed")
    guest.put(source, (evidence / name).read_bytes())
    try:
        if not ask(guest, "recompute", takes=WITHIN, source=source, target=target):
            return
        content = guest.get(target)
    except (QuestionRefusedError, NoSuchFileError, GuestRefusalError):
        return
    except GuestError:  # LibreOffice crashed on that file
        guest.health()  # raises where the guest itself is gone: a void
        return
    place = evidence / FOLDER / name
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(content)
