"""Suites as tasks of Inspect, with a scripted model."""

from __future__ import annotations

import importlib
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import pytest
from anyio.to_thread import run_sync
from inspect_ai import Task
from inspect_ai.event import ModelEvent, ToolEvent
from inspect_ai.log import EvalLog, EvalSample

from ambidex.host import ROOT, Request
from ambidex.host.errors import TaskError
from ambidex.host.integrations.inspect.model import InspectModel
from ambidex.host.integrations.inspect.tasks import suite as suite_task
from ambidex.host.loop.episode import InterruptedEpisodeError
from ambidex.host.records.rows import read_rows
from ambidex.host.report.text_report import lines
from ambidex.tasks import Suite
from ambidex.tasks.load import load_suite
from tests.support.inspecting import Script, evaluated, scripted_model
from tests.support.peer import CATALOGUE
from tests.support.peer_provider import PEERS
from tests.support.suites import (
    CELL,
    CELLS,
    CELLS_VALUES,
    IMPOSSIBLE,
    write_instances,
    write_suite,
)

PROVIDER = "tests.support.peer_provider:PEERS"


@pytest.fixture(autouse=True)
def new_peers() -> Iterator[None]:
    PEERS.machines.clear()
    yield
    PEERS.broken_reverts = 0


SCRIPT: Script = {
    "Set B2": [
        ("calc_set_cell_value", {"cell": "B2", "value": 42}),
        ("calc_save", {}),
        ("finish", {"answer": "done"}),
    ],
    "Set cell ZZZZZZ99": [("give_up", {"reason": "no such cell"})],
}
MODEL = scripted_model(SCRIPT)


def task_of(suite: Suite, folder: Path, **options: Any) -> Task:
    out = str(folder / "run")
    options |= {"exposure": "all", "settle": 0.0, "provider": PROVIDER, "out": out}
    return suite_task(str(suite.folder), **options)


def run(suite: Suite, folder: Path, **options: Any) -> EvalLog:
    return evaluated(task_of(suite, folder, **options), MODEL, folder)


def sample(log: EvalLog, task: str) -> EvalSample:
    return next(each for each in log.samples or () if each.id == task)


class Played(NamedTuple):
    """An evaluation of all tasks of a suite."""

    suite: Suite
    folder: Path
    log: EvalLog
    closed: bool
    """Whether all its machines were closed after it."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Only to be read."""
    folder = tmp_path_factory.mktemp("played")
    written = write_suite(folder / "suite", cell=CELL, impossible=IMPOSSIBLE)
    suite = load_suite(written, CATALOGUE)
    PEERS.machines.clear()
    log = run(suite, folder)
    return Played(suite, folder, log, all(machine.closed for machine in PEERS.machines))


def test_a_suite_is_evaluated_with_our_judge_and_our_figures(played: Played) -> None:
    log = played.log
    assert log.status == "success"
    assert log.results
    figures = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert figures == {"accuracy": 1.0, "score": 1.0, "tir": 1.0, "acs": 2.0}
    [line] = lines([played.folder / "run"])
    everything = line.summary.groups[-1]
    assert (everything.accuracy, everything.tir, everything.acs) == (1.0, 1.0, 2.0)
    assert line.config.model
    assert line.config.model.name == "scripted/model"
    assert line.summary.input_tokens == 400
    assert line.summary.cached_tokens == 160
    assert played.closed


def test_the_transcript_has_requests_with_tools_and_calls_with_results(played: Played) -> None:
    events = sample(played.log, "cell").events
    requests = [event for event in events if isinstance(event, ModelEvent)]
    assert len(requests) == 3
    offered = {tool.name for tool in requests[0].tools}
    assert {"computer_click", "calc_save", "finish"} <= offered
    done = [event for event in events if isinstance(event, ToolEvent)]
    assert [(event.function, event.result) for event in done] == [
        ("calc_set_cell_value", "B2 = 42"), ("calc_save", "saved"),
    ]  # fmt: skip
    assert sample(played.log, "cell").messages[-1].role == "assistant"


def test_the_condition_decides_which_tools_are_offered(suite: Suite, tmp_path: Path) -> None:
    log = run(suite, tmp_path, tasks="impossible", condition="gui")
    [request] = [e for e in sample(log, "impossible").events if isinstance(e, ModelEvent)]
    assert {tool.name for tool in request.tools} == {"computer_click", "finish", "give_up"}
    assert log.results
    assert [score.name for score in log.results.scores] == ["accuracy", "score", "acs"]


def test_a_failing_machine_is_an_error_of_the_sample_that_inspect_retries(
    suite: Suite, tmp_path: Path
) -> None:
    PEERS.broken_reverts = 1
    inspected = task_of(suite, tmp_path, tasks="cell")
    log = evaluated(inspected, MODEL, tmp_path, retry_on_error=1)
    [retried] = sample(log, "cell").error_retries or []
    assert "the fork did not start" in retried.message
    assert [row.fate for row in read_rows(tmp_path / "run")] == ["void", "scored"]
    assert log.status == "success"


def test_a_limit_of_inspect_ends_the_trial_without_a_score(suite: Suite, tmp_path: Path) -> None:
    inspected = task_of(suite, tmp_path, tasks="cell")
    log = evaluated(inspected, MODEL, tmp_path, turn_limit=1)
    ended = sample(log, "cell")
    assert ended.limit
    assert ended.limit.type == "turn"
    assert not ended.scores
    assert not (tmp_path / "run" / "results.jsonl").exists()
    assert all(machine.closed for machine in PEERS.machines)


def test_more_epochs_than_runs_are_refused(suite: Suite, tmp_path: Path) -> None:
    inspected = task_of(suite, tmp_path, tasks="cell")
    log = evaluated(inspected, MODEL, tmp_path, epochs=2)
    assert log.error
    assert "-T runs=N" in log.error.traceback


def test_a_cancelled_model_is_not_asked_again() -> None:
    model = InspectModel("scripted/model")
    model.cancel()

    async def ask() -> None:
        await run_sync(model.ask, Request("chat", {"messages": [], "tools": []}))

    with pytest.raises(InterruptedEpisodeError):
        anyio.run(ask)


def test_machines_that_cannot_be_opened_are_the_error_of_every_sample(
    suite: Suite, tmp_path: Path
) -> None:
    inspected = suite_task(str(suite.folder), provider="nosuch", out=str(tmp_path / "run"))
    log = evaluated(inspected, MODEL, tmp_path, fail_on_error=False)
    errors = [one.error.message for one in log.samples or () if one.error]
    assert len(errors) == len(suite.tasks) > 1
    assert all("unknown provider: 'nosuch'" in error for error in errors), errors


def test_an_unknown_task_is_refused(suite: Suite) -> None:
    with pytest.raises(TaskError, match="nowhere"):
        suite_task(str(suite.folder), tasks="nowhere", provider=PROVIDER)


def test_a_trial_with_a_score_is_not_played_again(played: Played, tmp_path: Path) -> None:
    shutil.copytree(played.folder / "run", tmp_path / "run")
    log = run(played.suite, tmp_path)
    assert log.results
    assert log.results.scores[0].metrics["mean"].value == 1.0
    assert read_rows(tmp_path / "run") == read_rows(played.folder / "run")


def test_the_entry_point_names_the_module_of_the_tasks() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module = importlib.import_module(project["entry-points"]["inspect_ai"]["ambidex"])
    assert module.suite is suite_task


def test_each_epoch_plays_the_instance_of_that_trial(tmp_path: Path) -> None:
    folder = write_instances(tmp_path / "suite", cell=(CELLS, CELLS_VALUES))
    log = run(load_suite(folder, CATALOGUE), tmp_path, runs=2)
    assert log.status == "success"
    rows = sorted(read_rows(tmp_path / "run"), key=lambda row: row.trial)
    # The script sets 42, which is right in the first instance only.
    assert [(row.instance, row.score) for row in rows] == [(1, 1), (2, 0)]
