"""Interim verdicts: a fork of the machine is judged at smaller limits of steps while the episode
continues undisturbed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ambidex.host import Stop
from ambidex.host.client.guest import Guest
from ambidex.host.loop.outcomes import outcome_of
from ambidex.host.loop.progress import Episode
from ambidex.host.loop.stage import StageContext, collect
from ambidex.host.loop.verdicts import verdict_on
from ambidex.host.records.rows import InterimVerdict
from ambidex.tasks import Task
from ambidex.vm import Machine

__all__ = ["InterimJudge", "interim_evidence"]


class InterimJudge:
    """Judges a fork of the machine after each of these numbers of steps, as the step limit would
    have it judged. A machine that cannot fork raises `MachineError`, which ends the trial."""

    def __init__(
        self,
        steps: Sequence[int],
        task: Task,
        machine: Machine,
        folder: Path,
        context: Callable[[Machine], StageContext],
    ) -> None:
        self._steps = frozenset(steps)
        self._task = task
        self._machine = machine
        self._folder = folder
        self._context = context
        self.outcomes: list[InterimVerdict] = []
        self.seconds = 0.0

    def after_step(self, episode: Episode) -> None:
        """Judge, if this number of steps asks for it. For every step that is not the last."""
        if episode.steps not in self._steps:
            return
        began = time.monotonic()
        evidence = interim_evidence(self._folder, episode.steps)
        with self._machine.fork() as fork, Guest(fork.endpoint, fork.token) as guest:
            context = self._context(fork)
            collect(self._task, guest, evidence, episode.answer, context)
            verdict = verdict_on(self._task, evidence, Stop.STEP_LIMIT, context)
        outcome = outcome_of(episode, verdict, Stop.STEP_LIMIT)
        self.outcomes.append(InterimVerdict(**dict(outcome)))
        self.seconds += time.monotonic() - began


def interim_evidence(folder: Path, steps: int) -> Path:
    """The evidence directory of an interim verdict in a trial's directory."""
    return folder / f"evidence.{steps}"
