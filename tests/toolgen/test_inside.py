"""The programs that are put into guests: run here on what we wrote ourselves, never on a draft."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from ambidex.toolgen.inside import PROGRAMS

INSIDE = PROGRAMS[0].parent
TRY = """
import json, sys
sys.path.insert(0, sys.argv[1])
from guard import watch
marks = watch({"door": 8770, "programs": ["true"], "loopback": LOOPBACK})
try:
    DEED
    said = "done"
except PermissionError as error:
    said = str(error)
except OSError as error:
    said = "tried"
print(json.dumps([said, marks]))
"""


def tried(deed: str, *, loopback: bool = False) -> tuple[str, list[str]]:
    code = TRY.replace("DEED", deed).replace("LOOPBACK", str(loopback))
    argv = [sys.executable, "-c", code, str(INSIDE)]
    said, marks = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)
    return said, [each["rule"] for each in marks]


@pytest.mark.parametrize(
    ("deed", "rule"),
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
def test_what_a_draft_may_not_do_is_refused_and_marked(deed: str, rule: str) -> None:
    said, marks = tried(deed)
    assert (marks, f"({rule})" in said) == ([rule], True)


@pytest.mark.parametrize(
    "deed",
    [
        "open('/etc/hostname')",
        "import subprocess; subprocess.run(['true'])",
        "import tempfile; tempfile.TemporaryFile().close()",
        "import socket; socket.socket(socket.AF_UNIX).connect('/nowhere')",
    ],
)
def test_what_a_tool_needs_is_neither_refused_nor_marked(deed: str) -> None:
    said, marks = tried(deed)
    assert (marks, said in ("done", "tried")) == ([], True)


def test_a_mark_stays_where_the_refusal_is_swallowed() -> None:
    deed = "import contextlib\n    with contextlib.suppress(OSError): open('/etc/ambidex/token')"
    assert tried(deed) == ("done", ["token"])


def test_apps_that_are_reached_through_a_socket_may_be_but_not_the_door() -> None:
    deed = "import socket; socket.create_connection(('127.0.0.1', PORT), 0.2)"
    assert tried(deed.replace("PORT", "9"), loopback=True)[1] == []
    assert tried(deed.replace("PORT", "8770"), loopback=True)[1] == ["harness door"]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_the_programs_are_for_the_guests_python(path: Path) -> None:
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 10))
