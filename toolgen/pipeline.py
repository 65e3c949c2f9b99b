"""The pipeline: each candidate through the stages in order, every end of a stage on disk, so that
it goes on after a kill wherever it was."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ambidex.host import Model
from ambidex.host.errors import VOID
from ambidex.tasks import ToolSpec
from ambidex.toolgen import ORDER, Candidate, Outcome, Spent, Stage, StageResult
from ambidex.toolgen.guests import Workplace
from ambidex.toolgen.models.asking import CallLimitError, Caps, Talk, spent_by
from ambidex.toolgen.stages.check import check
from ambidex.toolgen.stages.context import Ended, Shop
from ambidex.toolgen.stages.decide import REVISE, decide
from ambidex.toolgen.stages.measure import measure
from ambidex.toolgen.stages.measurement import Measured
from ambidex.toolgen.stages.solve import condense, propose
from ambidex.toolgen.stages.trial import trial
from ambidex.toolgen.stages.wrap import trouble_of, wrap
from ambidex.toolgen.store import Folder, now

__all__ = ["STEPS", "Foundry", "next_stage"]

Step = Callable[[Shop], Ended]

STEPS: tuple[tuple[Stage, Step], ...] = (
    ("propose", propose),
    ("filter", condense),
    ("wrap", wrap),
    ("gate", check),
    ("trial", trial),
    ("measure", measure),
    ("review", decide),
)
"""What is done at each stage. The last, `admit`, is a person's command."""
MENDABLE: frozenset[Stage] = frozenset({"gate", "trial", "review"})
"""Stages whose refusal the model is told, so that it makes another draft."""
DRAFTS = 3
"""That a candidate may have by the model's own doing; what reviewers ask for comes on top."""


@dataclass(frozen=True)
class Foundry:
    """What candidates are worked on with."""

    root: Path
    """Of the tree that tools join."""
    catalogue: Mapping[str, ToolSpec]
    model: Callable[[str], Model]
    """Of that name."""
    workplace: Workplace
    caps: Caps
    measured: Measured | None = None
    """Nothing is measured without it."""
    say: Callable[[str], None] = print

    def run(self, folder: Folder) -> StageResult:
        """Go on with a candidate until it fails, waits, or has nothing left to be done; where it
        is then."""
        candidate = folder.candidate()
        shop = self._shop(folder, candidate)
        while (stage := next_stage(folder)) is not None:
            self.say(f"{candidate.name}: {stage}")
            result = self._do(shop, stage)
            folder.keep(result)
            self.say(f"{candidate.name}: {stage} {result.outcome}: {result.reason}")
            if result.outcome in (Outcome.WAITING, Outcome.ERROR):
                break
        last = folder.last()
        assert last is not None
        return last

    def _shop(self, folder: Folder, candidate: Candidate) -> Shop:
        talk = Talk(self.model(candidate.model), folder, self.caps)
        return Shop(
            folder, candidate, self.catalogue, talk, self.workplace, self.root, self.measured,
            self.say,
        )  # fmt: skip

    def _do(self, shop: Shop, stage: Stage) -> StageResult:
        started, before = now(), spent_by(shop.folder)
        try:
            ended = self._step(shop, stage)
        except CallLimitError as reached:
            ended = Ended(Outcome.WAITING, f"limit reached: {reached}")
        except VOID as error:
            hint = getattr(error, "hint", "")
            ended = Ended(Outcome.ERROR, f"{type(error).__name__}: {error} {hint}".strip())
        draft = shop.folder.latest()
        return StageResult(
            stage=stage,
            draft=draft.n if draft and ORDER[stage] >= ORDER["wrap"] else None,
            outcome=ended.outcome,
            reason=ended.reason,
            findings=ended.findings,
            evidence=ended.evidence,
            started=started,
            ended=now(),
            usage=_less(spent_by(shop.folder), before),
        )

    def _step(self, shop: Shop, stage: Stage) -> Ended:
        if stage == "wrap" and (failed := _mendable(shop.folder)) is not None:
            return wrap(shop, trouble_of(failed), failed.stage)
        return dict(STEPS)[stage](shop)


def next_stage(folder: Folder) -> Stage | None:
    """What is to be done next for a candidate; None where it failed, was retired or admitted, or
    everything is done."""
    if folder.admission() is not None:
        return None
    draft = folder.latest()
    for stage, _ in STEPS:
        result = folder.result(stage)
        if result is None or result.outcome in (Outcome.WAITING, Outcome.ERROR):
            return stage
        if ORDER[stage] > ORDER["wrap"] and draft and result.draft != draft.n:
            return stage
        if result.outcome is Outcome.FAILED:
            return "wrap" if stage in MENDABLE and _mendable(folder) is not None else None
    return None


def _mendable(folder: Folder) -> StageResult | None:
    """The refusal that the latest draft met, where another draft may be made of it."""
    draft = folder.latest()
    if draft is None:
        return None
    own = sum(each.origin in ("wrap", "gate", "trial") for each in folder.drafts())
    for stage in MENDABLE:
        result = folder.result(stage)
        if result and result.draft == draft.n and result.outcome is Outcome.FAILED:
            if stage == "review":
                return result if result.reason.startswith(REVISE) else None
            return result if own < DRAFTS else None
    return None


def _less(after: Spent, before: Spent) -> Spent:
    if after.calls == before.calls:
        return Spent()
    unknown = after.dollars is None or before.dollars is None
    return Spent(
        calls=after.calls - before.calls,
        input_tokens=after.input_tokens - before.input_tokens,
        output_tokens=after.output_tokens - before.output_tokens,
        dollars=None if unknown else round((after.dollars or 0) - (before.dollars or 0), 6),
    )
