"""The page of metrics in docs/ is the code's own account."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ambidex.evaluators.osworld.registry import metrics
from tests.evaluators.osworld.test_metric_cases import METRICS

PAGE = Path(__file__).parents[3] / "docs" / "osworld-metrics.md"


def test_the_page_is_what_the_command_prints() -> None:
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


def test_every_repair_says_what_upstream_does() -> None:
    repairs = [repair for name in METRICS for repair in metrics()[name].repairs]
    unsaid = [each for each in repairs if ": " not in each]
    assert not unsaid
