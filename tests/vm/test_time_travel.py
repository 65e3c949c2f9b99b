"""An episode on a virtual machine with a checkpoint at every step, and branches from it."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ambidex.host import Agent, Briefing, Decision, Limits, Observation, Stop, ToolCall
from ambidex.host.loop.branch_point import checkpointed_steps
from ambidex.host.records.config import Branch, CheckpointPolicy, Fork, RunConfig, adopt, locked
from ambidex.host.records.jobs import Job
from ambidex.host.records.rows import Row
from ambidex.host.records.trajectory import read_trajectory
from ambidex.host.runs.machines import Source
from ambidex.host.runs.runner import run_jobs
from ambidex.tasks import Suite, Task
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite

TASK = "gnome-evening"
Call = tuple[str, dict[str, Any]]

DARK: Call = ("gnome_set_dark_style", {"enable": True})
SCALE: Call = ("os_change_text_scale", {"new_scale": 1.25})
WRONG: Call = ("os_change_text_scale", {"new_scale": 1.5})
QUIET: Call = ("os_set_do_not_disturb", {"enable": True})
LOOK: Call = (
    "gnome_get_setting",
    {"schema": "org.gnome.desktop.interface", "key": "text-scaling-factor"},
)


class ScriptedAgent:
    """Makes these calls, one per step."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self._remaining = list(calls)

    def step(self, observation: Observation) -> Decision:
        if not self._remaining:
            return Decision(stop=Stop.DONE)
        return Decision(calls=(ToolCall(uuid.uuid4().hex, *self._remaining.pop(0)),))


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite(Path("tasks/demo"), read_catalogue(), (TASK,))


def play(folder: Path, suite: Suite, machines: Source, calls: Sequence[Call], **fields: Any) -> Row:
    """Run one trial in which these calls are made; `fields` are added to its configuration."""

    def make(name: str, task: Task, briefing: Briefing) -> Agent:
        return ScriptedAgent(calls)

    defaults = {
        "version": "test",
        "suite": str(suite.folder),
        "tasks": {task.name: task.hash for task in suite.tasks},
        "agents": ("noop",),
        "condition": "hybrid",
        "runs": 1,
        "limits": Limits(steps=15),
        "image": machines.image,
    }
    config = RunConfig.model_validate(defaults | fields)
    branch = config.fork.branches[0] if config.fork else None
    job = Job(TASK, "noop", 1, branch)
    with locked(folder):
        adopt(folder, config)
        [row] = run_jobs([job], config, suite, folder, machines.make, make)
    assert row.fate == "scored", row.failure
    return row


def results(folder: Path) -> list[str]:
    return [
        result["text"]
        for line in read_trajectory(folder)
        if line["kind"] == "step"
        for result in line["results"]
    ]


def test_a_branch_from_before_a_mistake_has_none_of_its_effects(
    tmp_path: Path, machines: Source, suite: Suite
) -> None:
    run = tmp_path / "run"
    row = play(run, suite, machines, [DARK, WRONG, QUIET], keep=CheckpointPolicy())
    trial = run / row.folder
    assert (row.score, row.steps, checkpointed_steps(trial)) == (0.0, 4, [1, 2, 3, 4])

    def from_step(step: int, *calls: Call) -> Row:
        branches = (Branch(trial=trial.name, step=step),)
        fork = Fork(run=str(run), branches=branches)
        return play(tmp_path / f"from-{step}", suite, machines, calls, fork=fork)

    late = from_step(3, DARK, WRONG, LOOK, QUIET)
    assert late.score == 0.0, "the mistake was made in step 2"
    assert "1.5" in results(tmp_path / "from-3" / late.folder)[2]
    early = from_step(2, DARK, LOOK, SCALE, QUIET)
    assert early.score == 1.0
    assert "1.5" not in results(tmp_path / "from-2" / early.folder)[1]
    assert early.steps == 5
    assert early.parent is not None
    assert (early.parent.trial, early.parent.step) == (trial.name, 2)


def test_a_run_can_keep_only_the_last_checkpoints_of_an_episode(
    tmp_path: Path, machines: Source, suite: Suite
) -> None:
    row = play(tmp_path, suite, machines, [DARK, SCALE, QUIET], keep=CheckpointPolicy(last=2))
    assert row.score == 1.0
    assert checkpointed_steps(tmp_path / row.folder) == [3, 4]
