"""The mounted servers in a real desktop: they list the declared tools, serve many calls, are
replaced when they exit, and end with their worker.
"""

import json
from typing import Any

import pytest

import ambidex.mcp_tools.filesystem.mounted
import ambidex.mcp_tools.git.mounted  # these two modules declare the tools of their apps
from ambidex.host.client.guest import Guest
from ambidex.mcp_tools import App
from tests.desktop.tool_calls import called, done, read, refused

LISTED = """
import json, sys
sys.path[:0] = ["/opt", "/opt/ambidex/site"]
from ambidex.mcp_tools.{app} import mounted
print(json.dumps(mounted.server.list_tools()))
mounted.server.close()
"""
INSTALLED = {
    "git": """
import sys
sys.path.insert(0, "/opt/ambidex/site")
from importlib.metadata import version
print("mcp-server-git", version("mcp-server-git"))
""",
    "filesystem": """
import json
folder = "/opt/programs/node_modules/@modelcontextprotocol/server-filesystem"
said = json.load(open(folder + "/package.json"))
print(said["name"], said["version"])
""",
}
HOOK = b"""#!/bin/sh
exec > seen 2>&1
env
python3 -c 'import mcp' || true
"""
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "git": ("git_status", {"repo_path": "~/mounted"}),
    "filesystem": ("filesystem_list_directory", {"path": "~/mounted"}),
}

apps = pytest.mark.parametrize(
    "app",
    [ambidex.mcp_tools.filesystem.app, ambidex.mcp_tools.git.app],
    ids=lambda app: app.name,
)


def server_of(guest: Guest, app: App) -> str:
    """Process id of the app's server, the only child of its worker."""
    worker = worker_of(guest, app)
    return read(guest, "pgrep", "--parent", worker)


def worker_of(guest: Guest, app: App) -> str:
    return read(guest, "pgrep", "--exact", f"worker-{app.worker}"[:15])


def gone(guest: Guest, *processes: str) -> None:
    """Wait until the processes have exited, or are zombies."""
    one = "while grep -q '^State:.[^ZX]' /proc/$each/status 2>/dev/null; do :; done"
    read(guest, "timeout", "20", "bash", "-c", f"for each; do {one}; done", "-", *processes)


@pytest.fixture(autouse=True)
def repository(guest: Guest) -> None:
    done(guest, "git_init", repo_path="~/mounted")
    for name, arguments in CALLS.values():  # a server starts at its first call
        done(guest, name, **arguments)


@apps
def test_the_declared_tools_are_those_the_server_lists(guest: Guest, app: App) -> None:
    answer = json.loads(read(guest, "/usr/bin/python3", "-c", LISTED.format(app=app.name)))
    listed = {f"{app.name}_{tool['name'].removeprefix('git_')}": tool for tool in answer}
    declared = {name: tool for name, tool in app.tools.items() if tool.mounted}
    assert declared.keys() == listed.keys()
    for name, tool in declared.items():
        theirs, ours = listed[name]["inputSchema"], tool.parameters
        assert ours["properties"].keys() == theirs["properties"].keys(), name
        assert set(ours.get("required", [])) == set(theirs.get("required", [])), name
        assert tool.reads_only is listed[name]["annotations"]["readOnlyHint"], name


@apps
def test_the_server_has_the_declared_name_and_version(guest: Guest, app: App) -> None:
    assert read(guest, "/usr/bin/python3", "-c", INSTALLED[app.name]) == app.mounted


@apps
def test_many_calls_are_served_by_one_process(guest: Guest, app: App) -> None:
    tool, arguments = CALLS[app.name]
    before = server_of(guest, app)
    answers = {str(done(guest, tool, **arguments)) for _ in range(100)}
    assert len(answers) == 1
    refused(guest, tool, **dict.fromkeys(arguments, "/nowhere"))
    assert server_of(guest, app) == before


@apps
def test_a_server_that_exited_is_replaced(guest: Guest, app: App) -> None:
    tool, arguments = CALLS[app.name]
    before, worker = server_of(guest, app), worker_of(guest, app)
    read(guest, "kill", "-KILL", before)
    gone(guest, before)
    assert done(guest, tool, **arguments)
    assert server_of(guest, app) != before
    assert worker_of(guest, app) == worker


@apps
def test_a_stopped_server_ends_with_its_worker(guest: Guest, app: App) -> None:
    tool, arguments = CALLS[app.name]
    server, worker = server_of(guest, app), worker_of(guest, app)
    read(guest, "kill", "-STOP", server)
    read(guest, "kill", "-KILL", worker)
    gone(guest, server, worker)
    assert done(guest, tool, **arguments)
    assert server_of(guest, app) not in ("", server)


@apps
def test_a_tool_names_its_server(guest: Guest, app: App) -> None:
    offered = {tool.name: tool for tool in guest.tools() if tool.app == app.name}
    assert offered.keys() == app.tools.keys()
    for name, tool in app.tools.items():
        assert offered[name].mounted == tool.mounted
        assert offered[name].source == ("mounted" if tool.mounted else "reference")


def test_the_endpoint_accepts_the_reference_s_names(guest: Guest) -> None:
    result = called(guest, "git_git_status", {"repo_path": "~/mounted"})
    assert (result.error, result.value) == ("", done(guest, "git_status", repo_path="~/mounted"))
    wrong = called(guest, "git_git_status", {})
    assert (wrong.error, "git_status: argument" in wrong.text) == ("bad_arguments", True)


def test_a_git_hook_does_not_see_our_libraries(guest: Guest) -> None:
    guest.put("~/mounted/.git/hooks/pre-commit", HOOK)
    read(guest, "chmod", "+x", "/home/user/mounted/.git/hooks/pre-commit")
    guest.put("~/mounted/file", b"x")
    done(guest, "git_add", repo_path="~/mounted", files=["file"])
    done(guest, "git_commit", repo_path="~/mounted", message="with a hook")
    shown = guest.get("~/mounted/seen").decode()
    assert "PYTHONPATH" not in shown
    assert "No module named 'mcp'" in shown
