"""Accuracy, TIR and ACS against numbers computed by hand, corner cases of the paper's definition
included."""

from __future__ import annotations

from typing import Any

import pytest

from ambidex.host import Stop
from ambidex.host.errors import UsageError
from ambidex.host.records.call_counts import CallCount
from ambidex.host.records.rows import InterimVerdict, Row
from ambidex.host.report.metrics import Group, group, rows_at, summarize
from ambidex.host.report.pass_at_k import pass_all, pass_any
from ambidex.mcp_tools import aliases
from tests.support.played import row
from tests.support.served import CATALOGUE


def test_the_three_numbers_of_a_small_run() -> None:
    rows = [
        row("a", beneficial=True, score=1, tool=2, steps=3),  # n_t
        row("b", beneficial=True, score=1, gui=5, steps=6),  # solved, but without a tool
        row("c", beneficial=True, score=0, tool=1, steps=15, stop=Stop.STEP_LIMIT),
        row("d", beneficial=False, score=1, gui=4, steps=5),  # n_g
        row("e", beneficial=False, score=1, tool=1, gui=1, steps=2),  # solved, but with a tool
    ]
    helped, other, both = summarize(rows).groups
    assert (helped.n, helped.solved) == (3, 2)
    assert helped.accuracy == pytest.approx(2 / 3)
    assert helped.tir == pytest.approx(1 / 3)
    assert helped.acs == pytest.approx((3 + 6 + 15) / 3)
    assert (other.accuracy, other.tir, other.acs) == (1.0, 0.5, 3.5)
    assert both.accuracy == pytest.approx(4 / 5)
    assert both.tir == pytest.approx(2 / 5)
    assert both.acs == pytest.approx(31 / 5)


def of(*rows: Row) -> Group:
    return group("all", rows)


def test_partial_credit_is_not_a_success() -> None:
    partial = of(row(beneficial=True, score=0.98, tool=1))
    assert (partial.solved, partial.accuracy, partial.tir, partial.score) == (0, 0.0, 0.0, 0.98)


def test_a_tool_call_that_failed_was_still_invoked() -> None:
    assert of(row(beneficial=True, score=1, tool=1, errors=1)).tir == 1.0
    assert of(row(beneficial=False, score=1, tool=1, errors=1)).tir == 0.0


def test_a_name_that_was_not_offered_is_not_a_tool_call() -> None:
    assert of(row(beneficial=True, score=1, unknown=3)).tir == 0.0
    assert of(row(beneficial=False, score=1, unknown=3)).tir == 1.0


def test_gui_actions_are_not_tool_calls() -> None:
    assert of(row(beneficial=True, score=1, gui=3)).tir == 0.0
    assert of(row(beneficial=False, score=1, gui=3)).tir == 1.0


def test_operating_a_page_by_the_browser_s_tools_is_gui() -> None:
    click = CallCount(tool="browser_click", app="browser", calls=3, errors=0)
    for beneficial in (True, False):
        with_clicks = row(beneficial=beneficial, score=1).model_copy(update={"calls": (click,)})
        assert (with_clicks.tool_calls, with_clicks.gui_calls) == (0, 3)
        assert of(with_clicks).tir == float(not beneficial)


def test_an_infeasible_task_counts_like_any_other() -> None:
    seen = row("x", beneficial=True, score=1, tool=1, feasible=False, stop=Stop.INFEASIBLE)
    missed = row("y", beneficial=False, score=0, feasible=False, steps=15)
    summary = summarize([seen, missed])
    assert (summary.infeasible, summary.recognized) == (2, 1)
    assert summary.groups[2].tir == 0.5
    assert summary.groups[2].acs == 8.0


def test_a_feasible_task_called_infeasible_is_counted() -> None:
    wrong = row(beneficial=True, score=0, stop=Stop.INFEASIBLE)
    assert summarize([wrong]).wrongly_infeasible == 1


def test_void_and_bug_rows_are_counted_but_not_as_trials() -> None:
    rows = [
        row("a", beneficial=True, score=None, fate="void"),
        row("a", beneficial=True, score=1, tool=1, attempt=2, steps=4),
        row("b", beneficial=True, score=None, fate="void"),
        row("c", beneficial=True, score=None, fate="bug"),
    ]
    summary = summarize(rows)
    assert (summary.void, summary.bugs, summary.unscored) == (2, 1, 2)
    assert (summary.groups[0].n, summary.groups[0].accuracy) == (1, 1.0)
    assert summary.groups[0].acs == 4.0


def test_each_trial_of_a_task_counts() -> None:
    three = of(*(row(beneficial=True, score=n % 2, tool=1, trial=n) for n in (1, 2, 3)))
    assert (three.n, three.tasks) == (3, 1)
    assert three.accuracy == pytest.approx(2 / 3)


def test_a_metric_without_trials_is_none() -> None:
    other = summarize([row(beneficial=True, score=1, tool=1)]).groups[1]
    assert (other.n, other.accuracy, other.tir, other.acs) == (0, None, None, None)


def test_without_offered_tools_there_is_no_tir() -> None:
    assert of(row(beneficial=False, score=1, gui=1, condition="gui")).tir is None


def test_the_interval_is_wilson_s() -> None:
    interval = of(*(row(beneficial=True, score=1, trial=n) for n in range(10))).interval
    assert interval
    assert interval == pytest.approx((0.7225, 1.0), abs=1e-3)


def test_a_call_of_any_of_the_158_tools_of_the_reference_counts_by_every_name_it_has() -> None:
    references = aliases.references()
    assert len(references) == 158
    for reference in references.values():
        for name in reference.names:
            tool = CATALOGUE[aliases.resolve(name)]
            call = CallCount(tool=tool.name, app=tool.app, calls=1, errors=0)
            called = row(beneficial=True, score=1).model_copy(update={"calls": [call]})
            assert (group("all", [called]).tir, summarize([called]).tool_calls) == (1, 1), name


def call(tool: str, calls: int = 1, errors: int = 0, repeats: int = 0) -> CallCount:
    app = tool.partition("_")[0]
    return CallCount(tool=tool, app=app, calls=calls, errors=errors, repeats=repeats)


def used(*calls: CallCount, **other: object) -> Row:
    said = {"useful_tools": ("calc_save",), "offered": ("calc_save", "vlc_play")} | other
    return row(beneficial=True, score=1).model_copy(update={"calls": calls, **said})


def test_opportunity_is_a_useful_tool_on_offer_and_only_a_useful_call_takes_it() -> None:
    rows = [
        used(call("calc_save")),  # offered and called
        used(call("vlc_play")),  # offered; another was called
        used(call("computer_click")),  # offered; none was called
        used(call("vlc_play"), offered=("vlc_play",)),  # not offered
    ]
    found = group("all", rows).choice
    assert (found.opportunities, found.taken) == (3, 1)
    assert found.use_given_opportunity == pytest.approx(1 / 3)
    assert (found.tool_trials, found.used, found.use) == (4, 3, 3 / 4)


def test_wasted_calls_are_errors_and_repeats() -> None:
    rows = [
        used(call("calc_save", calls=5, errors=1, repeats=2)),  # 1 + 2
        used(call("vlc_play", calls=3, errors=3)),  # the same error thrice is 3 errors
        used(call("calc_get", calls=4)),
    ]
    found = group("all", rows).choice
    assert (found.tool_calls, found.tool_errors, found.repeats, found.wasted) == (12, 4, 2, 6)
    assert found.tool_error_rate == pytest.approx(4 / 12)
    assert found.wasted_rate == pytest.approx(6 / 12)


def test_a_distractor_is_a_tool_the_task_does_not_name_where_it_names_some() -> None:
    rows = [
        used(call("calc_save", calls=2), call("vlc_play", calls=3), call("computer_click", 9)),
        used(call("vlc_play", calls=7), useful_tools=()),  # names none: no distractors
    ]
    found = group("all", rows).choice
    assert (found.judged_calls, found.distractor_calls) == (5, 3)
    assert found.distractor_rate == pytest.approx(3 / 5)


def test_calls_per_solved_trial_are_those_of_solved_trials() -> None:
    rows = [
        row("a", beneficial=True, score=1, tool=2, gui=1),
        row("b", beneficial=True, score=1, tool=3, gui=3),
        row("c", beneficial=True, score=0, tool=40, gui=50),
    ]
    found = of(*rows).choice
    assert (found.tool_calls_per_solved, found.gui_calls_per_solved) == (5 / 2, 4 / 2)
    assert of(rows[2]).choice.tool_calls_per_solved is None


def test_the_census_includes_tools_that_were_offered_and_never_called() -> None:
    rows = [
        used(call("calc_save", calls=2, errors=1), offered=("calc_save", "vlc_play")),
        used(call("calc_save", calls=3, repeats=1), offered=("calc_save", "code_goto_file")),
    ]
    summary = summarize(rows)
    told = [
        (u.tool, u.app, u.calls, u.errors, u.repeats, u.called_in, u.offered_in)
        for u in summary.census
    ]
    assert told == [
        ("calc_save", "calc", 5, 1, 1, 2, 2),
        ("code_goto_file", "code", 0, 0, 0, 0, 1),
        ("vlc_play", "vlc", 0, 0, 0, 0, 1),
    ]
    assert summary.unused == ("code_goto_file", "vlc_play")


def test_the_numbers_are_split_by_domain_and_by_number_of_useful_tools() -> None:
    rows = [
        used(domain="vlc"),
        used(domain="calc", useful_tools=("a", "b")),
        used(domain="calc").model_copy(update={"score": 0.0}),
    ]
    summary = summarize(rows)
    assert [(g.name, g.n, g.solved) for g in summary.domains] == [("calc", 2, 1), ("vlc", 1, 1)]
    assert [(g.name, g.n, g.solved) for g in summary.useful] == [("1", 2, 1), ("2", 1, 1)]


def test_infeasible_tasks_can_be_left_out() -> None:
    rows = [
        row("a", beneficial=True, score=1),
        row("b", beneficial=True, score=0.5),
        row("c", beneficial=True, score=1, feasible=False, stop=Stop.INFEASIBLE),
    ]
    found = summarize(rows).feasible
    assert (found.n, found.accuracy, found.score) == (2, 1 / 2, (1 + 0.5) / 2)


def test_pass_at_k_of_three_trials_of_which_one_is_solved() -> None:
    # Two of three are drawn: {s,f} {s,f} {f,f}; two of these hold the solved one, none is all.
    assert pass_any(3, 1, 2) == pytest.approx(2 / 3)
    assert pass_all(3, 1, 2) == 0
    assert pass_all(3, 2, 2) == pytest.approx(1 / 3)
    rows = [row("a", beneficial=True, score=n == 1, trial=n) for n in (1, 2, 3)]
    rows += [row("b", beneficial=True, score=1, trial=n) for n in (1, 2)]
    one, two, three = summarize(rows).at_k
    assert (one.tasks, two.tasks) == (2, 2)
    assert one.average == pytest.approx((1 / 3 + 1) / 2)
    assert one.pass_any == pytest.approx(one.average)
    assert one.pass_all == pytest.approx(one.average)
    assert two.pass_any == pytest.approx((2 / 3 + 1) / 2)
    assert two.pass_all == pytest.approx((0 + 1) / 2)
    assert (three.tasks, three.pass_any, three.pass_all) == (1, 1.0, 0.0)


def test_a_cost_that_is_unknown_for_a_trial_is_none() -> None:
    known = row("a", beneficial=True, score=1, cost=0.25, requests=2)
    unknown = row("b", beneficial=True, score=1, cost=None, requests=1)
    unasked = row("c", beneficial=True, score=1, cost=None, requests=0)
    assert summarize([known, unasked]).cost == 0.25
    assert summarize([known, unknown]).cost is None


def test_seconds_that_are_unknown_for_a_trial_are_not_summed() -> None:
    one = row("a", beneficial=True, score=1, seconds={"model": 1.5, "guest": 1.0})
    two = row("b", beneficial=True, score=1, seconds={"model": 2.0})
    assert summarize([one, two]).seconds == {"model": 3.5, "guest": 1.0}
    assert summarize([one, row("c", beneficial=True, score=1)]).seconds == {}


def test_steps_are_counted_for_solved_and_unsolved_trials() -> None:
    steps = [(3, 1), (3, 0), (15, 0), (3, 1)]
    rows = [row(str(n), beneficial=True, score=s, steps=k) for n, (k, s) in enumerate(steps)]
    counts = [(c.steps, c.solved, c.unsolved) for c in summarize(rows).step_counts]
    assert counts == [(3, 2, 1), (15, 0, 1)]


def test_rows_at_a_cap_have_the_interim_verdict_and_no_times() -> None:
    then = InterimVerdict(
        score=0.0,
        reason="not yet",
        stop=Stop.STEP_LIMIT,
        steps=15,
        malformed=0,
        unsettled=0,
        calls=(),
        input_tokens=10,
        output_tokens=1,
        cached_tokens=0,
        cost=0.5,
        requests=15,
        retries=0,
    )
    timed: dict[str, Any] = {"seconds": {"model": 9.0}}
    long = row("a", beneficial=True, score=1, tool=1, steps=30, checkpoints=[then], **timed)
    short = row("b", beneficial=True, score=1, tool=1, steps=4, **timed)
    cut = summarize(rows_at([long, short], 15))
    assert cut.groups[0].acs == (15 + 4) / 2
    assert (cut.groups[0].solved, cut.stops, cut.seconds) == (1, {"step_limit": 1, "done": 1}, {})
    assert summarize([long, short]).groups[0].solved == 2
    with pytest.raises(UsageError, match="was not judged after 20 steps"):
        rows_at([long], 20)


def test_means_per_trial_are_given_by_application_and_for_all_tasks() -> None:
    spent = {"model": 4.0, "guest": 1.0, "settle": 0.5, "harness": 0.5, "judge": 9.0}
    asked: dict[str, Any] = {
        "requests": 2,
        "input_tokens": 100,
        "output_tokens": 20,
        "reasoning_tokens": 8,
    }
    rows = [
        row(
            "a", beneficial=True, score=1, tool=2, domain="files", seconds=spent, cost=0.5, **asked
        ),
        row(
            "b", beneficial=True, score=1, tool=4, domain="forge", seconds=spent, cost=0.1, **asked
        ),
    ]
    files, forge, both = summarize(rows).parts
    assert [part.name for part in (files, forge, both)] == ["files", "forge", "all"]
    assert (files.means.tool_calls, forge.means.tool_calls, both.means.tool_calls) == (2, 4, 3)
    assert (both.means.input_tokens, both.means.reasoning_tokens) == (100, 8)
    assert both.means.cost == pytest.approx(0.3)
    assert both.means.seconds == 6, "judging is not part of the episode"
    assert summarize(rows).reasoning_tokens == 16


def test_what_one_trial_does_not_know_has_no_mean() -> None:
    silent: dict[str, Any] = {"requests": 1, "cost": None, "seconds": {"model": 1.0}}
    found = summarize([row("a", beneficial=True, score=1, **silent)])
    m = found.groups[-1].means
    assert (m.reasoning_tokens, m.cost, m.seconds) == (None, None, None)
    # Without a request there is nothing to know, as in rows of older runs.
    scripted = summarize([row("a", beneficial=True, score=1)])
    assert (scripted.reasoning_tokens, scripted.cost) == (0, 0.0)
