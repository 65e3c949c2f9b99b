"""Rules that every served tool follows."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ambidex.host.client.limits import PATIENCE
from ambidex.mcp_tools import Tool, ToolError, catalogue
from ambidex.mcp_tools.recorded import RecordedTool
from tests.support.tables import every_case

TOOLS = catalogue.tools()
READS = re.compile(
    r"_(get|list|read|find|search_text|search_files|env_info|window_list|cursor_position|screenshot"
    r"|wait|calculator)(_|$)"
)


OURS = [tool for tool in TOOLS.values() if not isinstance(tool, RecordedTool)]
every_tool = every_case("tool", OURS, lambda tool: tool.name)
every_recorded_tool = every_case(
    "tool",
    [tool for tool in TOOLS.values() if isinstance(tool, RecordedTool)],
    lambda tool: tool.name,
)


@every_recorded_tool
def test_a_recorded_tool_checks_its_arguments(tool: RecordedTool) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]{2,63}", tool.name)
    assert tool.description
    with pytest.raises(ToolError, match=f"{tool.name}: .*unknown argument 'nonsense'"):
        tool.arguments({"nonsense": 1})


@every_tool
def test_a_tool_is_named_after_its_app(tool: Tool) -> None:
    assert tool.name.startswith(f"{tool.app}_")
    assert re.fullmatch(r"[a-z][a-z0-9_]{2,63}", tool.name)


def test_the_host_waits_for_longer_than_any_tool_may_take() -> None:
    """Otherwise it takes a slow call for a lost guest."""
    late = [tool.name for tool in TOOLS.values() if tool.timeout + PATIENCE.answer > PATIENCE.call]
    assert late == []


@every_tool
def test_a_tool_s_description_is_made_of_sentences(tool: Tool) -> None:
    first = tool.description.splitlines()[0]
    assert first[0].isupper(), first
    assert tool.description.endswith("."), tool.description
    assert 20 <= len(tool.description) <= 900


@every_tool
def test_a_schema_describes_every_argument_and_its_type(tool: Tool) -> None:
    for name, value in tool.parameters["properties"].items():
        parts = [value, *value.get("anyOf", ())]
        assert any(part.get("description") for part in parts), f"{tool.name}: {name} is {value}"
        # Any JSON value is allowed if it has a description.
        typed = {"type", "anyOf", "enum", "const", "$ref", "allOf", "description"}
        assert value.keys() & typed, f"{tool.name}: {name} is {value}"
        for part in parts:
            assert part.get("type") != "object" or part.get("properties"), f"{tool.name}: {name}"
    assert tool.parameters["additionalProperties"] is False


@every_tool
def test_a_schema_survives_json(tool: Tool) -> None:
    assert json.loads(json.dumps(tool.parameters)) == tool.parameters


@every_tool
def test_a_read_only_tool_is_marked_as_such(tool: Tool) -> None:
    if tool.mounted:
        return  # checked against its server in tests/desktop/test_tools_mounted.py
    # `replace_text` contains a word of the pattern too.
    looks = bool(READS.search(tool.name)) and "replace" not in tool.name
    assert tool.reads_only == looks


@every_tool
def test_a_tool_has_a_sensible_timeout(tool: Tool) -> None:
    assert 5 <= tool.timeout <= 470, "VS Code's start on an emulated machine takes longest"


@every_tool
def test_an_unknown_argument_is_refused_by_every_tool(tool: Tool) -> None:
    with pytest.raises(Exception, match="unknown argument 'surely_not'"):
        tool.arguments({"surely_not": 1})


def test_a_first_call_needs_no_arguments_and_changes_nothing() -> None:
    apps = catalogue.apps()
    first = [TOOLS[f"{name}_{app.first_call}"] for name, app in apps.items() if app.first_call]
    assert first
    assert all(tool.reads_only and not tool.parameters.get("required") for tool in first)


def test_apps_share_a_worker_only_where_they_share_a_program() -> None:
    workers = {app.name: app.worker for app in catalogue.apps().values()}
    assert workers["calc"] == workers["writer"] == workers["impress"] == "office"
    assert workers["computer"] not in {workers[name] for name in workers if name != "computer"}


LOADED = """
import os, sys
from ambidex.mcp_tools import catalogue

for worker in sys.argv[1:]:
    if os.fork():
        os.wait()
        continue
    served = {app.worker for app in catalogue.apps(worker).values()}
    loaded = [name for name in sys.modules if name.startswith("ambidex.mcp_tools.")]
    print(worker, "|", *served, "|", *loaded, flush=True)
    break
"""
"""Prints what each worker loads. A copy of one process is each, as workers are copies of the fork
server."""


def test_a_worker_loads_only_its_own_apps() -> None:
    workers = sorted({tool.worker for tool in TOOLS.values()})
    command = [sys.executable, "-c", LOADED, *workers]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    answers = [[part.split() for part in line.split("|")] for line in printed.splitlines()]
    assert [name for (name,), _, _ in answers] == workers
    for (worker,), served, loaded in answers:
        assert served == [worker]
        # Some import modules of other apps; none but the office loads its many tools.
        tools_of_calc = any(name.startswith("ambidex.mcp_tools.calc.") for name in loaded)
        assert tools_of_calc == (worker == "office"), worker


def test_the_catalogue_prints_itself_as_json() -> None:
    command = [sys.executable, "-m", "ambidex.mcp_tools.catalogue"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    listed = json.loads(printed.stdout)
    assert {entry["name"] for entry in listed} == set(TOOLS)
    needed = {"name", "app", "description", "reads_only", "parameters"}
    assert all(entry.keys() >= needed for entry in listed)


def test_listing_the_tools_imports_no_desktop_libraries() -> None:
    heavy = "{'uno', 'gi', 'Xlib', 'pyautogui'}"
    script = "import sys; from ambidex.mcp_tools import catalogue; catalogue.tools(); "
    script += f"print({heavy} & set(sys.modules))"
    command = [sys.executable, "-c", script]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert loaded.stdout.strip() == "set()"


def test_an_app_is_served_where_one_of_the_paths_it_needs_exists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "chromium", tmp_path / "google-chrome"
    git = catalogue.apps()["git"]
    monkeypatch.setattr("ambidex.mcp_tools.git.app", replace(git, needs=f"{first}:{second}"))
    assert "git" not in catalogue.installed(desktop=True)
    second.touch()
    assert "git" in catalogue.installed(desktop=True)
    assert catalogue.installed(desktop=False).keys() >= {"files", "git"}
