"""Trial: a draft at work in guests, each reverted first: its tests, its task, the task varied,
wrong calls, the app not running, and the same goal by hand on another machine.

What it does is judged by the task's evaluators and by two surveys of the machine, never by what it
says of itself.
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
from ambidex.toolgen.guests import Answered, Fault, Said, ask_draft
from ambidex.toolgen.stages.context import Ended, Shop, task_of
from ambidex.toolgen.stages.side_effects import outside
from ambidex.toolgen.stages.solve import SETTLE, score_of
from ambidex.toolgen.stages.variations import EMPTY, Variation, swapped, variations, varied
from ambidex.toolgen.stages.wrap import CALLS
from ambidex.toolgen.stages.wrong_calls import wrong_calls

__all__ = ["trial"]

LISTED = 40
"""Changes that are told of one case."""


@dataclass
class Trying:
    """One draft under trial, and what was found."""

    shop: Shop
    task: Task | None
    number: int
    tool: str
    test: str
    calls: list[Call]
    findings: list[Finding] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)
    described: dict[str, Any] = field(default_factory=dict)
    """Of the draft's tool, as the guest describes it."""

    def found(self, rule: str, text: str, *, refused: bool = True) -> None:
        """Keep a finding; the same one is kept once."""
        finding = Finding(0, rule, text, refused)
        if finding not in self.findings:
            self.findings.append(finding)

    @property
    def refused(self) -> bool:
        """Whether it failed already."""
        return any(each.refused for each in self.findings)

    @cached_property
    def home_paths(self) -> frozenset[str]:
        """Files that the case is about."""
        named = {each for call in self.calls for each in _paths(call.with_)}
        if self.task:
            named |= {verb.to for verb in verbs_of(self.task).spec.setup if isinstance(verb, Put)}
            named |= {
                verb.get for verb in verbs_of(self.task).spec.collect if isinstance(verb, Get)
            }
        return frozenset(named)

    def ask(self, guest: Guest, calls: Sequence[Any] = (), test: str = "") -> Answered:
        """The draft in that guest; what it reached for is found."""
        answered = ask_draft(guest, self.shop.candidate.app, self.tool, calls, test)
        for mark in answered.marks:
            self.found(mark.rule, f"it reached for {mark.what}")
        if answered.load:
            self.found("loads", f"{answered.load.code}: {answered.load.message}")
        for tool in answered.tools:
            self.described = tool
        return answered

    def play(self, guest: Guest, calls: Sequence[Call]) -> list[Said]:
        """Calls in order: the draft's own through the runner, others as an agent makes them."""
        said: list[Said] = []
        for call in calls:
            if call.call in self.shop.catalogue:
                result = guest.call(ToolCall(uuid4().hex, call.call, call.with_))
                fault = Fault(kind="tool", code=result.error, message=result.text)
                said.append(Said(value=result.value, error=fault if result.error else None))
            else:
                answered = self.ask(guest, [{"call": call.call, "with": call.with_}])
                said += answered.calls or [Said(error=answered.load)]
        return said


def trial(shop: Shop) -> Ended:
    """All cases in order; after a case that refuses the draft, those that follow are left out, and
    said to be."""
    draft = shop.folder.latest()
    assert draft is not None
    tool, test = shop.folder.text(draft.n)
    calls = [Call.model_validate(each) for each in shop.folder.beside(draft.n, CALLS)]
    trying = Trying(shop, task_of(shop.candidate, shop.catalogue), draft.n, tool, test, calls)
    left: list[str] = []
    for name, case in CASES:
        if trying.refused:
            left.append(name)
            continue
        shop.say(f"{shop.candidate.name}: trial: {name}")
        case(trying)
    if left:
        trying.found("left out", ", ".join(left), refused=False)
    refused = [each for each in trying.findings if each.refused]
    findings, evidence = tuple(trying.findings), tuple(trying.evidence)
    if refused:
        return Ended(Outcome.FAILED, f"{refused[0].rule}: {refused[0].text}", findings, evidence)
    return Ended(Outcome.PASSED, f"{len(CASES)} cases", findings, evidence)


def its_tests(trying: Trying) -> None:
    """Its own tests, in the guest."""
    with trying.shop.workplace.fresh() as guest:
        answered = trying.ask(guest, test=trying.test)
    if not answered.tests and not answered.load:
        trying.found("tests", "there is none")
    for each in answered.tests:
        if not each.passed:
            trying.found("tests", f"{each.name}: {each.why.strip()[-600:]}")
    count = sum(each.passed for each in answered.tests)
    trying.found("tests", f"{count} of {len(answered.tests)} passed", refused=False)


def its_task(trying: Trying) -> None:
    """The task that it was made from; then once more, then wrongly; and what else changed."""
    task, shop = trying.task, trying.shop
    if task is None:
        trying.found("no task", "no task: neither it nor variations were tried", refused=False)
        return
    with shop.workplace.fresh(task.spec.snapshot) as guest:
        set_stage(task, guest)
        _pictured(trying, guest, "before")
        before = survey(guest, LASTING)
        said = trying.play(guest, trying.calls)
        _pictured(trying, guest, "after")
        score = score_of(task, guest, shop, "trial-source")
        trying.evidence.append("evidence/trial-source/collected")
        after = survey(guest, LASTING)
        for call, each in zip(trying.calls, said, strict=True):
            if each.error:
                trying.found("task", f"{call.call}: {each.error.code}: {each.error.message}")
        if score.value != 1:
            trying.found("task", f"the evaluator says {score.value:g}: {score.reason}")
        found = changes(before, after)
        home = guest.home
        for change in found[:LISTED]:
            trying.found("changed", str(change), refused=False)
        for change in outside(found, shop.candidate.app, trying.home_paths, home)[:LISTED]:
            trying.found("else changed", str(change))
        if not trying.refused:
            _again(trying, guest)
            _wrongly(trying, guest)


def _again(trying: Trying, guest: Guest) -> None:
    for call, each in zip(trying.calls, trying.play(guest, trying.calls), strict=True):
        if each.error and each.error.kind == "bug":
            trying.found("twice", f"{call.call}, a second time: {each.error.message}")
        elif each.error:
            trying.found("twice", f"{call.call}: {each.error.message}", refused=False)


def _wrongly(trying: Trying, guest: Guest) -> None:
    name = str(trying.described.get("name", ""))
    right = next((call.with_ for call in trying.calls if call.call == name), {})
    wrong = list(wrong_calls(trying.described.get("parameters", {}), right))
    answered = trying.ask(guest, [{"call": name, "with": each.arguments} for each in wrong])
    for each, said in zip(wrong, answered.calls, strict=False):
        if said.error and said.error.kind == "bug":
            trying.found("bad arguments", f"{each.what}: {said.error.message}")
        elif not said.error and each.must_be_refused:
            trying.found("bad arguments", f"{each.what} is not refused")
    if len(answered.calls) < len(wrong):
        trying.found("bad arguments", "not all of them were answered")


def not_running(trying: Trying) -> None:
    """Its call where nothing is open: it may start its app or refuse, and must say so."""
    with trying.shop.workplace.fresh() as guest:
        for call, each in zip(trying.calls, trying.play(guest, trying.calls), strict=True):
            if each.error and each.error.kind == "bug":
                trying.found("app not running", f"{call.call}: {each.error.message}")
            elif each.error:
                said = f"{call.call}: {each.error.message}"
                trying.found("app not running", said, refused=False)


def varied_tasks(trying: Trying) -> None:
    """The task in every variation that fits it."""
    if trying.task is None:
        return
    oracle = _oracle(trying.task, "tools")
    solution = oracle or trying.calls
    for each in variations(trying.task, solution):
        _vary(trying, trying.task, each, oracle)


def _vary(trying: Trying, task: Task, variation: Variation, oracle: list[Call]) -> None:
    rule, kept = f"varied: {variation.kind}", "trial-" + variation.kind.replace(" ", "-")
    folder = trying.shop.folder.path / "evidence" / kept / "task"
    other = varied(task, variation, folder)
    trying.evidence.append(f"evidence/{kept}")
    calls = _swapped(trying.calls, variation)
    with trying.shop.workplace.fresh(task.spec.snapshot) as guest:
        try:
            set_stage(other, guest)
        except StageError as error:
            trying.found(rule, f"not tried: {error}", refused=False)
            return
        idle = score_of(other, guest, trying.shop, kept)
        said = trying.play(guest, calls)
        score = score_of(other, guest, trying.shop, kept)
    bugs = [each.error for each in said if each.error and each.error.kind == "bug"]
    if bugs:
        trying.found(rule, bugs[0].message)
    elif variation.kind == EMPTY:
        told = next((each.error.message for each in said if each.error), "it says nothing")
        trying.found(rule, told, refused=False)
    elif idle.value == 1:
        trying.found(rule, "not tried: doing nothing scores 1", refused=False)
    elif score.value == 1:
        trying.found(rule, "solved", refused=False)
    else:
        _blame(trying, other, variation, oracle, rule, score.reason)


def _blame(
    trying: Trying, other: Task, variation: Variation, oracle: list[Call], rule: str, why: str
) -> None:
    """The draft's fault only where the reference solution, varied the same way, still solves it."""
    if not oracle:
        trying.found(rule, f"not solved, and no reference solution says whether it can be: {why}")
        return
    with trying.shop.workplace.fresh(other.spec.snapshot) as guest:
        set_stage(other, guest)
        trying.play(guest, _swapped(oracle, variation))
        score = score_of(other, guest, trying.shop, "trial-reference")
    if score.value == 1:
        trying.found(rule, f"not solved, where the reference solution solves it: {why}")
    else:
        trying.found(rule, f"not counted: the reference scores {score.value:g}", refused=False)


def by_hand(trying: Trying) -> None:
    """The same goal by the task's recorded GUI sequence, on another machine: it must leave the
    same."""
    task = trying.task
    calls = _oracle(task, "gui") if task else []
    if task is None or not calls:
        trying.found("by hand", "no GUI sequence to compare with", refused=False)
        return
    with trying.shop.workplace.fresh(task.spec.snapshot) as guest:
        set_stage(task, guest)
        for call in calls:
            guest.screenshot(settle=SETTLE)
            guest.call(ToolCall(uuid4().hex, call.call, call.with_))
        guest.screenshot(settle=SETTLE)
        _pictured(trying, guest, "by-hand")
        score = score_of(task, guest, trying.shop, "trial-by-hand")
    if score.value != 1:
        said = f"not compared: the GUI sequence scores {score.value:g}: {score.reason}"
        trying.found("by hand", said, refused=False)
        return
    folder = trying.shop.folder.path / "evidence"
    found = differences(
        folder / "trial-source" / "collected", folder / "trial-by-hand" / "collected"
    )
    for each in found:
        trying.found("by hand", each)
    if not found:
        trying.found("by hand", "leaves the same", refused=False)


CASES: tuple[tuple[str, Callable[[Trying], None]], ...] = (
    ("its tests", its_tests),
    ("its task", its_task),
    ("the task varied", varied_tasks),
    ("the app not running", not_running),
    ("the same by hand", by_hand),
)
"""In their order, what tells most first."""


def _oracle(task: Task, by: str) -> list[Call]:
    found = [oracle.calls for oracle in task.spec.oracle if oracle.by == by]
    return found[0] if found else []


def _swapped(calls: Sequence[Call], variation: Variation) -> list[Call]:
    return [
        Call.model_validate({"call": call.call, "with": swapped(call.with_, variation.swap)})
        for call in calls
    ]


def _paths(said: Any) -> set[str]:
    if isinstance(said, str):
        return {said} if said.startswith(("~/", "/")) else set()
    if isinstance(said, dict):
        return {path for value in said.values() for path in _paths(value)}
    if isinstance(said, list):
        return {path for value in said for path in _paths(value)}
    return set()


def _pictured(trying: Trying, guest: Guest, name: str) -> None:
    path = trying.shop.folder.put(
        f"pictures/trial-{name}.png", guest.screenshot(settle=SETTLE).png()
    )
    trying.evidence.append(path)
