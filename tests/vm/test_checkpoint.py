"""Interim verdicts: results for two step limits from one episode, on forks of its machine."""

from __future__ import annotations

from pathlib import Path

from ambidex.host import Limits, Stop
from ambidex.host.agents import agent_maker
from ambidex.host.models.model import LiteModel
from ambidex.host.models.prices import read_prices
from ambidex.host.records.config import RunConfig, adopt, locked
from ambidex.host.records.jobs import Job
from ambidex.host.runs.machines import Source
from ambidex.host.runs.runner import run_jobs
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite

TASK = "gnome-evening"
"""Its tools oracle makes three calls, and reports in a fourth step that it is done."""


def test_a_copy_is_judged_at_the_smaller_limit_and_the_episode_is_unaffected(
    tmp_path: Path, machines: Source
) -> None:
    suite = load_suite(Path("tasks/demo"), read_catalogue(), (TASK,))
    config = RunConfig(
        version="test",
        suite=str(suite.folder),
        tasks={task.name: task.hash for task in suite.tasks},
        agents=("oracle:tools",),
        condition="hybrid",
        runs=1,
        limits=Limits(steps=15),
        checkpoints=(1, 3),
    )
    prices = read_prices()
    with locked(tmp_path):
        adopt(tmp_path, config)
        [row] = run_jobs(
            [Job(TASK, "oracle:tools", 1)],
            config,
            suite,
            tmp_path,
            machines.make,
            agent_maker(config, lambda name: LiteModel(name, prices)),
        )
    assert row.fate == "scored", row.failure
    assert (row.score, row.steps, row.stop) == (1.0, 4, Stop.DONE)
    verdicts = [(verdict.steps, verdict.score) for verdict in row.checkpoints]
    assert verdicts == [(1, 0.0), (3, 1.0)]
    assert row.at(1).stop is Stop.STEP_LIMIT
    evidence = {path.name for path in (tmp_path / row.folder).glob("evidence*")}
    assert evidence == {"evidence", "evidence.1", "evidence.3"}
    assert row.seconds["checkpoints"] > 0
