"""A sample of the office suite on a real desktop: a task on the intranet. All of them:
`ambidex prove tasks/office`."""

from pathlib import Path

import pytest

from ambidex.host import Limits
from ambidex.host.agents import agent_maker
from ambidex.host.models.prices import read_prices
from ambidex.host.records.config import RunOptions, adopt, locked
from ambidex.host.runs.launch import RunRequest, config_of
from ambidex.host.runs.machines import Source
from ambidex.host.runs.prove import jobs, verdicts
from ambidex.host.runs.runner import run_jobs
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite

OFFICE = Path(__file__).parents[2] / "tasks" / "office"


def test_a_task_scores_1_by_its_oracles_and_0_otherwise(machines: Source, tmp_path: Path) -> None:
    suite = load_suite(OFFICE, read_catalogue(), ("chrome-room-with-loop",))
    # The second instance, if there is one: authors prove the first one while they write a task.
    number = min(2, len(suite.tasks[0].instances))
    planned = [job for job in jobs(suite, every_instance=True) if job.trial == number]
    request = RunRequest(
        suite=suite,
        agents=tuple(sorted({job.agent for job in planned})),
        jobs=tuple(planned),
        options=RunOptions(runs=2),
        limits=Limits(steps=50),
        catalogue=read_catalogue(),
    )
    config = config_of(request, read_prices())
    with locked(tmp_path):
        adopt(tmp_path, config)
        make = agent_maker(config, lambda asked: pytest.fail("no model here"))
        rows = run_jobs(planned, config, suite, tmp_path, machines.make, make)
    claims = verdicts(suite, rows, planned)
    assert [claim.expected for claim in claims] == [1, 1, 0, 0, 0]
    assert not [
        f"{claim.job.agent}: {claim.failure_message}" for claim in claims if not claim.holds
    ]
