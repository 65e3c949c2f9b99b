"""The differential run against OSWorld's own functions: its two sides, its counts and its page."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ambidex.evaluators.osworld.registry import metrics
from bench.differential import NOTHING, Case, Outcome
from bench.differential.__main__ import compare, families
from bench.differential.sides import Upstream, UpstreamError, ours
from bench.differential.tally import Tally, agree, page, read_tallies, write_tallies
from tests.support.tables import every_case

STANDIN = """
import threading, easyocr

def exact_match(result, rules):
    print("said to nobody")
    return float(result == rules["expected"])

def is_in_list(result, rules):
    raise KeyError(result)

def compare_image_text(result, rule):
    return easyocr.Reader(["en"])

def check_list(result, rules):
    threading.Event().wait()

def literal_match(result, expected="nothing was given", **options):
    return None if expected is None else len(expected) + len(options)
"""
UPSTREAM = Path(os.environ.get("OSWORLD_UPSTREAM", "upstream"))
needs_upstream = pytest.mark.skipif(
    not (UPSTREAM / "desktop_env").is_dir(),
    reason="OSWorld's evaluators are not here (OSWORLD_UPSTREAM names their folder)",
)


@pytest.fixture
def upstream(tmp_path: Path) -> Iterator[Upstream]:
    """A package of the shape of OSWorld's, with functions whose answers are known."""
    package = tmp_path / "desktop_env/evaluators/metrics"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(STANDIN)
    with Upstream(tmp_path, Path(sys.executable), seconds=1.0) as running:
        yield running


def test_upstream_returns_scores_exceptions_and_missing_packages(upstream: Upstream) -> None:
    assert upstream(Case("exact_match", "a", {"expected": "a"})) == Outcome("score", 1.0)
    assert upstream(Case("is_in_list", "a", {})).kind == "raised"
    assert upstream(Case("compare_image_text", "a", {})).kind == "unavailable"
    assert upstream(Case("no_such_metric", "a")).kind == "unavailable"
    assert upstream(Case("literal_match", "a", "ab", {"ignore_case": True})).score == 3
    assert upstream(Case("literal_match", "a", NOTHING)).score == len("nothing was given")


def test_upstream_starts_again_after_a_case_that_takes_too_long(upstream: Upstream) -> None:
    assert upstream(Case("check_list", "a", {})).kind == "timeout"
    assert upstream(Case("exact_match", "a", {"expected": "b"})) == Outcome("score", 0.0)


def test_without_upstream_the_run_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(UpstreamError, match="has no desktop_env/evaluators/metrics"):
        Upstream(tmp_path, Path(sys.executable), 1.0)


def test_our_side_runs_a_metric_as_a_task_does() -> None:
    assert ours(Case("exact_match", "a", {"expected": "a"})).score == 1
    assert ours(Case("exact_match", "a", {"wanted": "a"})).kind == "refused"
    assert ours(Case("exact_match", "a")).kind == "refused"
    assert ours(Case("exact_match", "a", {"expected": "b"})).said == "it is 'a', not 'b'"


@every_case(
    ("here", "there", "same"),
    [
        (Outcome("score", 1.0), Outcome("score", 1.0 + 1e-12), True),
        (Outcome("score", 0.5), Outcome("score", 0.6), False),
        (Outcome("score", 0.0), Outcome("raised"), True),
        (Outcome("score", 1.0), Outcome("raised"), False),
        (Outcome("refused"), Outcome("raised"), True),
        (Outcome("refused"), Outcome("score", 0.0), False),
        (Outcome("crashed"), Outcome("raised"), False),
    ],
)
def test_a_refused_task_agrees_with_an_exception_alone(
    here: Outcome, there: Outcome, same: bool
) -> None:
    assert agree(here, there) is same


def test_cases_are_compared_counted_and_grouped(upstream: Upstream) -> None:
    def cases(random: object, folder: Path) -> Iterator[Case]:
        for number in range(9):
            assert not list(folder.iterdir())
            (folder / "left.txt").write_text("from the case before")
            yield Case("exact_match", number, {"expected": number}, {}, "equal")
        yield Case("literal_match", "a", "ab", {"type": "str"}, "the standing-in one counts")

    tally = compare("x", cases, upstream, {"the standing-in one counts": "meant"},
                    count=50, seed=0, show=0)  # fmt: skip
    assert (tally.cases, tally.agreed) == (10, 9)
    (only,) = tally.differences
    assert (only.ours, only.upstream, only.cases, only.reason) == ("0", "3", 1, "meant")


def test_the_page_is_made_from_the_stored_results(tmp_path: Path) -> None:
    tally = Tally(seed=0)
    tally.count(Case("a", 1), Outcome("score", 1.0), Outcome("score", 1.0), "")
    tally.count(Case("a", 1, note="odd"), Outcome("score", 1.0), Outcome("raised"), "a | b")
    absent = Tally(seed=0)
    absent.count(Case("b", 1), Outcome("score"), Outcome("unavailable", said="easyocr"), "")
    write_tallies("one", {"a": tally}, tmp_path)
    write_tallies("two", {"b": absent}, tmp_path)
    shown = page(read_tallies(tmp_path))
    assert "1 metrics, 2 cases, 1 agree (50.00 %)." in shown
    assert "| `a` | 2 | 1 | 50.00 % |" in shown
    assert "| `a` | odd | 1 | 1 | raised | a \\| b |" in shown
    assert "- `b`: easyocr" in shown


def test_every_case_is_of_a_metric_that_we_have() -> None:
    asked = [name for makers, _ in families().values() for name in makers]
    assert len(asked) == len(set(asked)), "two families have cases of one metric"
    assert set(asked) <= metrics().keys()


@needs_upstream
@pytest.mark.parametrize("metric", ["compare_csv", "check_auto_saving_time"])
def test_upstreams_own_functions_agree(metric: str, tmp_path: Path) -> None:
    makers = {name: make for held, _ in families().values() for name, make in held.items()}
    with Upstream(UPSTREAM, UPSTREAM / "venv/bin/python", seconds=60.0) as running:
        tally = compare(metric, makers[metric], running, {}, count=20, seed=0, show=3)
    assert tally.agreed == tally.cases == 20
