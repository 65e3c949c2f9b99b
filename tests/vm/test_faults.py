"""Faults during a run on virtual machines end in the fate that is documented for them. Sandboxes:
a killed one and a killed owner in tests/conformance/test_machines.py, a full disk in
tests/sandbox/test_limits.py.
"""

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NoReturn
from uuid import uuid4

import pytest

from ambidex.host import Agent, Briefing, Decision, Limits, Observation, Stop, ToolCall
from ambidex.host.agents import agent_maker
from ambidex.host.client.guest import Guest
from ambidex.host.errors import GuestError
from ambidex.host.records.config import ModelConfig, RunConfig
from ambidex.host.records.jobs import Job
from ambidex.host.records.rows import Row, read_rows
from ambidex.host.runs.machines import Source
from ambidex.host.runs.runner import run_jobs
from ambidex.tasks import Suite, Task
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from ambidex.vm.machines.machine import OwnedMachine, Running
from ambidex.vm.machines.reaper import processes_with
from tests.support.killed import kill

PROJECT = Path(__file__).parent.parent.parent
QUICK = "gnome-evening"
"""A task of the demo suite that does not open an application."""


@pytest.fixture
def suite() -> Suite:
    return load_suite(PROJECT / "tasks" / "demo", read_catalogue(), (QUICK,))


def run_suite(
    machines: Source,
    suite: Suite,
    folder: Path,
    make_agent: Callable[[str, Task, Briefing], Agent] | None = None,
) -> list[Row]:
    config = RunConfig(
        version="test",
        suite=str(suite.folder),
        tasks={task.name: task.hash for task in suite.tasks},
        agents=("oracle",),
        condition="hybrid",
        runs=1,
        limits=Limits(),
    )
    folder.mkdir(exist_ok=True)
    jobs = [Job(task.name, "oracle", 1) for task in suite.tasks]
    agents = make_agent or agent_maker(config, _no_model)
    return run_jobs(jobs, config, suite, folder, machines.make, agents)


def _no_model(config: ModelConfig) -> NoReturn:
    raise AssertionError("no model is used here")


class KillingAgent:
    """Kills its machine in every step, then makes a call."""

    def __init__(self, machine: OwnedMachine[Running]) -> None:
        self._machine = machine

    def step(self, observation: Observation) -> Decision:
        kill(self._machine.instance)
        return Decision(calls=(ToolCall(uuid4().hex, "computer_cursor_position", {}),))


def test_a_machine_that_dies_in_an_episode_voids_the_trial_and_a_fresh_machine_finishes_it(
    machines: Source, suite: Suite, tmp_path: Path
) -> None:
    made: list[OwnedMachine[Running]] = []

    def make() -> OwnedMachine[Running]:
        machine = machines.make()
        assert isinstance(machine, OwnedMachine)
        made.append(machine)
        return machine

    def agent(name: str, task: Task, briefing: Briefing) -> Agent:
        if len(made) == 1:
            return KillingAgent(made[0])
        return agent_maker(_any_config(suite), _no_model)(name, task, briefing)

    rows = run_suite(
        Source(make, machines.image, machines.provider), suite, tmp_path / "run", agent
    )
    assert [row.fate for row in rows] == ["void", "scored"]
    assert rows[0].score is None
    assert rows[0].failure is not None
    assert rows[1].success
    assert len(made) == 2


def _any_config(suite: Suite) -> RunConfig:
    return RunConfig(
        version="test",
        suite=str(suite.folder),
        tasks={},
        agents=("oracle",),
        condition="hybrid",
        runs=1,
        limits=Limits(),
    )


class GivingUpAgent:
    """Declares the task infeasible in its first step."""

    def step(self, observation: Observation) -> Decision:
        return Decision(stop=Stop.INFEASIBLE)


def test_a_trial_on_a_missing_snapshot_is_void_and_names_it(
    machines: Source, tmp_path: Path
) -> None:
    folder = tmp_path / "suite" / QUICK
    shutil.copytree(PROJECT / "tasks" / "demo" / QUICK, folder)
    text = (folder / "task.toml").read_text()
    (folder / "task.toml").write_text('snapshot = "nowhere"\n' + text)
    suite = load_suite(tmp_path / "suite", read_catalogue())
    rows = run_suite(machines, suite, tmp_path / "run", lambda *_: GivingUpAgent())
    assert {row.fate for row in rows} == {"void"}
    assert rows[-1].failure is not None
    assert "'nowhere'" in rows[-1].failure.message


def test_a_full_disk_in_the_guest_is_an_error_of_each_write(
    machines: Source,
) -> None:
    with closing(machines.make()) as machine:
        machine.revert("ready")
        with Guest(machine.endpoint, machine.token) as guest:
            free = guest.run(["df", "--output=avail", "-B1", "/home/user"]).stdout.split()[-1]
            guest.run(["fallocate", "-l", free, "/home/user/fills-the-disk"])
            late = b"x" * 1_000_000
            # When the data are on the disk, ext4 gives back blocks that it had reserved for them.
            filler = "for _ in 1 2 3; do cat /dev/zero >> and-the-rest 2>/dev/null; sync; done"
            guest.run(["sh", "-c", f"cd /home/user && {filler}"], timeout=120)
            with pytest.raises(GuestError, match=r"(?i)space"):
                guest.put("~/late.bin", late)
            answer = guest.call(
                ToolCall(uuid4().hex, "files_write_text", {"path": "~/t", "content": late.decode()})
            )
            assert answer.error
            assert "space" in answer.text.lower()
            # The first is missing if the desktop wrote something after the free space was queried.
            guest.run(["rm", "-f", "/home/user/fills-the-disk", "/home/user/and-the-rest"])
            guest.put("~/late.bin", b"there is room again")
            assert guest.get("~/late.bin") == b"there is room again"


def ambidex_run(machines: Source, out: Path) -> list[str]:
    """A command that runs two trials of the quick task, one after the other."""
    image = machines.image.split(":")[0]
    argv = [sys.executable, "-m", "ambidex.host.cli.main", "run", str(PROJECT / "tasks" / "demo")]
    argv += ["--tasks", QUICK, "--agent", "oracle", "--runs", "2", "--image", image]
    argv += ["--provider", machines.provider]
    return [*argv, "--out", str(out)]


def lines(out: Path) -> list[str]:
    path = out / "results.jsonl"
    return path.read_text().splitlines() if path.exists() else []


def test_a_run_whose_runner_was_killed_is_resumed_without_loss_or_duplicates(
    machines: Source, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    command = ambidex_run(machines, out)
    with subprocess.Popen(command, cwd=PROJECT, stderr=subprocess.DEVNULL) as runner:
        deadline = time.monotonic() + 300
        while not lines(out) and runner.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        runner.kill()
    first = lines(out)
    assert len(first) == 1
    with (out / "results.jsonl").open("a") as results:
        results.write('{"task": "gnome-eve')  # as a kill during a write would leave it
    resumed = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    assert resumed.returncode == 0, resumed.stderr
    rows = read_rows(out)
    assert [(row.trial, row.fate, row.score) for row in rows] == [
        (1, "scored", 1.0),
        (2, "scored", 1.0),
    ]
    assert lines(out)[0] == first[0]
    assert "accuracy" in resumed.stdout.lower()


def test_an_interrupted_run_leaves_no_machine_and_loses_no_row(
    machines: Source, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    # Children of a background job, which these tests may be, inherit an ignored SIGINT.
    command = ["env", "--default-signal=INT", *ambidex_run(machines, out)]
    with subprocess.Popen(command, cwd=PROJECT, stderr=subprocess.PIPE, text=True) as runner:
        deadline = time.monotonic() + 300
        while not lines(out) and runner.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        tags = _tags_of(runner.pid)
        runner.send_signal(signal.SIGINT)
        runner.communicate(timeout=120)
    assert runner.returncode == 130
    assert tags
    assert not [pid for tag in tags for pid in processes_with(tag)]
    assert all(json.loads(line)["fate"] == "scored" for line in lines(out))


def _tags_of(pid: int) -> list[str]:
    """The tags of the machines of that process, from the command lines of its reapers."""
    tags = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            argv = path.read_bytes().split(b"\0")
            parent = (path.parent / "stat").read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue
        if b"ambidex.vm.machines.reaper" in argv and parent == str(pid):
            tags.append(argv[argv.index(b"ambidex.vm.machines.reaper") + 1].decode())
    return tags
