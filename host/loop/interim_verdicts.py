"""What a trial has come to: at its end, and at checkpoints on the way, where a fork of the machine
is judged and the episode goes on undisturbed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ambidex.host import Stop
from ambidex.host.client.guest import Guest
from ambidex.host.loop.progress import Episode
from ambidex.host.loop.stage import Backstage, collect
from ambidex.host.loop.verdicts import verdict_on
from ambidex.host.records.rows import CallCount, InterimVerdict
from ambidex.tasks import Task, Verdict
from ambidex.vm import Machine

__all__ = ["Checkpoints", "evidence_at", "reached", "said"]


class Checkpoints:
    """Judges a fork of the machine after each of these numbers of steps, as the step limit would
    have it judged. What a fork cannot do is a `MachineError`, and ends the trial.
    """

    def __init__(
        self,
        steps: Sequence[int],
        task: Task,
        machine: Machine,
        folder: Path,
        backstage: Callable[[Machine], Backstage],
    ) -> None:
        self._steps = frozenset(steps)
        self._task = task
        self._machine = machine
        self._folder = folder
        self._backstage = backstage
        self.reached: list[InterimVerdict] = []
        self.seconds = 0.0

    def after(self, episode: Episode) -> None:
        """To be called after every step that is not the last."""
        if episode.steps not in self._steps:
            return
        began = time.monotonic()
        evidence = evidence_at(self._folder, episode.steps)
        with self._machine.fork() as copy, Guest(copy.endpoint, copy.token) as guest:
            backstage = self._backstage(copy)
            collect(self._task, guest, evidence, episode.answer, backstage)
            verdict = verdict_on(self._task, evidence, Stop.STEP_LIMIT, backstage)
        self.reached.append(reached(episode, verdict, Stop.STEP_LIMIT))
        self.seconds += time.monotonic() - began


def evidence_at(folder: Path, steps: int) -> Path:
    """Where the evidence of a checkpoint lies in a trial's directory."""
    return folder / f"evidence.{steps}"


def said(verdict: Verdict) -> dict[str, Any]:
    """A verdict in the words of a row."""
    strict = verdict.strict
    return {
        "score": verdict.score.value,
        "reason": verdict.score.reason,
        "strict": strict.value if strict else None,
        "strict_reason": strict.reason if strict else "",
    }


def reached(episode: Episode, verdict: Verdict, stop: Stop) -> InterimVerdict:
    """The episode in numbers, with this verdict."""
    calls = Counter((call.tool, call.app) for call in episode.calls)
    errors = Counter((call.tool, call.app) for call in episode.calls if call.error)
    repeats = Counter((call.tool, call.app) for call in episode.calls if call.repeat)
    return InterimVerdict(
        **said(verdict),
        stop=stop,
        steps=episode.steps,
        malformed=episode.malformed,
        unsettled=episode.unsettled,
        calls=tuple(
            CallCount(tool=key[0], app=key[1], calls=n, errors=errors[key], repeats=repeats[key])
            for key, n in calls.items()
        ),
        input_tokens=episode.usage.input_tokens,
        output_tokens=episode.usage.output_tokens,
        cached_tokens=episode.usage.cached_tokens,
        cost=episode.usage.cost,
        requests=episode.usage.requests,
        retries=episode.usage.retries,
    )
