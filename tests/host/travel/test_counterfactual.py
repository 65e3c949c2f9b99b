"""Counterfactual runs at decisions whose outcome is known beforehand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ambidex.host import Limits
from ambidex.host.errors import UsageError
from ambidex.host.records.config import Branch, ModalityScope
from ambidex.host.report.statistics import repeats
from ambidex.host.report.text_report import lines
from ambidex.host.travel.counterfactual import compare, decisions, records, regrets
from ambidex.host.travel.forks import BranchOptions, fork_of
from ambidex.host.travel.pivot import Pivot, Probe, pivot
from ambidex.host.travel.regret import ComparedDecision, Outcome, Ratio, regret
from tests.support.peer import CATALOGUE
from tests.support.tables import every_case
from tests.support.travel import Toy, on_peers, recorded, suite_in


def tried(
    tmp_path: Path, agent: Toy, lasting: ModalityScope = "once", condition: str = "hybrid"
) -> list[ComparedDecision]:
    """A counterfactual run over every decision of an episode of this agent."""
    run = tmp_path / "run"
    recorded(run, suite_in(tmp_path / "suite"), agent, condition=condition)
    chosen = decisions(run)
    play = on_peers(agent)
    return compare(run, chosen, 1, lasting, CATALOGUE, tmp_path / "both", play)


@pytest.fixture(scope="module")
def slow_start(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[ComparedDecision]]:
    """Three clicks for A1, where one call would do; then a call each for B1, C1 and D1."""
    folder = tmp_path_factory.mktemp("slow")
    return folder, tried(folder, Toy(by_hand=frozenset({"A1"})))


def test_a_mistake_in_one_modality_is_the_whole_regret(tmp_path: Path) -> None:
    # A1 and B1 by tools, then C1 by a click beside its button, then D1 by a tool.
    compared = tried(tmp_path, Toy(by_hand=frozenset({"C1"}), slips={"C1": "gui"}))
    assert [(decision.step, decision.used, decision.better) for decision in compared] == [
        (1, "tools", None),
        (2, "tools", None),
        (3, "gui", "tools"),
        (4, "tools", None),
    ]
    total = regrets(compared)[-1]
    assert (total.decisions, total.tasks) == (4, 1)
    assert (total.oracle_tir.value, total.oracle_tir.over) == (0.0, 1)
    assert (total.over_use.value, total.under_use.value) == (0.0, 1.0)
    assert total.success.value == 1 / 4
    assert (total.steps.value, total.steps.over) == (None, 0), "no hand but one ever led to success"


def test_the_cost_of_the_slower_modality_is_counted_in_steps_and_dollars(
    slow_start: tuple[Path, list[ComparedDecision]],
) -> None:
    _, compared = slow_start
    assert [
        (decision.used, decision.gui.steps, decision.tools.steps, decision.better)
        for decision in compared
    ] == [
        ("gui", 7, 5, "tools"),
        ("gui", 7, 6, "tools"),
        ("gui", 7, 7, None),
        ("tools", 8, 7, "tools"),
        ("tools", 7, 7, None),
        ("tools", 7, 7, None),
    ]
    total = regrets(compared)[-1]
    assert (total.oracle_tir.value, total.oracle_tir.over) == (1 / 3, 3)
    assert (total.over_use.value, total.under_use.value) == (0.0, 2 / 3)
    assert total.success.value == 0.0
    assert (total.steps.value, total.steps.over) == ((2 + 1) / 6, 6)
    assert total.cost.value == pytest.approx((1.0 + 0.5) / 6), "half a dollar a step"


def test_a_modality_forced_for_the_rest_is_on_offer_until_the_end(tmp_path: Path) -> None:
    compared = tried(tmp_path, Toy(by_hand=frozenset({"A1"})), lasting="rest")
    assert [(decision.gui.steps, decision.tools.steps) for decision in compared] == [
        (8, 5), (8, 6), (8, 7), (8, 7), (7, 7), (7, 7),
    ]  # fmt: skip


def test_the_branches_are_two_runs_that_a_report_compares(
    slow_start: tuple[Path, list[ComparedDecision]],
) -> None:
    folder, _ = slow_start
    report_lines = lines([folder / "both"])
    assert [(line.run.name, line.planned, len(line.rows)) for line in report_lines] == [
        ("gui", 6, 6),
        ("tools", 6, 6),
    ]
    assert {row.parent.hand for row in report_lines[0].rows if row.parent} == {"gui"}
    assert [each.k for each in report_lines[0].summary.at_k] == [1], (
        "branches of six steps, not repeats"
    )
    [*_, every] = repeats(report_lines[0].rows, report_lines[0].tasks)
    assert (every.begun, every.complete, every.acs.values) == (1, 1, ((7 + 7 + 7 + 8 + 7 + 7) / 6,))


def test_decisions_are_steps_with_both_modalities_on_offer_and_one_used(tmp_path: Path) -> None:
    run = tmp_path / "run"
    recorded(run, suite_in(tmp_path / "suite"), Toy())
    assert [decision.step for decision in decisions(run)] == [1, 2, 3, 4], "5 says that it is done"
    assert [decision.step for decision in decisions(run, most=2)] == [1, 4]
    assert [decision.step for decision in decisions(run, most=3)] == [1, 3, 4]
    assert [decision.step for decision in decisions(run, steps=(3, 9))] == [3]
    with pytest.raises(UsageError, match="no matching decision"):
        decisions(run, tasks=("other",))


def test_a_run_with_one_modality_has_no_decisions_to_compare(tmp_path: Path) -> None:
    run = tmp_path / "run"
    recorded(run, suite_in(tmp_path / "suite"), Toy(), condition="gui")
    with pytest.raises(UsageError, match="one modality only"):
        decisions(run)


def test_a_record_of_a_decision_leaves_unknown_values_empty(tmp_path: Path) -> None:
    compared = tried(tmp_path, Toy(by_hand=frozenset({"C1"}), slips={"C1": "gui"}))
    by_step = {record["step"]: record for record in records(tmp_path / "run", compared)}
    assert (by_step[3]["better"], by_step[3]["success_lost"], by_step[3]["steps_lost"]) == (
        "tools",
        1.0,
        None,
    )
    unknown = replace(compared[0], gui=Outcome(0, 0.0, 0.0, 0.0, None))
    [told] = records(tmp_path / "run", [unknown])
    assert (told["better"], told["success_lost"]) == (None, None)
    assert regret("all", [unknown]).decisions == 0


def decided(
    task: str, used: str, gui: tuple[float, float], tools: tuple[float, float]
) -> ComparedDecision:
    def came(success: float, steps: float) -> Outcome:
        return Outcome(4, success, steps, 10 * steps, None)

    return ComparedDecision(f"{task}.1", task, True, 1, used, came(*gui), came(*tools))  # type: ignore[arg-type]


def test_the_better_modality_succeeds_more_often_or_else_sooner() -> None:
    assert decided("a", "gui", (0.5, 1), (0.25, 1)).better == "gui"
    assert decided("a", "gui", (0.5, 9), (0.5, 8)).better == "tools"
    assert decided("a", "gui", (0.5, 8), (0.5, 8)).better is None
    assert decided("a", "gui", (0.0, 9), (0.0, 2)).better is None, "failing sooner is not better"


def test_over_use_is_a_tool_where_the_gui_was_better() -> None:
    compared = [
        decided("a", "tools", (1.0, 5), (0.5, 3)),  # over-use, half a success
        decided("a", "tools", (1.0, 5), (1.0, 9)),  # over-use, four steps
        decided("b", "tools", (0.0, 5), (0.5, 9)),  # right
        decided("c", "gui", (0.5, 5), (0.5, 4)),  # under-use, one step
        decided("c", "gui", (0.0, 5), (0.0, 4)),  # no better modality
    ]
    total = regret("all", compared)
    assert (total.decisions, total.tasks) == (5, 3)
    assert (total.over_use.value, total.over_use.over) == (2 / 4, 4)
    assert (total.oracle_tir.value, total.under_use.value) == (1 / 4, 1 / 4)
    assert total.success.value == 0.5 / 5
    assert (total.steps.value, total.steps.over) == ((4 + 1) / 2, 2)
    assert total.seconds.value == (40 + 10) / 2
    assert total.cost == Ratio(None, 2, None), "what is not known of one is not known of all"


def test_intervals_draw_whole_tasks() -> None:
    same = [decided(task, "gui", (0.0, 1), (1.0, 1)) for task in "abcd" for _ in range(3)]
    assert regret("all", same).success.interval == (1.0, 1.0)
    half = [decided(t, "gui", (0.0, 1), (float(t in "ab"), 1)) for t in "abcd" for _ in range(9)]
    low, high = regret("all", half).success.interval or (0, 0)
    assert (low, high) == (0.0, 1.0), "four tasks, not thirty-six decisions"
    assert regret("all", half[:9]).success.interval is None, "one task says nothing of others"


def test_bisection_finds_the_planted_mistake(tmp_path: Path) -> None:
    run = tmp_path / "run"
    parent = run / recorded(run, suite_in(tmp_path / "suite"), Toy(slips={"C1": "tools"})).folder
    play, able = on_peers(Toy()), BranchOptions()

    def go_on(step: int) -> Probe:
        request = fork_of(run, [Branch(trial=parent.name, step=step)], 2, CATALOGUE, able)
        rows = play(request, tmp_path / "pivot" / str(step))
        return Probe(step, sum(row.success for row in rows), len(rows))

    result = pivot([1, 2, 3, 4, 5], go_on)
    assert (result.last, result.lost) == (3, 4), "C1 is set, wrongly, in step 3"
    assert [(probe.step, probe.solved) for probe in result.probes] == [
        (1, 2),
        (5, 0),
        (3, 2),
        (4, 0),
    ]


def test_forking_before_the_mistake_with_the_tool_on_offer_succeeds(tmp_path: Path) -> None:
    clumsy, run = Toy(slips={"C1": "gui"}), tmp_path / "run"
    parent = recorded(run, suite_in(tmp_path / "suite"), clumsy, condition="gui")
    assert (parent.score, parent.steps) == (0.0, 8), "A1 thrice, B1 twice, C1 in step 6"
    branch = [Branch(trial=parent.folder, step=6)]
    for condition, score in (("gui", 0.0), ("hybrid", 1.0)):
        onward = BranchOptions(condition=condition)  # type: ignore[arg-type]
        request = fork_of(run, branch, 1, CATALOGUE, onward)
        [row] = on_peers(clumsy)(request, tmp_path / condition)
        assert row.score == score


@every_case("mistake", range(1, 12))
def test_a_pivot_needs_few_probes(mistake: int) -> None:
    result = pivot(range(1, 11), lambda step: Probe(step, int(step <= mistake), 1))
    assert len(result.probes) <= 6
    assert result.last == min(mistake, 10)
    assert result.lost == (mistake + 1 if mistake < 10 else None)


def test_where_nothing_helps_the_pivot_says_so_after_one_probe() -> None:
    assert pivot([1, 2], lambda step: Probe(step, 0, 3)) == Pivot((Probe(1, 0, 3),), None, 1)


@pytest.mark.parametrize(
    ("step", "onward", "said"),
    [
        (9, BranchOptions(), "no checkpoint before step 9"),
        (3, BranchOptions(steps=2), "a limit of 2 steps ends before step 3"),
        (3, BranchOptions(dialect="paper"), "functions cannot be read in paper"),
        (
            3,
            BranchOptions(agent="planner"),
            "the agent planner cannot take over the history of model",
        ),
        (
            3,
            BranchOptions(agent="says_done", model="other"),
            "the agent says_done does not use a model",
        ),
    ],
)
def test_an_impossible_fork_is_refused_before_any_machine(
    tmp_path: Path, step: int, onward: BranchOptions, said: str
) -> None:
    run = tmp_path / "run"
    recorded(run, suite_in(tmp_path / "suite"), Toy(), limits=Limits(steps=12))
    with pytest.raises(UsageError, match=said):
        fork_of(run, [Branch(trial="row.1", step=step)], 1, CATALOGUE, onward)


def test_at_the_first_step_any_model_can_be_used(tmp_path: Path) -> None:
    run = tmp_path / "run"
    recorded(run, suite_in(tmp_path / "suite"), Toy())
    onward = BranchOptions(model="other", dialect="paper", hint="Take care.")
    request = fork_of(run, [Branch(trial="row.1", step=1)], 3, CATALOGUE, onward)
    assert request.model is not None
    assert (request.model.name, request.model.dialect) == ("other", "paper")
    assert request.fork is not None
    assert request.fork.hint == "Take care."
    assert [job.trial for job in request.jobs] == [1, 2, 3]


def test_a_fork_of_a_changed_task_is_refused(tmp_path: Path) -> None:
    run, suite = tmp_path / "run", suite_in(tmp_path / "suite")
    recorded(run, suite, Toy())
    path = suite.folder / "row" / "task.toml"
    path.write_text(path.read_text().replace("A1 = 3", "A1 = 4"))
    with pytest.raises(UsageError, match=r"has changed since row\.1 was recorded"):
        fork_of(run, [Branch(trial="row.1", step=2)], 1, CATALOGUE)
