"""The pipeline: takes a candidate through the stages in order. Every result is stored as soon as
its stage ends, so that an interrupted pipeline resumes there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ambidex.host import Model
from ambidex.host.errors import VOID
from ambidex.tasks import ToolSpec
from ambidex.toolgen import ORDER, Candidate, ModelUsage, Outcome, Stage, StageResult
from ambidex.toolgen.guests import DraftMachine
from ambidex.toolgen.models.asking import CallLimitError, CallLimits, Conversation, usage_of
from ambidex.toolgen.stages.check import check
from ambidex.toolgen.stages.context import StageContext, StageReport
from ambidex.toolgen.stages.decide import REVISE, decide
from ambidex.toolgen.stages.measure import measure
from ambidex.toolgen.stages.measurement import MeasureOptions
from ambidex.toolgen.stages.solve import condense, propose
from ambidex.toolgen.stages.trial import run_trial
from ambidex.toolgen.stages.wrap import problems_of, wrap
from ambidex.toolgen.store import Folder, now

__all__ = ["STAGE_FUNCTIONS", "Foundry", "next_stage"]

StageFunction = Callable[[StageContext], StageReport]

STAGE_FUNCTIONS: tuple[tuple[Stage, StageFunction], ...] = (
    ("propose", propose),
    ("filter", condense),
    ("wrap", wrap),
    ("gate", check),
    ("trial", run_trial),
    ("measure", measure),
    ("review", decide),
)
"""The automatic stages. The last stage, `admit`, is a command that a person runs."""
REVISABLE: frozenset[Stage] = frozenset({"gate", "trial", "review"})
"""Stages whose refusal is passed to the model, which then writes another draft."""
DRAFTS = 3
"""Maximum drafts per candidate, not counting those that reviewers ask for."""


@dataclass(frozen=True)
class Foundry:
    """Everything needed to run candidates through the stages."""

    root: Path
    """Root of the source tree that the tools are for."""
    catalogue: Mapping[str, ToolSpec]
    model: Callable[[str], Model]
    """Opens a model by its name."""
    machine: DraftMachine
    limits: CallLimits
    measuring: MeasureOptions | None = None
    """None skips measuring."""
    say: Callable[[str], None] = print

    def run(self, folder: Folder) -> StageResult:
        """Run a candidate until it fails, has to wait, or is done with all stages. Returns its
        last result."""
        candidate = folder.candidate()
        context = self._context(folder, candidate)
        while (stage := next_stage(folder)) is not None:
            self.say(f"{candidate.name}: {stage}")
            result = self._run_stage(context, stage)
            folder.add_result(result)
            self.say(f"{candidate.name}: {stage} {result.outcome}: {result.reason}")
            if result.outcome in (Outcome.WAITING, Outcome.ERROR):
                break
        last = folder.last()
        assert last is not None
        return last

    def _context(self, folder: Folder, candidate: Candidate) -> StageContext:
        conversation = Conversation(self.model(candidate.model), folder, self.limits)
        return StageContext(
            folder, candidate, self.catalogue, conversation, self.machine, self.root,
            self.measuring, self.say,
        )  # fmt: skip

    def _run_stage(self, context: StageContext, stage: Stage) -> StageResult:
        started, before = now(), usage_of(context.folder)
        try:
            report = self._report(context, stage)
        except CallLimitError as error:
            report = StageReport(Outcome.WAITING, f"limit reached: {error}")
        except VOID as error:
            hint = getattr(error, "hint", "")
            report = StageReport(Outcome.ERROR, f"{type(error).__name__}: {error} {hint}".strip())
        draft = context.folder.latest()
        return StageResult(
            stage=stage,
            draft=draft.n if draft and ORDER[stage] >= ORDER["wrap"] else None,
            outcome=report.outcome,
            reason=report.reason,
            findings=report.findings,
            evidence=report.evidence,
            started=started,
            ended=now(),
            usage=_difference(usage_of(context.folder), before),
        )

    def _report(self, context: StageContext, stage: Stage) -> StageReport:
        if stage == "wrap" and (failed := _revisable(context.folder)) is not None:
            return wrap(context, problems_of(failed), failed.stage)
        return dict(STAGE_FUNCTIONS)[stage](context)


def next_stage(folder: Folder) -> Stage | None:
    """The stage that a candidate needs next. None if it failed, was admitted or retired, or is done
    with all stages."""
    if folder.admission() is not None:
        return None
    draft = folder.latest()
    for stage, _ in STAGE_FUNCTIONS:
        result = folder.result(stage)
        if result is None or result.outcome in (Outcome.WAITING, Outcome.ERROR):
            return stage
        if ORDER[stage] > ORDER["wrap"] and draft and result.draft != draft.n:
            return stage
        if result.outcome is Outcome.FAILED:
            return "wrap" if stage in REVISABLE and _revisable(folder) is not None else None
    return None


def _revisable(folder: Folder) -> StageResult | None:
    """The refusal of the latest draft, if another draft may be written in response."""
    draft = folder.latest()
    if draft is None:
        return None
    own = sum(earlier.origin in ("wrap", "gate", "trial") for earlier in folder.drafts())
    for stage in REVISABLE:
        result = folder.result(stage)
        if result and result.draft == draft.n and result.outcome is Outcome.FAILED:
            if stage == "review":
                return result if result.reason.startswith(REVISE) else None
            return result if own < DRAFTS else None
    return None


def _difference(after: ModelUsage, before: ModelUsage) -> ModelUsage:
    if after.calls == before.calls:
        return ModelUsage()
    unknown = after.dollars is None or before.dollars is None
    return ModelUsage(
        calls=after.calls - before.calls,
        input_tokens=after.input_tokens - before.input_tokens,
        output_tokens=after.output_tokens - before.output_tokens,
        dollars=None if unknown else round((after.dollars or 0) - (before.dollars or 0), 6),
    )
