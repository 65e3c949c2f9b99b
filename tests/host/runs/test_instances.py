"""Which instance of a task a trial plays, and everything that later must know it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ambidex.host.errors import UsageError
from ambidex.host.integrations.desk import DeskOptions
from ambidex.host.integrations.desk_server import Desks
from ambidex.host.integrations.harbor_tasks import write_harbor_tasks
from ambidex.host.integrations.rl import DesktopEnv
from ambidex.host.records.config import Branch, CheckpointPolicy, read_config
from ambidex.host.records.rows import read_rows
from ambidex.host.records.trajectory import read_trajectory
from ambidex.host.room.desk.verdict import checks_of
from ambidex.host.runs.prove import jobs, verdicts
from ambidex.host.runs.rescoring import rejudge
from ambidex.host.travel.forks import fork_of
from ambidex.tasks import Suite
from ambidex.tasks.load import load_suite
from tests.support.commands import ambidex
from tests.support.peer import CATALOGUE, PeerMachine
from tests.support.suites import CELLS, CELLS_VALUES, config_of, run_in, write_instances
from tests.support.travel import on_peers

PEERS = ("--provider", "tests.support.peer_provider:PEERS", "--settle", "0")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    folder = tmp_path_factory.mktemp("instances") / "suite"
    return load_suite(write_instances(folder, cell=(CELLS, CELLS_VALUES)), CATALOGUE)


@pytest.fixture(scope="module")
def played(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of four trials by the oracle, with checkpoints. Only to be read."""
    folder = tmp_path_factory.mktemp("played") / "run"
    config = config_of(suite, agents=("oracle:tools",), runs=4, keep=CheckpointPolicy())
    run_in(folder, suite, config)
    return folder


def test_trials_play_the_instances_in_turn_and_record_which(played: Path) -> None:
    rows = sorted(read_rows(played), key=lambda row: row.trial)
    assert [row.instance for row in rows] == [1, 2, 3, 1]
    assert [row.score for row in rows] == [1, 1, 1, 1]
    starts = [next(read_trajectory(played / row.folder)) for row in rows]
    assert [start["instance"] for start in starts] == [1, 2, 3, 1]
    assert starts[1]["instruction"] == "Set B2 to 43 and save, Grace."


def test_evidence_is_judged_again_by_the_checks_of_its_instance(suite: Suite, played: Path) -> None:
    again = list(rejudge(played, suite))
    assert len(again) == 4
    assert not any(row.differs for row in again)


def test_the_control_room_shows_the_checks_of_the_instance(played: Path) -> None:
    [check] = checks_of(played / "cell.3", "cell")["checks"]
    assert check["expected"]["fields"] == {"B2": 44}
    assert check["score"] == 1


def test_a_proof_takes_the_first_instance_or_all(suite: Suite, tmp_path: Path) -> None:
    assert {job.trial for job in jobs(suite)} == {1}
    planned = jobs(suite, every_instance=True)
    assert [(job.agent, job.trial) for job in planned] == [
        (agent, number)
        for number in (1, 2, 3)
        for agent in ("oracle:tools", "says_done", "near_miss:1")
    ]
    agents = ("near_miss:1", "says_done", "oracle:tools")
    rows = run_in(tmp_path, suite, config_of(suite, agents=agents, runs=3))
    claims = verdicts(suite, rows, planned)
    assert len(claims) == 9
    assert all(claim.holds for claim in claims), claims


def test_prove_with_all_instances_names_each(
    suite: Suite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "proof"
    assert ambidex("prove", suite.folder, "--instances", "all", "--out", out, *PEERS) == 0
    printed = capsys.readouterr().out
    assert "9 of 9 hold" in printed
    assert "cell #3" in printed
    assert read_config(out).runs == 3


def test_a_replay_plays_the_instance_that_was_recorded(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ambidex("replay", played / "cell.2", "--out", tmp_path / "again", *PEERS) == 0
    assert "cell: scored 1.0" in capsys.readouterr().out
    [row] = read_rows(tmp_path / "again")
    assert (row.trial, row.instance) == (1, 2)


def test_the_replay_of_a_run_takes_a_trial_of_the_same_instance(
    suite: Suite, played: Path, tmp_path: Path
) -> None:
    config = config_of(suite, agents=(f"replay:{played}",), runs=3)
    rows = run_in(tmp_path, suite, config)
    assert [(row.instance, row.score) for row in rows] == [(1, 1), (2, 1), (3, 1)]


def test_a_branch_is_judged_as_the_instance_of_its_parent(
    suite: Suite, played: Path, tmp_path: Path
) -> None:
    branches = [Branch(trial="cell.3", step=2), Branch(trial="cell.2", step=2)]
    request = fork_of(played, branches, 1, CATALOGUE)
    assert [(job.trial, job.instance) for job in request.jobs] == [(1, 3), (2, 2)]
    rows = on_peers(pytest.fail)(request, tmp_path / "fork")  # type: ignore[arg-type]
    assert [(row.trial, row.instance, row.score) for row in rows] == [(1, 3, 1), (2, 2, 1)]


def test_harbor_and_the_bridge_get_every_instance_by_name(suite: Suite, tmp_path: Path) -> None:
    assert write_harbor_tasks(suite, tmp_path / "tasks") == 3
    second = tmp_path / "tasks" / "cell@2"
    assert (second / "instruction.md").read_text() == "Set B2 to 43 and save, Grace.\n"
    assert 'AMBIDEX_TASK = "cell@2"' in (second / "task.toml").read_text()
    with closing(Desks((), suite.tasks, DeskOptions())) as desks:
        assert list(desks.tasks) == ["cell", "cell@2", "cell@3"]
        task = desks.task("cell@2")
        assert task
        assert task.instance == 2


@pytest.fixture
def env(suite: Suite) -> Iterator[DesktopEnv]:
    options = DeskOptions(settle=0.0)
    with (
        closing(PeerMachine()) as machine,
        closing(DesktopEnv(machine, suite.tasks, options)) as env,
    ):
        yield env


def test_an_environment_draws_the_instance_with_its_seed(env: DesktopEnv) -> None:
    drawn = [env.reset(seed=seed)[1]["instance"] for seed in (1, 2, 3, 4, 5, 6, 1)]
    assert drawn[0] == drawn[-1]
    assert len(set(drawn)) > 1


def test_an_environment_judges_the_instance_that_was_asked_for(env: DesktopEnv) -> None:
    _, info = env.reset(options={"task": "cell", "instance": 3})
    assert (info["instance"], info["instruction"]) == (3, "Set B2 to 44 and save, Mary.")
    env.step(env.action("calc_set_cell_value", cell="B2", value=44))
    env.step(env.action("calc_save"))
    assert env.step(env.action("done"))[1] == 1.0
    with pytest.raises(UsageError, match="there is no task 'cell@2'"):
        env.reset(options={"task": "cell@2"})
