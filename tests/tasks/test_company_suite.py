"""Checks of the company's tasks that need no machine; `ambidex prove` does the rest."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

from ambidex.host.toolsets.compiling import compile_sources
from ambidex.host.toolsets.sources import read_sources
from ambidex.host.toolsets.toolset_tools import spec_of
from ambidex.tasks import Suite, verbs_of
from ambidex.tasks.assets import AssetStore
from ambidex.tasks.load import load_suite
from ambidex.tasks.toolset import TOOLS, write_tools
from tests.support.served import ALL

ROOT = Path(__file__).resolve().parents[2]
HELPERS = {"colleagues", "forge-queue"}
"""Services that others need."""


@cache
def company() -> Suite:
    return load_suite(ROOT / "tasks" / "company", ALL)


def test_there_are_tasks_of_eight_areas_and_most_cross_services() -> None:
    tasks = company().tasks
    areas = Counter(task.name.partition("-")[0] for task in tasks)
    assert sum(areas.values()) >= 30
    assert areas.keys() == {"eng", "proj", "sales", "fin", "hr", "admin", "data", "cloud"}
    services = [len({*task.spec.services} - HELPERS) for task in tasks]
    assert sum(count >= 2 for count in services) >= 20
    sheets = [any("get" in str(item) for item in verbs_of(task).spec.collect) for task in tasks]
    assert sum(sheets) >= 8


def test_twenty_tasks_can_be_done_by_hand() -> None:
    hands = [{oracle.by for oracle in task.spec.oracle} for task in company().tasks]
    assert sum("gui" in by for by in hands) >= 20


def test_each_checkpoint_has_a_near_miss_and_each_oracle_calls_what_the_task_lists() -> None:
    for task in company().tasks:
        spec = verbs_of(task).spec
        missed = {title for miss in spec.near_miss for title in miss.misses}
        assert missed == {check.title for check in spec.check}, task.name
        (tools, *_) = (oracle for oracle in spec.oracle if oracle.by == "tools")
        assert {call.call for call in tools.calls} == {*spec.useful_tools}, task.name


def test_the_tools_are_those_of_the_firm_s_apis(tmp_path: Path) -> None:
    sources = ROOT / "examples" / "toolsets" / "company.toml"
    store = AssetStore(tmp_path)
    made = compile_sources(
        read_sources(sources), sources.parent, store, tmp_path / "company.toolset"
    )
    write_tools(tmp_path / TOOLS, [spec_of(tool) for tool in made if tool.executable])
    stored = ROOT / "tasks" / "company" / TOOLS
    assert stored.read_text() == (tmp_path / TOOLS).read_text()


def test_the_tools_of_the_cloud_are_those_that_its_toolset_marks_as_executable() -> None:
    """The toolset is compiled from a package of 16 MB; `ambidex toolset compile --tools` writes
    both."""
    [source] = read_sources(ROOT / "examples" / "toolsets" / "cloud.toml").source
    stored = json.loads((ROOT / "tasks" / "company" / "tools-cloud.json").read_text())
    assert isinstance(source.executable, tuple)
    assert {one["name"] for one in stored} == {*source.executable}
