"""Whole episodes on a real desktop with a stand-in model: every dialect, condition and exposure,
and every fault that a model's server can have."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ambidex.host import Limits, Stop
from ambidex.host.agents import agent_maker
from ambidex.host.dialects import dialects
from ambidex.host.models.model import LiteModel
from ambidex.host.models.prices import read_prices
from ambidex.host.records.config import (
    Condition,
    Exposure,
    ModelConfig,
    Policy,
    RunConfig,
    adopt,
    locked,
)
from ambidex.host.records.jobs import Job
from ambidex.host.records.rows import Row
from ambidex.host.records.trajectory import read_trajectory
from ambidex.host.report.comparison import identical
from ambidex.host.runs.machines import Source
from ambidex.host.runs.runner import run_jobs
from ambidex.tasks import Suite
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from examples.stand_in import app
from tests.support.serving import serve

DEMO = Path("tasks/demo")


@pytest.fixture(scope="module")
def stand_in() -> Iterator[str]:
    with serve(app(), lifespan="off") as address:
        yield address


@pytest.fixture(scope="module")
def demo() -> Suite:
    return load_suite(DEMO, read_catalogue())


def play(
    folder: Path,
    machines: Source,
    suite: Suite,
    model: ModelConfig,
    *tasks: str,
    condition: Condition = "hybrid",
    policy: Policy = "all",
) -> dict[str, Row]:
    """One trial of each task."""
    config = RunConfig(
        version="test",
        suite=str(suite.folder),
        tasks={task.name: task.hash for task in suite.tasks},
        agents=("model",),
        condition=condition,
        exposure=Exposure(policy=policy, top=40),
        runs=1,
        limits=Limits(steps=25, seconds=300),
        model=model,
    )
    prices = read_prices()
    with locked(folder):
        adopt(folder, config)
        rows = run_jobs(
            [Job(task, "model", 1) for task in tasks],
            config,
            suite,
            folder,
            machines.make,
            agent_maker(config, lambda asked: LiteModel(asked, prices)),
        )
    assert [row.fate for row in rows] == ["scored"] * len(tasks), [row.failure for row in rows]
    return {row.task: row for row in rows}


def asked(stand_in: str, name: str, dialect: str = "functions") -> ModelConfig:
    # Anthropic's own library adds /v1 itself.
    base = stand_in if dialect == "anthropic" else f"{stand_in}/v1"
    return ModelConfig(name=name, base_url=base, dialect=dialect, timeout=30, retries=2)


COMBINATIONS: tuple[tuple[Condition, Policy, str], ...] = (
    ("gui", "all", "files-invoices"),
    ("tools", "retrieved", "calc-budget-formulas"),
    ("hybrid", "app", "writer-invitation"),
    ("hybrid", "named", "gnome-evening"),
)
"""Each condition and each policy, with a task that the stand-in can solve in it."""

PLAYED = {"functions": 1, "paper": 0, "anthropic": 3, "openai": 2, "pyautogui": 1}
"""The combination that each dialect plays; AMBIDEX_TEST_COMBINATIONS=all has each play all.
tests/host/agents/test_stand_in.py plays by hand and with tools in every dialect, without a desktop.
"""


def combinations() -> list[tuple[str, Condition, Policy, str]]:
    every = os.environ.get("AMBIDEX_TEST_COMBINATIONS") == "all"
    return [
        (dialect, *rest)
        for dialect in dialects()
        for number, rest in enumerate(COMBINATIONS)
        if every or number == PLAYED[dialect]
    ]


@pytest.mark.parametrize(("dialect", "condition", "policy", "task"), combinations())
def test_an_episode_completes_in_every_dialect(
    tmp_path: Path,
    machines: Source,
    demo: Suite,
    stand_in: str,
    dialect: str,
    condition: Condition,
    policy: Policy,
    task: str,
) -> None:
    model = asked(stand_in, "tools-100", dialect)
    row = play(tmp_path, machines, demo, model, task, condition=condition, policy=policy)[task]
    assert row.success, row.reason
    assert (row.stop, row.malformed) == (Stop.DONE, 0)
    assert bool(row.tool_calls) is (condition != "gui")
    assert row.requests == row.steps
    assert row.input_tokens > 0
    assert row.cost is None, "nobody knows what a stand-in costs"
    lines = list(read_trajectory(tmp_path / row.folder))
    offers = {line["name"]: line["tools"] for line in lines if line["kind"] == "offer"}
    for step in (line for line in lines if line["kind"] == "step"):
        assert {call["name"] for call in step["decision"]["calls"]} <= set(offers[step["offered"]])


def test_faults_of_a_model_are_repaired_and_counted(
    tmp_path: Path, machines: Source, demo: Suite, stand_in: str
) -> None:
    # In the other dialects: tests/host/agents/test_stand_in.py.
    name, task = "tools-100-busy-slow-garbled-astray-unwilling-cut", "calc-budget-formulas"
    row = play(tmp_path, machines, demo, asked(stand_in, name), task)[task]
    assert row.success, row.reason
    assert (row.malformed, row.retries) == (3, 1), "garbled, unwilling and cut; busy"
    astray = next(call for call in row.calls if call.tool == "os_get_volume")
    assert (astray.calls, astray.app) == (1, "os")


def test_two_identical_runs_give_identical_rows(
    tmp_path: Path, machines: Source, demo: Suite, stand_in: str
) -> None:
    names = ("gnome-evening", "calc-budget-formulas")
    model = asked(stand_in, "tools-50-garbled")
    first = play(tmp_path / "a", machines, demo, model, *names)
    second = play(tmp_path / "b", machines, demo, model, *names)
    result = identical(list(first.values()), list(second.values()))
    assert result.same, result
    solved = sum(row.success for row in first.values())
    assert 0 < solved < len(names), "it is imperfect, and not helpless"
