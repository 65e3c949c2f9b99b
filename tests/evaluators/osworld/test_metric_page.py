"""The page of metrics in docs/ is generated from the code."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from ambidex.evaluators.osworld.registry import metrics
from tests.evaluators.osworld.test_metric_cases import METRICS

PAGE = Path(__file__).parents[3] / "docs" / "osworld-metrics.md"


def test_the_page_matches_the_output_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_module("ambidex.evaluators.osworld", run_name="__main__")
    printed = capsys.readouterr().out
    assert PAGE.read_text() == printed, (
        "python -m ambidex.evaluators.osworld > docs/osworld-metrics.md"
    )


def test_the_page_has_a_row_for_every_metric() -> None:
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == sorted(metrics())


def test_every_repair_describes_upstreams_behaviour() -> None:
    repairs = [repair for name in METRICS for repair in metrics()[name].repairs]
    unsaid = [item for item in repairs if ": " not in item]
    assert not unsaid
