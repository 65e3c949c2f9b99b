"""The verdict on collected evidence: in OSWorld's order, and with its defects repaired."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ambidex.evaluators import Score
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.registry import (
    ENDS,
    BoundMetric,
    UpstreamRaisesError,
    bind_metric,
    metric,
)
from ambidex.host import Stop
from ambidex.host.loop.judge import judge as judged
from ambidex.tasks import Task, TaskError, Verdict
from ambidex.tasks.assets import AssetStore
from ambidex.tasks.osworld.evidence import NAME, Collected, Record, StoredFile
from ambidex.tasks.osworld.getters import parse_getter
from ambidex.tasks.osworld.judging import Conj, Question, combine, judge
from ambidex.tasks.osworld.task import OSWorldBody
from ambidex.tasks.spec import Facts
from tests.support.tables import every_case


def scores(*values: float | str) -> Iterator[Score]:
    """Yield the scores in order; a text fails the test if it is reached."""
    for value in values:
        if isinstance(value, str):
            raise AssertionError(value)
        yield Score(value, f"said {value}")


@every_case(
    ("conj", "given", "value"),
    [
        ("and", (1.0, 1.0), 1.0),
        ("and", (1.0, 0.5), 0.75),
        ("and", (0.0, "asked on"), 0.0),
        ("and", (1.0, 0.0, "asked on"), 0.0),
        ("or", (0.0, 1.0, "asked on"), 1.0),
        ("or", (0.25, 0.5), 0.5),
        ("or", (0.0, 0.0), 0.0),
    ],
)
def test_metrics_are_evaluated_in_order_and_only_as_far_as_needed(
    conj: Conj, given: tuple[float | str, ...], value: float
) -> None:
    assert combine(scores(*given), conj, several=True).value == value


def test_a_single_metric_keeps_its_fraction() -> None:
    assert combine(scores(0.3), "and", several=False).value == 0.3


def test_an_exception_ends_the_evaluation_even_if_a_later_metric_would_pass() -> None:
    reason = iter([Score(0.0, f"{ENDS}: no such key"), Score(1.0, "fine")])
    assert combine(reason, "or", several=True) == Score(0.0, f"{ENDS}: no such key")


@metric(repairs=("Case does not count.",))
def same(result: Value, expected: str, *, strict: bool) -> Score:
    """Equal texts."""
    actual = result.read_text() if isinstance(result, Path) else str(result)
    target = expected.read_text() if isinstance(expected, Path) else expected
    equal = actual.lower() == target.lower() if strict else actual == target
    return Score(float(equal), f"{actual!r} and {target!r}")


@metric()
def breaks(result: Value) -> Score:
    """A metric for which upstream ends in an exception."""
    raise UpstreamRaisesError("a key error")


SAME, BREAKS = BoundMetric(same, {}, ()), BoundMetric(breaks, {}, ())
RULE = parse_getter({"type": "rule", "rules": ""})


def value(reason: str) -> Collected:
    return Collected(getter="rule", state="value", value=reason)


def verdict(
    folder: Path,
    pairs: list[tuple[Collected, Collected]],
    conj: Conj = "and",
    *,
    metrics: tuple[BoundMetric, ...] = (),
    failed_step: str = "",
    store: AssetStore | None = None,
) -> Verdict:
    questions = [
        Question(metrics[index] if metrics else SAME, RULE, RULE) for index in range(len(pairs))
    ]
    record = Record(
        results=tuple(pair[0] for pair in pairs),
        expected=tuple(pair[1] for pair in pairs),
        failed_step=failed_step,
    )
    (folder / NAME).write_text(record.model_dump_json())
    return judge(questions, conj, folder, store or AssetStore(folder / "store"))


def both(verdict_: Verdict) -> tuple[float, float]:
    assert verdict_.strict is not None
    return verdict_.score.value, verdict_.strict.value


def test_both_verdicts_are_given(tmp_path: Path) -> None:
    assert both(verdict(tmp_path, [(value("Hello"), value("hello"))])) == (0.0, 1.0)


def test_the_mean_under_and_differs_between_the_verdicts(tmp_path: Path) -> None:
    pairs = [(value("a"), value("a")), (value("B"), value("b"))]
    assert both(verdict(tmp_path, pairs)) == (0.0, 1.0)
    assert both(verdict(tmp_path, pairs, "or")) == (1.0, 1.0)


def test_a_metric_that_raises_upstream_scores_0_in_compat(tmp_path: Path) -> None:
    pairs = [(value("a"), value("a")), (value("a"), value("a"))]
    verdict_ = verdict(tmp_path, pairs, "or", metrics=(BREAKS, SAME))
    assert verdict_.score.reason == f"{ENDS}: a key error"


def test_a_failed_getter_is_an_exception_upstream(tmp_path: Path) -> None:
    failed = Collected(getter="cache_file", state="failed", said="no step kept out")
    verdict_ = verdict(tmp_path, [(failed, value("")), (value("a"), value("a"))], "or")
    assert verdict_.score.value == 0.0
    assert verdict_.score.reason.startswith(ENDS)
    assert verdict_.strict == Score(1.0, "metric 2: 'a' and 'a'")


def test_a_failed_step_after_the_episode_is_an_exception_upstream(tmp_path: Path) -> None:
    verdict_ = verdict(tmp_path, [(value("a"), value("a"))], failed_step="postconfig[0]")
    assert both(verdict_) == (0.0, 1.0)


def test_missing_evidence_scores_0_with_the_reason(tmp_path: Path) -> None:
    verdict_ = judge([], "and", tmp_path, AssetStore(tmp_path))
    assert verdict_.score == Score(0.0, "nothing was collected: collected.json is missing")
    (tmp_path / NAME).write_text("{}")
    assert "cannot be read" in judge([], "and", tmp_path, AssetStore(tmp_path)).score.reason


def files(stored: StoredFile, *, shadowed: StoredFile | None = None) -> Collected:
    return Collected(
        getter="cloud_file",
        state="files",
        files=(stored,),
        shadowed=None if shadowed is None else (shadowed,),
    )


def test_a_file_of_the_benchmark_comes_from_the_store_by_its_hash(tmp_path: Path) -> None:
    store = AssetStore(tmp_path / "store")
    (tmp_path / "gold").write_text("hello")
    asset = store.keep("https://a.org/gold.txt", tmp_path / "gold")
    (tmp_path / "result-0").mkdir()
    (tmp_path / "result-0" / "a.txt").write_text("hello")
    expected = files(StoredFile(name="expected-0/a.txt", sha256=asset.sha256))
    result = files(StoredFile(name="result-0/a.txt"))
    assert both(verdict(tmp_path, [(result, expected)], store=store)) == (1.0, 1.0)
    store.content(asset.sha256).unlink()
    with pytest.raises(TaskError, match="is not in the store"):
        verdict(tmp_path, [(result, expected)], store=store)


def test_a_file_of_the_same_name_is_compared_with_itself_only_in_compat(tmp_path: Path) -> None:
    store = AssetStore(tmp_path / "store")
    (tmp_path / "gold").write_text("right")
    asset = store.keep("https://a.org/gold.txt", tmp_path / "gold")
    (tmp_path / "result-0").mkdir()
    (tmp_path / "result-0" / "a.txt").write_text("wrong")
    own = StoredFile(name="result-0/a.txt")
    expected = files(StoredFile(name="expected-0/a.txt", sha256=asset.sha256), shadowed=own)
    assert both(verdict(tmp_path, [(files(own), expected)], store=store)) == (1.0, 0.0)


def test_a_path_outside_the_evidence_is_not_followed(tmp_path: Path) -> None:
    from ambidex.evaluators import UnreadableError

    with pytest.raises(UnreadableError, match="points outside"):
        verdict(tmp_path, [(files(StoredFile(name="../secret")), value(""))])


def task(feasible: bool, folder: Path) -> Task:
    facts = Facts(instruction="x", tool_beneficial=False, feasible=feasible)
    same = bind_metric("exact_match", {})
    rules = parse_getter({"type": "rule", "rules": {"expected": "a"}})
    questions = (Question(same, RULE, rules),) if feasible else ()
    return Task("os-x", "", facts, OSWorldBody((), (), questions, "and", AssetStore(folder)))


@pytest.mark.parametrize(
    ("feasible", "stop", "value"),
    [
        (False, Stop.INFEASIBLE, 1.0),
        (False, Stop.DONE, 0.0),
        (False, Stop.STEP_LIMIT, 0.0),
        (True, Stop.INFEASIBLE, 0.0),
        (True, Stop.DONE, 1.0),
        (True, Stop.STEP_LIMIT, 1.0),
    ],
)
def test_infeasible_is_declared_by_the_agent_itself(
    tmp_path: Path, feasible: bool, stop: Stop, value: float
) -> None:
    reason = {"getter": "rule", "state": "value", "value": "a"}
    rules = reason | {"value": {"expected": "a"}}
    (tmp_path / NAME).write_text(json.dumps({"results": [reason], "expected": [rules]}))
    assert judged(task(feasible, tmp_path), tmp_path, stop).score.value == value
