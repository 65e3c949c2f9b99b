"""The trial stage: runs a draft in guests, each reverted first. The cases are its tests, its task,
variations of the task, wrong calls, the app not running, and the same goal through the GUI.

The result is judged by the task's evaluators and by comparing the machine before and after, never
by what the tool reports.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from uuid import uuid4

from ambidex.evaluators.meaning import differences
from ambidex.host import ToolCall
from ambidex.host.client.guest import Guest
from ambidex.host.client.survey import LASTING, changes, survey
from ambidex.host.errors import StageError
from ambidex.host.loop.stage import set_stage
from ambidex.tasks import Task, verbs_of
from ambidex.tasks.spec import Call, Get, Put
from ambidex.toolgen import Finding, Outcome
from ambidex.toolgen.guests import CallResult, Fault, RunnerAnswer, run_draft
from ambidex.toolgen.stages.context import StageContext, StageReport, task_of
from ambidex.toolgen.stages.side_effects import side_effects
from ambidex.toolgen.stages.solve import SETTLE, score_of
from ambidex.toolgen.stages.variations import EMPTY, Variation, apply_swap, variations, vary
from ambidex.toolgen.stages.wrap import CALLS
from ambidex.toolgen.stages.wrong_calls import wrong_calls

__all__ = ["run_trial"]

LISTED = 40
"""Maximum changes to the machine that are reported per case."""


@dataclass
class DraftTrial:
    """A draft on trial, and the findings so far."""

    context: StageContext
    task: Task | None
    number: int
    tool: str
    test: str
    calls: Sequence[Call]
    findings: list[Finding] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)
    described: dict[str, Any] = field(default_factory=dict)
    """The draft's tool, as the guest describes it."""

    def add(self, rule: str, text: str, *, refused: bool = True) -> None:
        """Add a finding, unless it exists already."""
        finding = Finding(0, rule, text, refused)
        if finding not in self.findings:
            self.findings.append(finding)

    @property
    def refused(self) -> bool:
        """Whether a finding refuses the draft."""
        return any(finding.refused for finding in self.findings)

    @cached_property
    def named_paths(self) -> frozenset[str]:
        """Paths that the calls and the task name."""
        paths = {path for call in self.calls for path in _paths(call.with_)}
        if self.task:
            paths |= {verb.to for verb in verbs_of(self.task).spec.setup if isinstance(verb, Put)}
            paths |= {
                verb.get for verb in verbs_of(self.task).spec.collect if isinstance(verb, Get)
            }
        return frozenset(paths)

    def run(self, guest: Guest, calls: Sequence[Any] = (), test: str = "") -> RunnerAnswer:
        """Run the draft in a guest. Violations and load faults become findings."""
        answer = run_draft(guest, self.context.candidate.app, self.tool, calls, test)
        for violation in answer.marks:
            self.add(violation.rule, f"tried to access {violation.what}")
        if answer.load:
            self.add("loads", f"{answer.load.code}: {answer.load.message}")
        for tool in answer.tools:
            self.described = tool
        return answer

    def play(self, guest: Guest, calls: Sequence[Call]) -> list[CallResult]:
        """Make calls in order: those of the draft through the runner, others as an agent does."""
        results: list[CallResult] = []
        for call in calls:
            if call.call in self.context.catalogue:
                result = guest.call(ToolCall(uuid4().hex, call.call, call.with_))
                fault = Fault(kind="tool", code=result.error, message=result.text)
                error = fault if result.error else None
                results.append(CallResult(value=result.value, error=error))
            else:
                answer = self.run(guest, [{"call": call.call, "with": call.with_}])
                results += answer.calls or [CallResult(error=answer.load)]
        return results


def run_trial(context: StageContext) -> StageReport:
    """Run all cases in order. After a case that refuses the draft, the remaining ones are skipped
    and listed in a finding."""
    draft = context.folder.latest()
    assert draft is not None
    tool, test = context.folder.text(draft.n)
    calls = [Call.model_validate(call) for call in context.folder.attachment(draft.n, CALLS)]
    task = task_of(context.candidate, context.catalogue)
    trial = DraftTrial(context, task, draft.n, tool, test, calls)
    skipped: list[str] = []
    for name, case in CASES:
        if trial.refused:
            skipped.append(name)
            continue
        context.say(f"{context.candidate.name}: trial: {name}")
        case(trial)
    if skipped:
        trial.add("skipped", ", ".join(skipped), refused=False)
    refusals = [finding for finding in trial.findings if finding.refused]
    findings, evidence = tuple(trial.findings), tuple(trial.evidence)
    if refusals:
        reason = f"{refusals[0].rule}: {refusals[0].text}"
        return StageReport(Outcome.FAILED, reason, findings, evidence)
    return StageReport(Outcome.PASSED, f"{len(CASES)} cases", findings, evidence)


def run_tests(trial: DraftTrial) -> None:
    """Run the draft's own tests in a guest."""
    with trial.context.machine.fresh() as guest:
        answer = trial.run(guest, test=trial.test)
    if not answer.tests and not answer.load:
        trial.add("tests", "no tests found")
    for test in answer.tests:
        if not test.passed:
            trial.add("tests", f"{test.name}: {test.why.strip()[-600:]}")
    count = sum(test.passed for test in answer.tests)
    trial.add("tests", f"{count} of {len(answer.tests)} passed", refused=False)


def solve_task(trial: DraftTrial) -> None:
    """Solve the task that the draft was made from and look for side effects; then repeat the calls,
    and make wrong ones."""
    task, context = trial.task, trial.context
    if task is None:
        trial.add("no task", "no task, so neither it nor variations were tried", refused=False)
        return
    with context.machine.fresh(task.spec.snapshot) as guest:
        set_stage(task, guest)
        _screenshot(trial, guest, "before")
        before = survey(guest, LASTING)
        results = trial.play(guest, trial.calls)
        _screenshot(trial, guest, "after")
        score = score_of(task, guest, context, "trial-source")
        trial.evidence.append("evidence/trial-source/collected")
        after = survey(guest, LASTING)
        for call, result in zip(trial.calls, results, strict=True):
            if result.error:
                trial.add("task", f"{call.call}: {result.error.code}: {result.error.message}")
        if score.value != 1:
            trial.add("task", f"the score is {score.value:g}: {score.reason}")
        changed = changes(before, after)
        app, home = context.candidate.app, guest.home
        for change in changed[:LISTED]:
            trial.add("changed", str(change), refused=False)
        for change in side_effects(changed, app, trial.named_paths, home)[:LISTED]:
            trial.add("side effect", str(change))
        if not trial.refused:
            _repeat_calls(trial, guest)
            _make_wrong_calls(trial, guest)


def _repeat_calls(trial: DraftTrial, guest: Guest) -> None:
    for call, result in zip(trial.calls, trial.play(guest, trial.calls), strict=True):
        if result.error and result.error.kind == "bug":
            trial.add("twice", f"{call.call}, the second time: {result.error.message}")
        elif result.error:
            trial.add("twice", f"{call.call}: {result.error.message}", refused=False)


def _make_wrong_calls(trial: DraftTrial, guest: Guest) -> None:
    name = str(trial.described.get("name", ""))
    right = next((call.with_ for call in trial.calls if call.call == name), {})
    calls = list(wrong_calls(trial.described.get("parameters", {}), right))
    answer = trial.run(guest, [{"call": name, "with": call.arguments} for call in calls])
    for call, result in zip(calls, answer.calls, strict=False):
        if result.error and result.error.kind == "bug":
            trial.add("bad arguments", f"{call.what}: {result.error.message}")
        elif not result.error and call.must_be_refused:
            trial.add("bad arguments", f"{call.what}: not refused")
    if len(answer.calls) < len(calls):
        trial.add("bad arguments", f"only {len(answer.calls)} of {len(calls)} calls were answered")


def call_without_app(trial: DraftTrial) -> None:
    """Make the calls while nothing is open: the tool may start its app or raise a tool error."""
    with trial.context.machine.fresh() as guest:
        for call, result in zip(trial.calls, trial.play(guest, trial.calls), strict=True):
            if result.error and result.error.kind == "bug":
                trial.add("app not running", f"{call.call}: {result.error.message}")
            elif result.error:
                text = f"{call.call}: {result.error.message}"
                trial.add("app not running", text, refused=False)


def solve_variations(trial: DraftTrial) -> None:
    """Solve the task in every variation that can be applied to it."""
    if trial.task is None:
        return
    oracle = _oracle(trial.task, "tools")
    for variation in variations(trial.task, oracle or trial.calls):
        _solve_variation(trial, trial.task, variation, oracle)


def _solve_variation(
    trial: DraftTrial, task: Task, variation: Variation, oracle: Sequence[Call]
) -> None:
    rule, name = f"varied: {variation.kind}", "trial-" + variation.kind.replace(" ", "-")
    folder = trial.context.folder.path / "evidence" / name / "task"
    varied_task = vary(task, variation, folder)
    trial.evidence.append(f"evidence/{name}")
    calls = _vary_calls(trial.calls, variation)
    with trial.context.machine.fresh(task.spec.snapshot) as guest:
        try:
            set_stage(varied_task, guest)
        except StageError as error:
            trial.add(rule, f"not tried: {error}", refused=False)
            return
        idle = score_of(varied_task, guest, trial.context, name)
        results = trial.play(guest, calls)
        score = score_of(varied_task, guest, trial.context, name)
    errors = [result.error for result in results if result.error]
    bugs = [error for error in errors if error.kind == "bug"]
    if bugs:
        trial.add(rule, bugs[0].message)
    elif variation.kind == EMPTY:
        trial.add(rule, errors[0].message if errors else "no error", refused=False)
    elif idle.value == 1:
        trial.add(rule, "not tried: doing nothing scores 1", refused=False)
    elif score.value == 1:
        trial.add(rule, "solved", refused=False)
    else:
        _explain_failure(trial, varied_task, variation, oracle, rule, score.reason)


def _explain_failure(
    trial: DraftTrial,
    varied_task: Task,
    variation: Variation,
    oracle: Sequence[Call],
    rule: str,
    why: str,
) -> None:
    """Refuse the draft, unless the reference solution, varied the same way, fails as well."""
    if not oracle:
        trial.add(rule, f"not solved, with no reference solution to compare with: {why}")
        return
    with trial.context.machine.fresh(varied_task.spec.snapshot) as guest:
        set_stage(varied_task, guest)
        trial.play(guest, _vary_calls(oracle, variation))
        score = score_of(varied_task, guest, trial.context, "trial-reference")
    if score.value == 1:
        trial.add(rule, f"not solved, but the reference solution solves it: {why}")
    else:
        text = f"not counted: the reference solution scores {score.value:g}"
        trial.add(rule, text, refused=False)


def compare_with_gui(trial: DraftTrial) -> None:
    """Reach the goal with the task's GUI oracle in a fresh guest: the collected evidence must be
    the same as with the tool."""
    task = trial.task
    calls = _oracle(task, "gui") if task else []
    if task is None or not calls:
        trial.add("by hand", "no GUI oracle to compare with", refused=False)
        return
    with trial.context.machine.fresh(task.spec.snapshot) as guest:
        set_stage(task, guest)
        for call in calls:
            guest.screenshot(settle=SETTLE)
            guest.call(ToolCall(uuid4().hex, call.call, call.with_))
        guest.screenshot(settle=SETTLE)
        _screenshot(trial, guest, "by-hand")
        score = score_of(task, guest, trial.context, "trial-by-hand")
    if score.value != 1:
        text = f"not compared: the GUI oracle scores {score.value:g}: {score.reason}"
        trial.add("by hand", text, refused=False)
        return
    folder = trial.context.folder.path / "evidence"
    different = differences(
        folder / "trial-source" / "collected", folder / "trial-by-hand" / "collected"
    )
    for difference in different:
        trial.add("by hand", difference)
    if not different:
        trial.add("by hand", "same result", refused=False)


CASES: tuple[tuple[str, Callable[[DraftTrial], None]], ...] = (
    ("its tests", run_tests),
    ("its task", solve_task),
    ("variations of the task", solve_variations),
    ("the app not running", call_without_app),
    ("the same through the GUI", compare_with_gui),
)
"""In order, the most telling first."""


def _oracle(task: Task, by: str) -> Sequence[Call]:
    solutions = [oracle.calls for oracle in task.spec.oracle if oracle.by == by]
    return solutions[0] if solutions else []


def _vary_calls(calls: Sequence[Call], variation: Variation) -> Sequence[Call]:
    return [
        Call.model_validate({"call": call.call, "with": apply_swap(call.with_, variation.swap)})
        for call in calls
    ]


def _paths(arguments: Any) -> set[str]:
    if isinstance(arguments, str):
        return {arguments} if arguments.startswith(("~/", "/")) else set()
    if isinstance(arguments, dict):
        return {path for value in arguments.values() for path in _paths(value)}
    if isinstance(arguments, list):
        return {path for value in arguments for path in _paths(value)}
    return set()


def _screenshot(trial: DraftTrial, guest: Guest, name: str) -> None:
    path = trial.context.folder.put(
        f"pictures/trial-{name}.png", guest.screenshot(settle=SETTLE).png()
    )
    trial.evidence.append(path)
