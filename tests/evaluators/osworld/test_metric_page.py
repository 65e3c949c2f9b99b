"""The page of metrics in docs/ is generated from the code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ambidex.evaluators.osworld.registry import metrics
from tests.evaluators.osworld.test_metric_cases import METRICS

PAGE = Path(__file__).parents[3] / "docs" / "osworld-metrics.md"


def test_the_page_matches_the_output_of_the_command() -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "ambidex.evaluators.osworld"],
        cwd=PAGE.parents[1],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
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
