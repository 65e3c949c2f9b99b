"""Trials of a task on a virtual machine: the stage is set, set, and restored."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from ambidex.host import Agent, Briefing
from ambidex.host.agents.oracle import play_oracle
from ambidex.host.loop.stage_cache import read_record
from ambidex.host.records.config import adopt, locked
from ambidex.host.records.rows import Row
from ambidex.host.runs.machines import Source
from ambidex.host.runs.runner import plan, run_jobs
from ambidex.tasks import Task
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from ambidex.vm.checkpoints.manifest import read_manifest
from ambidex.vm.stages import StageStore, entries
from tests.support.suites import config_of

RUNS = 4
TASK = """
instruction = "Write the text done into answer.txt in your home folder."
tool_beneficial = true
useful_tools = ["files_write_text"]
setup = [
    { put = "note.txt", to = "~/note.txt" },
    { run = ["xev", "-name", "a window of the stage"], wait_window = "a window of the stage" },
]
collect = [
    { get = "~/answer.txt", to = "written.txt" },
    { changes = "changes.json" },
    { run = ["pgrep", "-x", "xev"], to = "process.txt" },
    { run = ["cat", "/etc/machine-id"], to = "machine-id.txt" },
    { run = ["date", "+%s"], to = "clock.txt" },
]
check = [
    { use = "files.text_equals", with = { file = "written.txt", text = "done" } },
    { use = "changes.only", with = { file = "changes.json", files = ["~/answer.txt"] } },
]

[[oracle]]
by = "tools"
calls = [{ call = "files_write_text", with = { path = "~/answer.txt", content = "done" } }]
"""


def test_later_trials_start_from_the_stage_of_an_earlier_one_each_with_its_own_identity(
    tmp_path: Path, machines: Source
) -> None:
    folder = tmp_path / "tasks" / "write"
    folder.mkdir(parents=True)
    (folder / "task.toml").write_text(TASK)
    (folder / "note.txt").write_text("from the setup")
    suite = load_suite(tmp_path / "tasks", read_catalogue())
    store = StageStore(tmp_path / "stages", machines.base, 10**9)
    config = config_of(
        suite,
        agents=("oracle:tools",),
        runs=RUNS,
        settle=5.0,
        image=machines.image,
        provider="libvirt",
    )
    tokens = []
    machine = machines.make()

    def make_agent(name: str, task: Task, briefing: Briefing) -> Agent:
        tokens.append(machine.token)
        return play_oracle(task, "tools")

    run = tmp_path / "run"
    with closing(machine), locked(run):
        adopt(run, config)
        jobs = plan(config.agents, config.runs, suite)
        rows = run_jobs(jobs, config, suite, run, lambda: machine, make_agent, stages=store)
    [entry] = entries(store.folder)
    record = read_record(entry)
    assert record is not None
    assert record.state == "saved", (record.differences, record.problem)
    assert [(row.fate, row.score) for row in rows] == [("scored", 1.0)] * RUNS
    # On a busy computer a setup may not count, because the screen was not still in time.
    stages = [row.stage for row in rows]
    saved = stages.index("restored") - 1
    assert saved >= 1
    assert stages == ["set"] * (saved + 1) + ["restored"] * (RUNS - saved - 1)

    def collected(row: Row, name: str) -> str:
        return (run / row.folder / "evidence" / name).read_text()

    processes = [collected(row, "process.txt") for row in rows[saved:]]
    assert len({*processes}) == 1, "the process that setup started is the one that was saved"
    secret = read_manifest(entry / "machine" / "stage").token
    assert tokens[saved] == secret
    assert len({*tokens}) == RUNS, "a restored machine does not keep the token that was saved"
    assert len({collected(row, "machine-id.txt") for row in rows}) == RUNS
    for row in rows:
        clock = run / row.folder / "evidence" / "clock.txt"
        assert abs(int(clock.read_text()) - clock.stat().st_mtime) < 60
