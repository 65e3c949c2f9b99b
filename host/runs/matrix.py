"""How often each evaluator is wrong, over everything that is known to be right or wrong: oracles
and accepted variants, near misses, null agents, and mutated evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ambidex.host import Stop
from ambidex.host.errors import UsageError
from ambidex.host.loop.judge import judge_check
from ambidex.host.records.rows import Row, finished, read_rows
from ambidex.host.runs.mutations import mutations
from ambidex.host.runs.null import NullRun, is_null_agent
from ambidex.host.runs.prove import jobs, verdicts
from ambidex.tasks import Suite, Task, Verbs
from ambidex.tasks.osworld.task import OSWorldBody

__all__ = ["INFEASIBLE", "EvaluatorQuality", "WrongVerdict", "matrix"]

INFEASIBLE = "called infeasible"
"""Stands for an evaluator where the way the episode ended is the verdict."""
PROGRAM = "verification program"


@dataclass(frozen=True)
class WrongVerdict:
    """A wrong verdict."""

    task: str
    evaluator: str
    played: str
    """The agent, or what the evidence was mutated from and how."""
    reason: str
    right: bool
    """Whether the end state was right, so that this is a false fail."""


@dataclass
class EvaluatorQuality:
    """The verdicts of one evaluator, counted."""

    name: str
    checks: int = 0
    """Checks of the suite that use it."""
    right: int = 0
    """Its verdicts on end states that are right: of oracles and accepted variants."""
    false_fails: int = 0
    wrong: Counter[str] = field(default_factory=Counter)
    """End states that are wrong, of tasks that use it, by kind: `near miss`, `null agent`, and the
    kinds of mutations."""
    false_passes: Counter[str] = field(default_factory=Counter)
    """Those of them that passed: near misses and null agents, if the whole task passed, since not
    every check need see every mistake; mutated evidence, if this check passed."""
    refused: int = 0
    """Near misses and null agents that this evaluator itself refused."""

    @property
    def n_wrong(self) -> int:
        """Wrong end states of all kinds."""
        return sum(self.wrong.values())

    @property
    def false_pass_rate(self) -> float | None:
        """Share of the wrong end states that passed; None if there are none."""
        return sum(self.false_passes.values()) / self.n_wrong if self.n_wrong else None

    @property
    def false_fail_rate(self) -> float | None:
        """Share of the right end states that failed; None if there are none."""
        return self.false_fails / self.right if self.right else None


@dataclass(frozen=True)
class EndState:
    """A scored trial whose end state is known to be right or wrong."""

    task: Task
    row: Row
    folder: Path
    kind: str
    """`oracle`, `near miss` or `null agent`."""

    @property
    def evidence(self) -> Path:
        """What its check reads."""
        return self.folder / "evidence"


def matrix(
    suite: Suite, proof: Path, null: NullRun | None = None
) -> tuple[tuple[EvaluatorQuality, ...], tuple[WrongVerdict, ...]]:
    """The quality of each evaluator of a suite, by name, and every wrong verdict. Judges the stored
    evidence of a proof, of the null agents and of mutations again. `UsageError` if a trial was of
    another version of its task, or if its evidence is missing."""
    states = list(_states(suite, proof, null))
    by_name: dict[str, EvaluatorQuality] = {}
    wrong: list[WrongVerdict] = []
    for task in suite.tasks:
        for name in evaluators_of(task):
            by_name.setdefault(name, EvaluatorQuality(name)).checks += 1
    for state in states:
        untouched = next((s for s in states if s.task is state.task and _did_nothing(s)), None)
        wrong += _count(state, untouched, by_name)
    return tuple(by_name[name] for name in sorted(by_name)), tuple(wrong)


def evaluators_of(task: Task) -> tuple[str, ...]:
    """The name of the evaluator of each check."""
    if not task.spec.feasible:
        return (INFEASIBLE,)
    match task.body:
        case Verbs() as body:
            return tuple(check.use for check in body.spec.check)
        case OSWorldBody() as body:
            return tuple(question.metric.metric.name for question in body.questions)
        case _:
            return (PROGRAM,)


def _states(suite: Suite, proof: Path, null: NullRun | None) -> Iterator[EndState]:
    tasks = {task.name: task for task in suite.tasks}
    for claim in verdicts(suite, read_rows(proof), jobs(suite, every_instance=True)):
        if claim.row is not None and not is_null_agent(claim.job.agent):
            kind = "oracle" if claim.job.agent.startswith("oracle") else "near miss"
            yield _state(tasks[claim.job.task], claim.row, proof, kind)
    nulls: dict[tuple[str, str], EndState] = {}
    sources: list[tuple[Path, Sequence[Row]]] = [(proof, read_rows(proof))]
    sources += [(null.folder, null.rows)] if null else []
    for folder, rows in sources:
        for row in finished(rows).values():
            if is_null_agent(row.agent) and row.task in tasks:
                key = (row.task, f"{row.agent} {row.trial}")
                nulls[key] = _state(tasks[row.task], row, folder, "null agent")
    yield from nulls.values()


def _state(task: Task, row: Row, run: Path, kind: str) -> EndState:
    if row.task_hash != task.hash:
        raise UsageError(
            f"{run} has another version of {task.name}", hint="Prove the suite as it is now."
        )
    state = EndState(task.at_instance(row.instance), row, run / row.folder, kind)
    if row.stop is not None and not state.evidence.is_dir():
        raise UsageError(f"the evidence is missing: {state.evidence}")
    return state


def _did_nothing(state: EndState) -> bool:
    return state.kind == "null agent" and not state.row.calls and state.row.stop is Stop.DONE


def _count(
    state: EndState, untouched: EndState | None, by_name: dict[str, EvaluatorQuality]
) -> Iterator[WrongVerdict]:
    """Add the verdicts on one end state, and on its mutations, to the evaluators."""
    task, row, right = state.task, state.row, state.kind == "oracle"
    if state.kind == "null agent" and not task.spec.feasible and row.stop is Stop.INFEASIBLE:
        return  # it is right, and says nothing about a check
    if task.spec.feasible and (row.stop is Stop.INFEASIBLE or row.stop is None):
        return  # no check was asked
    if not isinstance(task.body, Verbs) or not task.spec.feasible:
        for name in set(evaluators_of(task)):
            quality = by_name[name]
            quality.right += right
            quality.false_fails += right and not row.success
            if not right:
                quality.wrong[state.kind] += 1
                quality.false_passes[state.kind] += row.success
                quality.refused += not row.success
            if row.success is not right:
                yield WrongVerdict(task.name, name, row.agent, row.reason, right)
        return
    body = task.body
    scores = [judge_check(check, state.evidence, body.folder) for check in body.checks]
    passed = all(score.value >= 1 for score in scores)
    for check, bound, score in zip(body.spec.check, body.checks, scores, strict=True):
        quality = by_name[check.use]
        if not right:
            quality.wrong[state.kind] += 1
            quality.false_passes[state.kind] += passed
            quality.refused += score.value < 1
            if passed:
                yield WrongVerdict(task.name, check.use, row.agent, score.reason, False)
            continue
        quality.right += 1
        if score.value < 1:
            quality.false_fails += 1
            yield WrongVerdict(task.name, check.use, row.agent, score.reason, True)
            continue
        nothing = untouched.evidence if untouched else None
        if nothing and judge_check(bound, nothing, body.folder).value >= 1:
            nothing = None
        for mutation in mutations(check, bound, body.folder, state.evidence, nothing):
            with mutation.applied(state.evidence) as evidence:
                mutated = judge_check(mutation.check, evidence, body.folder)
            quality.wrong[mutation.kind] += 1
            if mutated.value >= 1:
                quality.false_passes[mutation.kind] += 1
                played = f"{row.agent}, {mutation.kind} {mutation.what}"
                yield WrongVerdict(task.name, check.use, played, mutated.reason, False)
