"""Tasks of OSWorld through a whole run on a real desktop: set up, played, collected, judged, judged
again without a machine, and proved."""

import json
import shutil
from pathlib import Path

import pytest

from ambidex.evaluators.osworld.registry import metrics
from ambidex.host import Limits
from ambidex.host.agents import agent_maker
from ambidex.host.errors import UsageError
from ambidex.host.models.prices import read_prices
from ambidex.host.records.config import RunConfig, RunOptions, adopt, locked
from ambidex.host.records.rows import read_rows
from ambidex.host.runs.launch import RunRequest, config_of
from ambidex.host.runs.machines import Source
from ambidex.host.runs.prove import jobs as proof_jobs
from ambidex.host.runs.prove import verdicts
from ambidex.host.runs.rescoring import rejudge
from ambidex.host.runs.runner import run_jobs
from ambidex.tasks import Suite
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from ambidex.tasks.survey import Selection
from tests.support.osworld import task, write

pytestmark = pytest.mark.skipif(
    not {"exact_match", "check_include_exclude"} <= metrics().keys(),
    reason="the metrics are not all written",
)

FILE = "1111aaaa-0000-4000-8000-000000000000"
NEVER = "2222bbbb-0000-4000-8000-000000000000"
NOTES = """
[tasks.os-1111aaaa]
tool_beneficial = true
tools = 1
useful_tools = ["filesystem_write_file"]
[[tasks.os-1111aaaa.oracle]]
by = "tools"
[[tasks.os-1111aaaa.oracle.calls]]
call = "filesystem_write_file"
with = { path = "/home/user/out.txt", content = "hello" }
[[tasks.os-1111aaaa.near_miss]]
reason = "another word"
[[tasks.os-1111aaaa.near_miss.calls]]
call = "filesystem_write_file"
with = { path = "/home/user/out.txt", content = "hell" }
[[tasks.os-2222bbbb.oracle]]
by = "gui"
stop = "infeasible"
calls = []
"""


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    folder = tmp_path_factory.mktemp("osworld")
    evaluator = {
        "postconfig": [
            {"type": "sleep", "parameters": {"seconds": 30}},
            {"type": "execute", "parameters": {"command": ["cat", "out.txt"], "stdout": "said"}},
        ],
        "func": ["exact_match", "check_include_exclude"],
        "result": [
            {"type": "vm_command_line", "command": ["cat", "/home/user/out.txt"]},
            {"type": "vm_command_line", "command": "ls /home/user", "shell": "true"},
        ],
        "expected": [
            {"type": "rule", "rules": {"expected": "hello"}},
            {"type": "rule", "rules": {"include": ["ready"], "exclude": []}},
        ],
    }
    config = [{"type": "execute", "parameters": {"command": ["touch", "/home/user/ready"]}}]
    write(folder, task(id=FILE, config=config, evaluator=evaluator))
    write(folder, task(id=NEVER))
    (folder / "notes.toml").write_text(NOTES)
    selection = Selection(annotations=folder / "notes.toml")
    return load_suite(folder, read_catalogue(), selection=selection)


def wanted(suite: Suite) -> RunConfig:
    return config_of(
        RunRequest(
            suite=suite,
            agents=("near_miss:1", "says_done", "oracle:gui", "oracle:tools"),
            jobs=proof_jobs(suite),
            options=RunOptions(settle=2.0),
            limits=Limits(steps=10),
            catalogue=read_catalogue(),
        ),
        read_prices(None),
    )


def test_a_suite_of_osworlds_is_proved_and_judged_again(
    suite: Suite, machines: Source, tmp_path: Path
) -> None:
    config = wanted(suite)
    assert config.annotations.startswith(str(suite.annotations))
    run = tmp_path / "run"
    with locked(run):
        adopt(run, config)
        make = agent_maker(config, lambda asked: pytest.fail("no model here"))
        rows = run_jobs(proof_jobs(suite), config, suite, run, machines.make, make)
    found = verdicts(suite, rows)
    assert all(verdict.holds for verdict in found), [verdict.failure_message for verdict in found]
    assert len(found) == 5

    [solved] = [row for row in rows if row.agent == "oracle:tools"]
    assert (solved.score, solved.strict, solved.threshold) == (1.0, 1.0, 1.0)
    assert (solved.domain, solved.tool_beneficial) == ("os", True)
    folder = run / solved.folder
    assert json.loads((folder / "score.json").read_text())["strict"] == 1.0
    assert (folder / "evidence" / "steps" / "said").read_text() == "hello"
    assert solved.seconds["collect"] < 30

    again = list(rejudge(run, suite))
    assert not any(item.differs for item in again)
    collected = folder / "evidence" / "collected.json"
    collected.write_text(collected.read_text().replace('"hello"', '"else"', 1))
    changed = [item.now.score for item in rejudge(run, suite) if item.differs]
    assert changed == [0.0]
    assert {row.score for row in read_rows(run)} == {0.0, 1.0}, "a row is never changed"

    shutil.rmtree(folder / "evidence")
    with pytest.raises(UsageError, match="evidence is missing"):
        list(rejudge(run, suite))
