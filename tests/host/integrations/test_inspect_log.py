"""Runs as logs of Inspect, read by its own log reader."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import pytest
from inspect_ai.event import ModelEvent, ScoreEvent, ToolEvent
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ContentImage
from PIL import Image

from ambidex.host.integrations.inspect.log import SCORER, write_log
from ambidex.host.records.config import read_config
from ambidex.host.report.text_report import lines
from tests.support.commands import ambidex


@pytest.fixture(scope="module")
def log(run: Path, tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    file = tmp_path_factory.mktemp("exported") / "run.eval"
    assert write_log(run, file) == 2
    return read_eval_log(file, resolve_attachments=True)


def sample(log: EvalLog, task: str) -> EvalSample:
    return next(each for each in log.samples or () if each.id == task)


def test_the_log_has_the_figures_of_the_report(run: Path, log: EvalLog) -> None:
    assert log.status == "success"
    assert log.eval.task == "ambidex/suite"
    assert log.eval.metadata
    assert log.eval.metadata["configuration"] == read_config(run).model_dump(mode="json")
    assert log.results
    [score] = log.results.scores
    [line] = lines([run])
    everything = line.summary.groups[-1]
    figures = {name: metric.value for name, metric in score.metrics.items()}
    assert figures == {"accuracy": 0.0, "tir": 0.0, "acs": 4.0}
    assert figures == {
        "accuracy": everything.accuracy, "tir": everything.tir, "acs": everything.acs,
    }  # fmt: skip
    used = log.stats.model_usage["big/planner"]
    assert (used.input_tokens, used.input_tokens_cache_read, used.output_tokens) == (200, 200, 40)
    assert used.total_cost == 1.0


def test_a_sample_has_thoughts_calls_results_and_the_verdict(log: EvalLog) -> None:
    cell = sample(log, "cell")
    assert cell.input == "Set B2 to 42 and save."
    said = [each for each in cell.messages if isinstance(each, ChatMessageAssistant)]
    assert said[0].text == "I click \\udcff."
    assert said[0].model == "big/planner"
    assert [call.function for call in said[2].tool_calls or ()] == [
        "calc_set_cell_value", "calc_invented", "calc_save", "calc_save",
    ]  # fmt: skip
    results = [each for each in cell.messages if isinstance(each, ChatMessageTool)]
    errors = {each.function for each in results if each.error}
    assert errors == {"calc_invented"}
    assert "A person did this: computer_click(x=5, y=6)" in [each.text for each in cell.messages]
    assert cell.scores
    score = cell.scores[SCORER]
    assert score.value == 1.0
    assert score.metadata
    assert score.metadata["tool_calls"] == 3
    [retried] = cell.error_retries or []
    assert retried.message.startswith("MachineError: the fork did not start")


def test_screenshots_can_be_seen(log: EvalLog) -> None:
    images = [
        part.image
        for each in sample(log, "cell").messages
        if isinstance(each.content, list)
        for part in each.content
        if isinstance(part, ContentImage)
    ]
    assert len(images) == 5
    for image in images:
        kind, _, data = image.partition(";base64,")
        assert kind == "data:image/webp"
        with Image.open(io.BytesIO(base64.b64decode(data))) as picture:
            assert picture.size == (64, 48)


def test_the_transcript_has_an_event_for_each_request_and_call(log: EvalLog) -> None:
    events = sample(log, "cell").events
    models = [(each.model, each.role) for each in events if isinstance(each, ModelEvent)]
    assert models == [("big/planner", None), ("small/grounder", "grounder"), ("big/planner", None)]
    calls = [each.function for each in events if isinstance(each, ToolEvent)]
    assert calls[:2] == ["computer_click", "calc_set_cell_value"]
    assert isinstance(events[-1], ScoreEvent)
    times = [each.timestamp for each in events]
    assert times == sorted(times)


def test_the_command_writes_a_log(run: Path, tmp_path: Path) -> None:
    assert ambidex("export", run, "--inspect", tmp_path / "run.eval") == 0
    assert read_eval_log(tmp_path / "run.eval", header_only=True).eval.dataset.samples == 2
    assert ambidex("export", run, "--inspect", tmp_path / "run.json") == 2
    assert ambidex("export", run / "cell.1", "--inspect", tmp_path / "run.eval") == 2
