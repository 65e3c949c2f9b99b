"""Points of a task travel from the box to the trial's directory."""

from __future__ import annotations

import json
from pathlib import Path

from ambidex.host import Stop
from ambidex.host.loop.judge import judge
from ambidex.host.loop.outcomes import write_score
from ambidex.tasks.load import load_suite
from tests.support.peer import CATALOGUE
from tests.support.suites import POINTS, write_suite


def test_points_are_stored_with_the_score(tmp_path: Path) -> None:
    (task,) = load_suite(write_suite(tmp_path / "suite", cell=POINTS), CATALOGUE).tasks
    evidence = tmp_path / "evidence"
    evidence.mkdir()
    (evidence / "cells.json").write_text('{"B2": 41}')
    (evidence / "cell.json").write_text('{"value": 42}')
    verdict = judge(task, evidence, Stop.DONE)
    write_score(tmp_path, verdict, Stop.DONE, 1.0)
    stored = json.loads((tmp_path / "score.json").read_text())
    assert stored["value"] == 0.125
    assert stored["titles"] == ["echo", "saved"]
    assert stored["checkpoints"] == [{"total": 1, "result": 1}, {"total": 3, "result": 0}]
    assert stored["final_score"] == {"total": 4, "result": 1}
