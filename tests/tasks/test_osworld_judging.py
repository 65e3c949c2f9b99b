"""The verdict on collected evidence: in OSWorld's order, and with its defects mended."""

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
from ambidex.tasks.osworld.assets import AssetStore
from ambidex.tasks.osworld.evidence import NAME, Collected, Record, StoredFile
from ambidex.tasks.osworld.getters import parse_getter
from ambidex.tasks.osworld.judging import Conj, Question, combine, judge
from ambidex.tasks.osworld.task import OSWorldBody
from ambidex.tasks.spec import Facts


def scores(*values: float | str) -> Iterator[Score]:
    """Scores one after the other; a text says that nobody may ask so far."""
    for value in values:
        if isinstance(value, str):
            raise AssertionError(value)
        yield Score(value, f"said {value}")


@pytest.mark.parametrize(
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
def test_questions_are_asked_in_order_and_no_further_than_it_takes(
    conj: Conj, given: tuple[float | str, ...], value: float
) -> None:
    assert combine(scores(*given), conj, several=True).value == value


def test_one_question_alone_keeps_its_fraction() -> None:
    assert combine(scores(0.3), "and", several=False).value == 0.3


def test_an_exception_ends_it_even_where_another_answer_would_do() -> None:
    said = iter([Score(0.0, f"{ENDS}: no such key"), Score(1.0, "fine")])
    assert combine(said, "or", several=True) == Score(0.0, f"{ENDS}: no such key")


@metric(repairs=("Case does not count.",))
def same(result: Value, expected: str, *, strict: bool) -> Score:
    """Equal texts."""
    seen = result.read_text() if isinstance(result, Path) else str(result)
    wanted = expected.read_text() if isinstance(expected, Path) else expected  # type: ignore[unreachable]
    equal = seen.lower() == wanted.lower() if strict else seen == wanted
    return Score(float(equal), f"{seen!r} and {wanted!r}")


@metric()
def breaks(result: Value) -> Score:
    """Nothing that upstream survives."""
    raise UpstreamRaisesError("a key error")


SAME, BREAKS = BoundMetric(same, {}, ()), BoundMetric(breaks, {}, ())
RULE = parse_getter({"type": "rule", "rules": ""})


def value(said: str) -> Collected:
    return Collected(getter="rule", state="value", value=said)


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


def both(found: Verdict) -> tuple[float, float]:
    assert found.strict is not None
    return found.score.value, found.strict.value


def test_both_verdicts_are_given(tmp_path: Path) -> None:
    assert both(verdict(tmp_path, [(value("Hello"), value("hello"))])) == (0.0, 1.0)


def test_under_and_the_mean_of_both_is_told_apart(tmp_path: Path) -> None:
    pairs = [(value("a"), value("a")), (value("B"), value("b"))]
    assert both(verdict(tmp_path, pairs)) == (0.0, 1.0)
    assert both(verdict(tmp_path, pairs, "or")) == (1.0, 1.0)


def test_a_metric_that_upstream_does_not_survive_is_0_in_its_verdict(tmp_path: Path) -> None:
    pairs = [(value("a"), value("a")), (value("a"), value("a"))]
    found = verdict(tmp_path, pairs, "or", metrics=(BREAKS, SAME))
    assert found.score.reason == f"{ENDS}: a key error"


def test_a_getter_that_failed_is_an_exception_upstream(tmp_path: Path) -> None:
    gone = Collected(getter="cache_file", state="failed", said="no step kept out")
    found = verdict(tmp_path, [(gone, value("")), (value("a"), value("a"))], "or")
    assert found.score.value == 0.0
    assert found.score.reason.startswith(ENDS)
    assert found.strict == Score(1.0, "metric 2: 'a' and 'a'")


def test_a_step_that_failed_after_the_episode_is_an_exception_upstream(tmp_path: Path) -> None:
    found = verdict(tmp_path, [(value("a"), value("a"))], failed_step="postconfig[0]")
    assert both(found) == (0.0, 1.0)


def test_what_was_not_collected_is_0_with_the_reason(tmp_path: Path) -> None:
    found = judge([], "and", tmp_path, AssetStore(tmp_path))
    assert found.score == Score(0.0, "nothing was collected: collected.json is missing")
    (tmp_path / NAME).write_text("{}")
    assert "cannot be read" in judge([], "and", tmp_path, AssetStore(tmp_path)).score.reason


def files(kept: StoredFile, *, shadowed: StoredFile | None = None) -> Collected:
    return Collected(
        getter="cloud_file",
        state="files",
        files=(kept,),
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


def test_a_file_of_the_same_name_is_compared_with_itself_upstream_alone(tmp_path: Path) -> None:
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
def test_infeasible_is_what_the_agent_itself_declares(
    tmp_path: Path, feasible: bool, stop: Stop, value: float
) -> None:
    said = {"getter": "rule", "state": "value", "value": "a"}
    rules = said | {"value": {"expected": "a"}}
    (tmp_path / NAME).write_text(json.dumps({"results": [said], "expected": [rules]}))
    assert judged(task(feasible, tmp_path), tmp_path, stop).score.value == value
