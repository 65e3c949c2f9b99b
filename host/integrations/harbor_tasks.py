"""Suites as task folders of Harbor, for `ambidex_desktop.harbor:AmbidexEnvironment`."""

from __future__ import annotations

import json
from pathlib import Path

from ambidex.host.agents.oracle import oracle_names
from ambidex.host.errors import UsageError
from ambidex.tasks import Suite, Task, instances_by_name

__all__ = ["write_harbor_tasks"]

TASK = """\
version = "1.0"

[metadata]
suite = {suite}
domain = {domain}
tool_beneficial = {beneficial}
feasible = {feasible}

[agent]
timeout_sec = 3600.0

[verifier]
timeout_sec = 1800.0

[environment]
network_mode = {network}

[environment.env]
AMBIDEX_TASK = {name}

[[environment.mcp_servers]]
name = "ambidex"
transport = "stdio"
command = "/usr/bin/env"
args = {tools}

[environment.healthcheck]
command = "curl -s -o /dev/null http://127.0.0.1:8770/"
timeout_sec = 30.0
"""
TOOLS = [
    "PYTHONPATH=/opt:/opt/ambidex/site",
    "/usr/bin/python3",
    "-m",
    "ambidex.guest.stdio",
    "/tmp/ambidex-harbor/tools-token",
]
"""The guest's MCP server for programs inside the guest; AmbidexEnvironment writes the token."""
SCRIPT = """\
#!/bin/sh
# AmbidexEnvironment carries this out itself, where the agent cannot reach it: {what}.
echo "this task needs --environment-import-path ambidex_desktop.harbor:AmbidexEnvironment" >&2
exit 1
"""
DOCKERFILE = """\
# The machine is an image of Ambidex's; nothing is built.
FROM scratch
"""


def write_harbor_tasks(suite: Suite, folder: Path) -> int:
    """Write a task folder for each instance of each task into the new directory and return their
    number. The folder of instance 2 is named `task@2`."""
    if folder.exists():
        raise UsageError(f"{folder} exists already", hint="Name a new directory.")
    named = instances_by_name(suite.tasks)
    for name, task in named.items():
        _write(suite, task, name, folder / name)
    return len(named)


def _write(suite: Suite, task: Task, name: str, folder: Path) -> None:
    for part in ("environment", "tests", "solution"):
        (folder / part).mkdir(parents=True)
    (folder / "instruction.md").write_text(task.spec.instruction.strip() + "\n", encoding="utf-8")
    text = TASK.format(
        suite=json.dumps(suite.name),
        domain=json.dumps(task.domain),
        name=json.dumps(name),
        tools=json.dumps(TOOLS),
        network=json.dumps("public" if task.spec.network else "no-network"),
        beneficial=str(task.spec.tool_beneficial).lower(),
        feasible=str(task.spec.feasible).lower(),
    )
    (folder / "task.toml").write_text(text, encoding="utf-8")
    (folder / "environment" / "Dockerfile").write_text(DOCKERFILE, encoding="utf-8")
    _script(folder / "tests" / "test.sh", "the judge reads the evidence on the host")
    if oracle_names(task):
        _script(folder / "solution" / "solve.sh", "the calls of the task's oracle are made")


def _script(path: Path, what: str) -> None:
    path.write_text(SCRIPT.format(what=what), encoding="utf-8")
    path.chmod(0o755)
