"""The programs that run in guests, run here on our own code, never on a draft."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from ambidex.toolgen.inside import PROGRAMS
from tests.support.tables import every_case

INSIDE = PROGRAMS[0].parent
PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
from guard import watch
marks = watch({"door": 8770, "programs": ["true"], "loopback": LOOPBACK})
try:
    STATEMENTS
    result = "done"
except PermissionError as error:
    result = str(error)
except OSError as error:
    result = "tried"
print(json.dumps([result, marks]))
"""


def run_guarded(statements: str, *, loopback: bool = False) -> tuple[str, list[str]]:
    """The result of the statements, and the rules that they violated."""
    code = PROGRAM.replace("STATEMENTS", statements).replace("LOOPBACK", str(loopback))
    argv = [sys.executable, "-c", code, str(INSIDE)]
    result, marks = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)
    return result, [mark["rule"] for mark in marks]


@every_case(
    ("statements", "rule"),
    [
        ("open('/etc/ambidex/token')", "token"),
        ("import pathlib; pathlib.Path('/run/ambidex').iterdir().__next__()", "token"),
        ("import os; os.chdir('/etc'); open('ambidex/token')", "token"),
        ("open('/proc/1/environ')", "secrets"),
        ("import os; open(os.path.expanduser('~/.ssh/id_rsa'))", "secrets"),
        ("import socket; socket.create_connection(('127.0.0.1', 8770))", "harness door"),
        ("import socket; socket.create_connection(('127.0.0.1', 9))", "network"),
        ("import socket; socket.getaddrinfo('example.org', 80)", "network"),
        ("import subprocess; subprocess.run(['curl', 'x'])", "program"),
        ("import subprocess; subprocess.run('true; true', shell=True)", "program"),
        ("import os; os.system('true')", "program"),
        ("import os; os.execv('/bin/sh', ['sh'])", "program"),
    ],
)
def test_forbidden_access_is_refused_and_recorded(statements: str, rule: str) -> None:
    result, rules = run_guarded(statements)
    assert (rules, f"({rule})" in result) == ([rule], True)


@every_case(
    "statements",
    [
        "open('/etc/hostname')",
        "import subprocess; subprocess.run(['true'])",
        "import tempfile; tempfile.TemporaryFile().close()",
        "import socket; socket.socket(socket.AF_UNIX).connect('/nowhere')",
    ],
)
def test_what_a_tool_needs_is_allowed(statements: str) -> None:
    result, rules = run_guarded(statements)
    assert (rules, result in ("done", "tried")) == ([], True)


def test_a_violation_is_recorded_even_if_the_draft_swallows_the_error() -> None:
    statements = (
        "import contextlib\n    with contextlib.suppress(OSError): open('/etc/ambidex/token')"
    )
    assert run_guarded(statements) == ("done", ["token"])


def test_loopback_apps_may_use_any_port_but_the_harness_door() -> None:
    statement = "import socket; socket.create_connection(('127.0.0.1', PORT), 0.2)"
    assert run_guarded(statement.replace("PORT", "9"), loopback=True)[1] == []
    assert run_guarded(statement.replace("PORT", "8770"), loopback=True)[1] == ["harness door"]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_the_programs_parse_as_the_guests_python(path: Path) -> None:
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 10))
