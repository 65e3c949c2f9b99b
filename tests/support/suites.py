"""A suite of two tasks for the peer, and a run of it in a temporary directory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ambidex.host import Agent, Briefing, Limits
from ambidex.host.agents import agent_maker
from ambidex.host.models.model import LiteModel
from ambidex.host.models.prices import read_prices
from ambidex.host.records.config import RunConfig, adopt, locked
from ambidex.host.records.rows import Row
from ambidex.host.runs.runner import QUIET, Watcher, plan, run_jobs
from ambidex.tasks import Suite, Task
from ambidex.tasks.load import load_suite
from ambidex.vm.stages import StageStore
from tests.support.models import nothing_of_litellm_stays
from tests.support.peer import CATALOGUE, PeerMachine

__all__ = ["nothing_of_litellm_stays"]

CELL = """
instruction = "Set B2 to 42 and save."
tool_beneficial = true
useful_tools = ["calc_set_cell_value", "calc_save"]
setup = [
    { put = "start.json", to = "~/start.json" },
    { run = ["open", "Cells"], wait_window = "Cells" },
    { call = "calc_set_cell_value", with = { cell = "A1", value = 1 } },
]
collect = [
    { get = "~/cells.json" },
    { run = ["echo", "~/x"], to = "echo.txt" },
    { call = "calc_get_cell_value", with = { cell = "B2" }, to = "cell.json" },
]
check = [{ use = "output.json_fields_equal", with = { file = "cells.json", fields = { B2 = 42 } } }]

[[oracle]]
by = "tools"
calls = [
    { call = "calc_set_cell_value", with = { cell = "B2", value = 42 } },
    { call = "calc_save" },
]

[[near_miss]]
reason = "set but not saved"
calls = [{ call = "calc_set_cell_value", with = { cell = "B2", value = 42 } }]
"""

POINTS = CELL.replace(
    "check = [{",
    'check = [{ title = "echo", points = 1, use = "output.json_fields_equal", with = '
    '{ file = "cell.json", fields = { value = 42 } } }, { title = "saved", points = 3,',
).replace('"set but not saved"', '"set but not saved"\nmisses = ["saved"]')
"""The same task, with points for each check."""

IMPOSSIBLE = """
instruction = "Set cell ZZZZZZ99 to 1."
tool_beneficial = false
feasible = false

[[oracle]]
by = "gui"
stop = "infeasible"
calls = [{ call = "computer_click", with = { x = 1, y = 2 } }]
"""


FILES = """
instruction = "Set B2 to 42 and save."
tool_beneficial = true
useful_tools = ["calc_set_cell_value", "calc_save"]
setup = [{ put = "start.json", to = "~/start.json" }]
collect = [{ get = "~/cells.json" }]
check = [{ use = "output.json_fields_equal", with = { file = "cells.json", fields = { B2 = 42 } } }]

[[oracle]]
by = "tools"
calls = [
    { call = "calc_set_cell_value", with = { cell = "B2", value = 42 } },
    { call = "calc_save" },
]
"""
"""A task that can be done without a desktop."""


CELLS = """
instruction = "Set B2 to {{value}} and save, {{person}}."
tool_beneficial = true
useful_tools = ["calc_set_cell_value", "calc_save"]
apps = ["calc"]
setup = [{ put = '{{instance}}/start.json', to = "~/start.json" }]
collect = [{ get = "~/cells.json" }]

[[check]]
use = "output.json_fields_equal"
with = { file = "cells.json", fields = { B2 = '{{value}}' } }

[[oracle]]
by = "tools"
calls = [
    { call = "calc_set_cell_value", with = { cell = "B2", value = '{{value}}' } },
    { call = "calc_save" },
]

[[near_miss]]
reason = "set but not saved"
calls = [{ call = "calc_set_cell_value", with = { cell = "B2", value = '{{value}}' } }]
"""
"""A task with three instances, which have the values of `CELLS_VALUES`."""

CELLS_VALUES = """
[[instance]]
value = 42
person = "Ada"

[[instance]]
value = 43
person = "Grace"

[[instance]]
value = 44
person = "Mary"
"""


def write_instances(folder: Path, **tasks: tuple[str, str]) -> Path:
    """A suite of tasks with instances: the texts of `task.toml` and `instances.toml`."""
    for name, (text, values) in tasks.items():
        write_suite(folder, **{name: text})
        (folder / name / "instances.toml").write_text(values, encoding="utf-8")
        for number in (1, 2, 3):
            (folder / name / str(number)).mkdir()
            (folder / name / str(number) / "start.json").write_text("{}", encoding="utf-8")
    return folder


def write_suite(folder: Path, **tasks: str) -> Path:
    for name, text in tasks.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "task.toml").write_text(text, encoding="utf-8")
        (folder / name / "start.json").write_text("{}", encoding="utf-8")
    return folder


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    folder = write_suite(tmp_path / "suite", cell=CELL, impossible=IMPOSSIBLE)
    return load_suite(folder, CATALOGUE)


@pytest.fixture
def screenless(tmp_path: Path) -> Suite:
    """A suite for machines without a desktop."""
    return load_suite(write_suite(tmp_path / "screenless", files=FILES), CATALOGUE)


def config_of(suite: Suite, **other: object) -> RunConfig:
    said: dict[str, object] = {
        "version": "test",
        "suite": str(suite.folder),
        "tasks": {task.name: task.hash for task in suite.tasks},
        "agents": ("says_done",),
        "condition": "hybrid",
        "runs": 1,
        "limits": Limits(steps=5),
        "settle": 0.0,
    }
    return RunConfig.model_validate(said | other)


MakeAgent = Callable[[str, Task, Briefing], Agent]


def run_in(
    folder: Path,
    suite: Suite,
    config: RunConfig,
    make_machine: Callable[[], PeerMachine] = PeerMachine,
    make_agent: MakeAgent | None = None,
    machines: int = 1,
    watcher: Watcher = QUIET,
    stages: StageStore | None = None,
) -> list[Row]:
    with locked(folder):
        adopt(folder, config)
        return run_jobs(
            plan(config.agents, config.runs, suite),
            config,
            suite,
            folder,
            make_machine,
            make_agent or agent_maker(config, lambda asked: LiteModel(asked, read_prices())),
            machines=machines,
            watcher=watcher,
            stages=stages,
        )
