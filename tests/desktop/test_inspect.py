"""A task of the demo suite on a real desktop, evaluated by Inspect."""

from __future__ import annotations

from pathlib import Path

from ambidex.host import ROOT
from ambidex.host.integrations.inspect.tasks import demo
from ambidex.host.report.text_report import lines
from ambidex.tasks.load import load_suite
from tests.support.inspecting import evaluated, scripted_model
from tests.support.served import ALL

TASK = "gnome-evening"


def test_inspect_evaluates_a_task_on_a_sandbox(provider: str, tmp_path: Path) -> None:
    [task] = load_suite(ROOT / "tasks" / "demo", ALL, (TASK,)).tasks
    oracle = next(each for each in task.spec.oracle if each.by == "tools")
    calls = [(each.call, each.with_) for each in oracle.calls]
    model = scripted_model({task.spec.instruction: [*calls, ("finish", {})]})
    inspected = demo(tasks=TASK, exposure="all", provider=provider, out=str(tmp_path / "run"))
    log = evaluated(inspected, model, tmp_path)
    assert log.results
    figures = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert figures == {"accuracy": 1.0, "score": 1.0, "tir": 1.0, "acs": len(calls) + 1}
    [line] = lines([tmp_path / "run"])
    assert line.summary.groups[-1].solved == 1
