"""The whole door in a guest without a desktop, on a local port."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from ambidex.guest.account import Account
from ambidex.guest.door import door
from ambidex.guest.guard import Token
from ambidex.guest.journal import Journal
from ambidex.guest.processes import Processes
from ambidex.mcp_tools.waiting import wait_for
from tests.support.serving import serve

TOKEN = "a-token-of-a-test"


@pytest.fixture(scope="module")
def http() -> Iterator[httpx.Client]:
    """A client of the door, which is ready."""
    account = Account.named(pwd.getpwuid(os.getuid()).pw_name)
    app = door(Processes(account), Token(TOKEN), Journal(), desktop=False)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with serve(app) as endpoint, httpx.Client(base_url=endpoint, headers=headers) as client:
        assert wait_for(lambda: client.get("/harness/health").status_code == 200, 60)
        yield client


def test_a_guest_without_a_desktop_is_ready_without_a_session(http: httpx.Client) -> None:
    report = http.get("/harness/health").json()
    assert report["ready"]
    assert report["screen"] is None
    parts = {name.partition(" ")[0] for name in report["checks"]}
    assert parts == {"worker", "first"}
    assert "worker computer" not in report["checks"]


def test_it_runs_commands_and_serves_files_and_evidence(http: httpx.Client, tmp_path: Path) -> None:
    path = str(tmp_path / "a/b.txt")
    assert http.put("/harness/file", params={"path": path}, content=b"hello\n").status_code == 200
    run = http.post("/harness/run", json={"argv": ["sh", "-c", f"cat {path}; env"]}).json()
    assert run["returncode"] == 0
    first, *variables = run["stdout"].splitlines()
    assert first == "hello"
    names = {line.partition("=")[0] for line in variables}
    assert {"HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG"} <= names
    assert not {"DISPLAY", "AMBIDEX_HEADLESS"} & names
    evidence = http.get("/harness/evidence/file", params={"path": path})
    assert evidence.content == b"hello\n"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/harness/screenshot", None),
        ("POST", "/harness/wait_window", {"title": "Files"}),
        ("GET", "/harness/accessibility", None),
    ],
)
def test_what_needs_a_screen_is_refused(
    http: httpx.Client, method: str, path: str, body: dict[str, str] | None
) -> None:
    answer = http.request(method, path, json=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "no_desktop"


def test_its_workers_import_no_libraries_of_a_desktop() -> None:
    script = (
        "import sys; import ambidex.guest.worker; from ambidex.mcp_tools import catalogue;"
        "print(*catalogue.installed(desktop=False));"
        "print({'Xlib', 'gi', 'uno', 'pyautogui'} & set(sys.modules))"
    )
    command = [sys.executable, "-c", script]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    apps, heavy = printed.stdout.splitlines()
    assert "files" in apps.split()
    assert not {"computer", "calc", "chrome", "gnome", "os"} & set(apps.split())
    assert heavy == "set()"
