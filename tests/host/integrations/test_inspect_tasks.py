"""Suites as tasks of Inspect, with its own scripted model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as evaluate
from inspect_ai.event import ModelEvent, ToolEvent
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import Model, ModelOutput, get_model

from ambidex.host.errors import UsageError
from ambidex.host.integrations.inspect.tasks import suite as suite_task
from ambidex.host.records.rows import read_rows
from ambidex.host.report.text_report import lines
from ambidex.tasks import Suite
from tests.support.peer_provider import PEERS

PROVIDER = "tests.support.peer_provider:PEERS"


@pytest.fixture(autouse=True)
def new_peers() -> Iterator[None]:
    PEERS.machines.clear()
    yield
    PEERS.broken_reverts = 0


def calls(*named: tuple[str, dict[str, Any]]) -> list[ModelOutput]:
    return [ModelOutput.for_tool_call("mockllm", name, arguments) for name, arguments in named]


SOLVE = calls(
    ("calc_set_cell_value", {"cell": "B2", "value": 42}),
    ("calc_save", {}),
    ("finish", {"answer": "done"}),
)
GIVE_UP = calls(("give_up", {"reason": "no such cell"}))


def model(*outputs: ModelOutput) -> Model:
    return get_model("mockllm/model", custom_outputs=list(outputs), memoize=False)


def run(suite: Suite, folder: Path, asked: Model, **options: Any) -> EvalLog:
    inspected = suite_task(
        str(suite.folder), exposure="all", settle=0.0, provider=PROVIDER,
        out=str(folder / "run"), **options,
    )  # fmt: skip
    [log] = evaluate(inspected, model=asked, log_dir=str(folder / "logs"), display="none")
    return log


def sample(log: EvalLog, task: str) -> EvalSample:
    return next(each for each in log.samples or () if each.id == task)


def test_a_suite_is_evaluated_with_our_judge_and_our_figures(suite: Suite, tmp_path: Path) -> None:
    log = run(suite, tmp_path, model(*SOLVE, *GIVE_UP))
    assert log.status == "success"
    assert log.results
    figures = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert figures == {"accuracy": 1.0, "score": 1.0, "tir": 1.0, "acs": 2.0}
    [line] = lines([tmp_path / "run"])
    everything = line.summary.groups[-1]
    assert (everything.accuracy, everything.tir, everything.acs) == (1.0, 1.0, 2.0)
    assert line.config.model
    assert line.config.model.name == "mockllm/model"
    assert all(machine.closed for machine in PEERS.machines)


def test_the_transcript_has_requests_with_tools_and_calls_with_results(
    suite: Suite, tmp_path: Path
) -> None:
    log = run(suite, tmp_path, model(*SOLVE), tasks="cell")
    events = sample(log, "cell").events
    requests = [event for event in events if isinstance(event, ModelEvent)]
    assert len(requests) == 3
    offered = {tool.name for tool in requests[0].tools}
    assert {"computer_click", "calc_save", "finish"} <= offered
    done = [event for event in events if isinstance(event, ToolEvent)]
    assert [(event.function, event.result) for event in done] == [
        ("calc_set_cell_value", "B2 = 42"), ("calc_save", "saved"),
    ]  # fmt: skip
    assert sample(log, "cell").messages[-1].role == "assistant"


def test_the_condition_decides_which_tools_are_offered(suite: Suite, tmp_path: Path) -> None:
    log = run(suite, tmp_path, model(*GIVE_UP), tasks="impossible", condition="gui")
    [request] = [e for e in sample(log, "impossible").events if isinstance(e, ModelEvent)]
    assert {tool.name for tool in request.tools} == {"computer_click", "finish", "give_up"}
    assert log.results
    assert [score.name for score in log.results.scores] == ["accuracy", "score", "acs"]


def test_a_failing_machine_is_an_error_of_the_sample_that_inspect_retries(
    suite: Suite, tmp_path: Path
) -> None:
    PEERS.broken_reverts = 1
    inspected = suite_task(
        str(suite.folder), exposure="all", settle=0.0, provider=PROVIDER, tasks="cell",
        out=str(tmp_path / "run"),
    )  # fmt: skip
    [log] = evaluate(
        inspected, model=model(*SOLVE), log_dir=str(tmp_path / "logs"), display="none",
        retry_on_error=1,
    )  # fmt: skip
    [retried] = sample(log, "cell").error_retries or []
    assert "the fork did not start" in retried.message
    assert [row.fate for row in read_rows(tmp_path / "run")] == ["void", "scored"]
    assert log.status == "success"


def test_a_limit_of_inspect_ends_the_trial_without_a_score(suite: Suite, tmp_path: Path) -> None:
    inspected = suite_task(
        str(suite.folder), exposure="all", settle=0.0, provider=PROVIDER, tasks="cell",
        out=str(tmp_path / "run"),
    )  # fmt: skip
    [log] = evaluate(
        inspected, model=model(*SOLVE), log_dir=str(tmp_path / "logs"), display="none",
        turn_limit=1,
    )  # fmt: skip
    ended = sample(log, "cell")
    assert ended.limit
    assert ended.limit.type == "turn"
    assert not ended.scores
    assert not (tmp_path / "run" / "results.jsonl").exists()


def test_more_epochs_than_runs_are_refused(suite: Suite, tmp_path: Path) -> None:
    inspected = suite_task(
        str(suite.folder), exposure="all", settle=0.0, provider=PROVIDER, tasks="cell",
        out=str(tmp_path / "run"),
    )  # fmt: skip
    [log] = evaluate(
        inspected, model=model(*SOLVE), log_dir=str(tmp_path / "logs"), display="none", epochs=2,
    )  # fmt: skip
    assert log.error
    assert "-T runs=N" in log.error.traceback


def test_an_unknown_task_is_refused(suite: Suite) -> None:
    with pytest.raises((UsageError, Exception), match="nowhere"):
        suite_task(str(suite.folder), tasks="nowhere", provider=PROVIDER)
